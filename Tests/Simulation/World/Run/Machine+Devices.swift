import Chronology
import Glibc
import SimulatedMachine

// Serial lines, faults, and what the daemon says to the service manager and the journal.
extension Machine {
    private var core: UnsafeMutablePointer<machine> { pointer }

    /// Adds a serial line. Returns its number.
    func addLine(_ path: String, minor: UInt32) throws(RunFailure) -> Int32 {
        let line = machine_add_terminal(core, root, path, "ftdi_sio", 188, minor)
        guard line >= 0 else { throw RunFailure("the machine has no room for \(path)") }
        return line
    }

    private func line(_ number: Int32) -> UnsafeMutablePointer<machine_terminal> { machine_terminal_at(core, number) }

    /// The speed that the daemon has set, in bits per second.
    func speed(ofLine number: Int32) -> Int { Int(line(number).pointee.speed) }

    /// How often the daemon has set another speed.
    func speedChanges(ofLine number: Int32) -> UInt32 { line(number).pointee.speed_changes }

    /// Whether the daemon has the line open.
    func isOpen(line number: Int32) -> Bool { line(number).pointee.open_count > 0 }

    /// Puts bytes of a receiver on the line. What does not fit is lost, as on a real line.
    func send(_ bytes: [UInt8], onLine number: Int32) {
        _ = bytes.withUnsafeBytes { machine_send(core, line(number).pointee.channel, 0, $0.baseAddress, $0.count) }
    }

    /// Takes the bytes that the daemon has written to a receiver.
    func received(onLine number: Int32) -> [UInt8] { receive(from: line(number).pointee.channel, atMost: 4096) ?? [] }

    /// Whether the daemon has written to a receiver.
    func hasInput(onLine number: Int32) -> Bool {
        machine_ring_to(core, line(number).pointee.channel, 0).pointee.count > 0
    }

    /// Removes the device of a line.
    func unplug(line number: Int32) { machine_unplug(core, number) }

    /// Returns the device of a line under a path.
    func plug(line number: Int32, as path: String) { machine_plug(core, number, path) }

    /// Lets the next openings of a line fail with an errno, or not with 0.
    func failOpening(line number: Int32, _ code: Int32) { line(number).pointee.open_error = code }

    // MARK: Faults

    /// A fault that the library injects into calls of the daemon.
    struct Fault: Equatable {
        enum Action: Equatable {
            case fail(errno: Int32)
            case short
            case kill
            case killAfter
            case power
            case slow(Instant.Span)
            case flip
            /// A sync that does nothing.
            case lose

            var code: Int32 {
                switch self {
                case .fail: Int32(MACHINE_ACTION_FAIL.rawValue)
                case .short: Int32(MACHINE_ACTION_SHORT.rawValue)
                case .kill: Int32(MACHINE_ACTION_KILL.rawValue)
                case .killAfter: Int32(MACHINE_ACTION_KILL_AFTER.rawValue)
                case .power: Int32(MACHINE_ACTION_POWER.rawValue)
                case .slow: Int32(MACHINE_ACTION_SLOW.rawValue)
                case .flip: Int32(MACHINE_ACTION_FLIP.rawValue)
                case .lose: Int32(MACHINE_ACTION_LOSE.rawValue)
                }
            }
        }

        /// Which calls fail.
        enum Calls: Int32, CaseIterable {
            case read = 0
            case write = 1
            case sync = 2
            case open = 3
            case name = 4
            case status = 5
            case send = 6
            case receive = 7
            case accept = 8
            case lineOpen = 10
            case lineRead = 11
            case lineWrite = 12
            case lineSet = 13
            case lock = 14
        }

        var action: Action
        /// nil for all that can fail.
        var calls: Calls?
        /// The share of calls that fail, 0 to 1.
        var rate = 0.0
        /// The only call that fails, counted from 1; 0 to use the rate.
        var call: UInt64 = 0
        var begin = Instant.zero
        var end = Instant(nanoseconds: .max)
        /// Only paths that contain this.
        var path = ""
        /// Only calls of this process; nil for those of all.
        var process: Int32? = Machine.daemon
    }

