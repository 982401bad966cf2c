import Bridges
import Glibc
import Synchronization
import SystemCalls

/// A unit of the shared memory from which ntpd and ntpsec read the time (refclock_shm.c, mode 1).
/// The first program creates it and owns it: units 0 and 1 are root's alone.
final class SharedMemoryClock {
    /// The key of unit 0: "NTP0".
    private static let key: key_t = 0x4e54_5030
    /// The size of the structure with times of 64 bits.
    private static let size = 96
    /// The accuracy of a measurement as a power of two, in seconds: 0.125 s.
    private static let precision: Int32 = -3

    /// The places of the fields, with times of 64 bits.
    private enum Field {
        static let mode = 0, count = 4, clockSeconds = 8, clockMicroseconds = 16, receiveSeconds = 24
        static let receiveMicroseconds = 32, leap = 36, precision = 40, samples = 44, valid = 48
        static let clockNanoseconds = 52, receiveNanoseconds = 56
    }

    private let memory: UnsafeMutableRawPointer

    /// The number of the first unit that every user may use.
    private static let firstSharedUnit = 2

    /// Attaches the unit, and creates it if it does not exist. A unit below ``firstSharedUnit`` is
    /// created for its owner alone, as ntpd does, because ntpd trusts it.
    init(unit: Int) throws(SystemError) {
        let operation = "opening unit \(unit) of ntpd's shared memory"
        let key = SharedMemoryClock.key + Int32(clamping: unit)
        let mode: Int32 = unit < SharedMemoryClock.firstSharedUnit ? 0o600 : 0o666
        let identifier = try systemCall(operation) { shmget(key, SharedMemoryClock.size, IPC_CREAT | mode) }
        // shmat returns -1 for an error.
        guard let memory = shmat(identifier, nil, 0), Int(bitPattern: memory) != -1 else {
            throw SystemError(code: errno, operation: operation)
        }
        self.memory = memory
    }

    deinit { shmdt(memory) }

    /// Writes a measurement. The count before and after shows a reader that it was not interrupted.
    func write(_ sample: TimeSample) {
        let received = timespec(tv_sec: Int(clamping: sample.seconds), tv_nsec: Int(clamping: sample.nanoseconds))
        let clock = sample.clock
        store(Int32(0), at: Field.valid)
        store(Int32(1), at: Field.mode)
        advanceCount()
        store(Int64(clock.seconds), at: Field.clockSeconds)
        store(Int32(clamping: clock.nanoseconds / 1000), at: Field.clockMicroseconds)
        store(UInt32(clamping: clock.nanoseconds), at: Field.clockNanoseconds)
        store(Int64(received.tv_sec), at: Field.receiveSeconds)
        store(Int32(clamping: received.tv_nsec / 1000), at: Field.receiveMicroseconds)
        store(UInt32(clamping: received.tv_nsec), at: Field.receiveNanoseconds)
        store(Int32(0), at: Field.leap)
        store(SharedMemoryClock.precision, at: Field.precision)
        store(Int32(0), at: Field.samples)
        advanceCount()
        store(Int32(1), at: Field.valid)
    }

    private func advanceCount() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        let count = memory.load(fromByteOffset: Field.count, as: UInt32.self)
        store(count == .max ? 0 : count + 1, at: Field.count)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    private func store(_ value: some BitwiseCopyable, at offset: Int) {
        memory.storeBytes(of: value, toByteOffset: offset, as: type(of: value))
    }
}
