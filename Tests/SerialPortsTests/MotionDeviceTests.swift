import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SerialPorts

/// Motion devices, with a FIFO in the place of each device.
@Suite("Motion devices")
struct MotionDeviceTests {
    private static let door = MotionDevice.Kind.input(path: "/dev/input/event3", type: 1, code: 528)
    private static let lid = MotionDevice.Kind.input(path: "/dev/input/event3", type: 5, code: 0)
    private static let all: [MotionDevice.Kind] = [
        door, lid, .gpio(path: "/dev/gpiochip0", line: 17), .iio(path: "/dev/iio:device0"), .can(interface: "can0"),
    ]

    /// A FIFO and the system calls that open it for any kind.
    private final class Pipe {
        let scratch: Scratch
        let path: String
        private(set) var writer: Int32
        var opened: [String] = []

        init() throws {
            scratch = try Scratch()
            path = scratch("fifo")
            guard mkfifo(path, 0o600) == 0 else { throw TestFailure("no FIFO") }
            // A reader must exist before a writer can open it without waiting.
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            writer = open(path, O_WRONLY | O_NONBLOCK)
            close(reader)
        }

        deinit { closeWriter() }

        func closeWriter() {
            if writer >= 0 { close(writer) }
            writer = -1
        }

        func write(_ bytes: [UInt8]) { _ = Glibc.write(writer, bytes, bytes.count) }

        private func openFIFO() -> Int32 { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }

        var calls: MotionDevice.Calls {
            MotionDevice.Calls(
                open: { [unowned self] path in
                    opened.append(path)
                    return openFIFO()
                },
                selectInput: { [unowned self] _, type, code in
                    opened.append("\(type) \(code)")
                    return 0
                },
                watchLine: { [unowned self] _, line in
                    opened.append("\(line)")
                    return openFIFO()
                },
                eventDescriptor: { [unowned self] _ in openFIFO() },
                bindInterface: { [unowned self] interface in
                    opened.append(interface)
                    return openFIFO()
                })
        }
    }

    /// An input event as the kernel writes it.
    private static func event(type: UInt16, code: UInt16, value: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<timeval>.size)
        withUnsafeBytes(of: type) { bytes += $0 }
        withUnsafeBytes(of: code) { bytes += $0 }
        withUnsafeBytes(of: value) { bytes += $0 }
        return bytes
    }

    @Test func `each kind opens what its configuration names`() throws {
        let pipe = try Pipe()
        var identities: [String] = []
        let opened = try Self.all.map { kind in
            pipe.opened = []
            identities.append(try MotionDevice(kind, calls: pipe.calls).identity)
            return pipe.opened
        }
        // A FIFO has no name in the kernel, so its path tells it from others.
        #expect(
            identities == [
                "input /dev/input/event3 1 528", "input /dev/input/event3 5 0", "gpio /dev/gpiochip0 17",
                "iio /dev/iio:device0", "can can0",
            ])
        #expect(
            opened == [
                ["/dev/input/event3", "1 528"], ["/dev/input/event3", "5 0"], ["/dev/gpiochip0", "17"],
                ["/dev/iio:device0"], ["can0"],
            ])
    }

    @Test(arguments: all)
    func `without a record there is no report, and a lost device is an error`(kind: MotionDevice.Kind) throws {
        let pipe = try Pipe()
        let device = try MotionDevice(kind, calls: pipe.calls)
        #expect(try !device.receive())
        pipe.closeWriter()
        let error = #expect(throws: SystemError.self) { try device.receive() }
        #expect(error?.code == ENODEV && error?.operation == "reading \(kind)")
    }

    @Test(arguments: [(all[2], 48), (all[3], 16), (all[4], 16)])
    func `each record of a line, an accelerometer or a bus is a report`(kind: MotionDevice.Kind, size: Int) throws {
        let pipe = try Pipe()
        let device = try MotionDevice(kind, calls: pipe.calls)
        for _ in 0..<3 { pipe.write([UInt8](repeating: 1, count: size)) }
        #expect(try device.receive())
        // All records were read.
        #expect(try !device.receive())
    }

    @Test func `a key reports when it is pressed, a switch when it changes, and other codes nothing`() throws {
        let pipe = try Pipe()
        let door = try MotionDevice(Self.door, calls: pipe.calls)
        let synchronization = Self.event(type: 0, code: 0, value: 0)
        pipe.write(Self.event(type: 1, code: 528, value: 0) + synchronization)
        #expect(try !door.receive())
        pipe.write(Self.event(type: 1, code: 30, value: 1) + Self.event(type: 5, code: 528, value: 1) + synchronization)
        #expect(try !door.receive())
        pipe.write(synchronization + Self.event(type: 1, code: 528, value: 1) + synchronization)
        #expect(try door.receive())
        let other = try Pipe()
        let lid = try MotionDevice(Self.lid, calls: other.calls)
        for value in [Int32(0), 1] {
            other.write(Self.event(type: 5, code: 0, value: value) + synchronization)
            #expect(try lid.receive())
        }
    }

    @Test func `a part of a record is no report and no error`() throws {
        let pipe = try Pipe()
        let door = try MotionDevice(Self.door, calls: pipe.calls)
        pipe.write(Array(Self.event(type: 1, code: 528, value: 1).dropLast(1)))
        #expect(try !door.receive())
    }

    @Test func `a bus without end does not hold up the process`() throws {
        let pipe = try Pipe()
        let device = try MotionDevice(.can(interface: "can0"), calls: pipe.calls)
        for _ in 0..<80 { pipe.write([UInt8](repeating: 1, count: 512)) }
        #expect(try device.receive())
    }

    @Test func `a refused call names the device and what was attempted`() throws {
        let pipe = try Pipe()
        let refusals: [(MotionDevice.Kind, String)] = [
            (Self.door, "selecting events of /dev/input/event3"), (Self.all[2], "watching line 17 of /dev/gpiochip0"),
            (Self.all[3], "watching events of /dev/iio:device0"), (Self.all[4], "listening on can0"),
        ]
        var calls = pipe.calls
        let refuse: () -> Int32 = {
            errno = EBUSY
            return -1
        }
        calls.selectInput = { _, _, _ in refuse() }
        calls.watchLine = { _, _ in refuse() }
        calls.eventDescriptor = { _ in refuse() }
        calls.bindInterface = { _ in refuse() }
        for (kind, operation) in refusals {
            #expect(throws: SystemError(code: EBUSY, operation: operation)) { try MotionDevice(kind, calls: calls) }
        }
        #expect(throws: SystemError(code: ENOENT, operation: "opening /dev/gpiochip9")) {
            try MotionDevice.open(.gpio(path: "/dev/gpiochip9", line: 1))
        }
        // No device of another kind answers to the calls of the kernel.
        #expect(throws: SystemError(code: ENOTTY, operation: "watching events of /dev/null")) {
            try MotionDevice.open(.iio(path: "/dev/null"))
        }
        #expect(throws: SystemError(code: ENOTTY, operation: "selecting events of /dev/null")) {
            try MotionDevice.open(.input(path: "/dev/null", type: 1, code: 528))
        }
        #expect(throws: SystemError.self) { try MotionDevice.open(.can(interface: "nosuch")) }
    }
}