    /// Replaces the faults. Their counts begin again.
    func setFaults(_ faults: [Fault]) {
        core.pointee.fault_count = Int32(faults.count)
        for (index, fault) in faults.enumerated() {
            guard let entry = machine_fault_at(core, Int32(index)) else { continue }
            entry.pointee.action = fault.action.code
            entry.pointee.call_class = fault.calls?.rawValue ?? -1
            if case .fail(let code) = fault.action { entry.pointee.error = code }
            if case .slow(let span) = fault.action { entry.pointee.latency = span.nanoseconds }
            entry.pointee.process = fault.process ?? -1
            entry.pointee.rate = UInt32(min(max(fault.rate, 0), 0.999) * 4_294_967_296)
            entry.pointee.at_call = fault.call
            entry.pointee.limit = 0
            entry.pointee.begin = fault.begin.nanoseconds
            entry.pointee.end_time = fault.end.nanoseconds
            withUnsafeMutablePointer(to: &entry.pointee.path) {
                machine_set_text(
                    UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self), Int(MACHINE_NAME), fault.path)
            }
            entry.pointee.seen = 0
            entry.pointee.fired = 0
        }
    }

    /// How often a fault has met its calls, and how often it fired.
    func counts(ofFault index: Int) -> (seen: UInt64, fired: UInt64) {
        let entry = machine_fault_at(core, Int32(index))
        return (entry?.pointee.seen ?? 0, entry?.pointee.fired ?? 0)
    }

    /// The calls of a class since the start of the run.
    func calls(_ calls: Fault.Calls) -> UInt64 { machine_calls_of(core, calls.rawValue) }

    /// The free space of the disk in bytes; nil for no limit.
    func setFreeSpace(_ bytes: Int64?) { core.pointee.free_bytes = bytes ?? -1 }

    /// Whether the disk refuses changes.
    func setReadOnly(_ isReadOnly: Bool) { core.pointee.is_read_only = isReadOnly ? 1 : 0 }

    // MARK: Texts

    /// What the daemon has said.
    struct Text {
        enum Kind { case notification, journal, output }

        let kind: Kind
        /// The place of the process among those of the machine.
        let process: Int32
        let time: Instant
        let text: String
    }

    /// Takes what the daemon has said since the last call.
    func takeTexts() -> [Text] {
        var texts: [Text] = []
        var position: UInt32 = 0
        var bytes: UnsafePointer<CChar>?
        while let head = machine_next_text(core, &position, &bytes) {
            guard let bytes else { break }
            let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(head.pointee.length))
            let kind: Text.Kind? =
                switch head.pointee.kind {
                case Int32(MACHINE_TEXT_NOTIFY.rawValue): .notification
                case Int32(MACHINE_TEXT_JOURNAL.rawValue): .journal
                case Int32(MACHINE_TEXT_OUTPUT.rawValue): .output
                default: nil
                }
            if let kind {
                texts.append(
                    Text(
                        kind: kind, process: head.pointee.process, time: Instant(nanoseconds: head.pointee.time),
                        text: String(decoding: buffer, as: UTF8.self)))
            }
        }
        machine_clear_texts(core)
        return texts
    }

    /// Takes the calls of the daemon since the last call as lines, if the machine is tracing.
    func takeCalls() -> [String] {
        var lines: [String] = []
        for index in 0..<core.pointee.record_count {
            guard let record = machine_record_at(core, index) else { break }
            var line = [CChar](repeating: 0, count: 256)
            machine_describe(record, &line, line.count)
            lines.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        core.pointee.record_count = 0
        return lines
    }

    /// Whether calls are recorded for the trace.
    func setTracing(_ isTracing: Bool) { core.pointee.is_tracing = isTracing ? 1 : 0 }
}
