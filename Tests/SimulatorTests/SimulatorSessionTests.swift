import CLinux
import Chronology
import Glibc
import SystemCalls
import Testing

@testable import Simulator

/// The events that a session has reported.
private final class Journal {
    var events: [SimulatorSession.Event] = []
}

@Suite struct SimulatorSessionTests {
    private func temporaryPath() -> String { "/tmp/sextant-simulator-\(getpid())-\(UInt32.random(in: 0 ... .max))" }

    private func openPort(_ path: String, speed: Int32 = B115200) throws -> Int32 {
        let port = try systemCall("opening \(path)") { open(path, O_RDWR | O_NOCTTY | O_NONBLOCK) }
        var settings = termios()
        try systemCall("reading settings") { tcgetattr(port, &settings) }
        cfsetspeed(&settings, speed_t(speed))
        try systemCall("setting speed") { tcsetattr(port, TCSANOW, &settings) }
        return port
    }

    private func drain(_ port: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                uninterrupted { read(port, bytes.baseAddress, bytes.count) }
            }
            if count <= 0 { return all }
            all += buffer[..<count]
        }
    }

    /// Advances the session in steps of 20 ms of simulated time and returns the bytes read.
    private func run(_ session: inout SimulatorSession, port: Int32, from start: Double, to end: Double) throws
        -> [UInt8]
    {
        var read: [UInt8] = []
        for tick in Int(start * 50)...Int(end * 50) {
            try session.step(now: .zero + .milliseconds(Int64(tick) * 20))
            read += drain(port)
        }
        return read
    }

    private func options(_ change: (inout SimulatorOptions) -> Void = { _ in }) -> SimulatorOptions {
        var options = SimulatorOptions()
        options.baud = 115_200
        change(&options)
        return options
    }

    @Test func `a reader at the correct baud rate reads every sentence`() throws {
        let journal = Journal()
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) {
            journal.events.append($0)
        }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        let read = lines(try run(&session, port: port, from: 0, to: 5.8))
        #expect(read.filter { kind($0) == "RMC" }.count == 6)
        #expect(read.allSatisfy(isValid))
        #expect(write(port, "$PMTK605*31\r\n", 13) == 13)
        try session.step(now: .zero + .seconds(6))
        #expect(journal.events.contains(.received(Array("$PMTK605*31\r\n".utf8))))
    }

    @Test func `a receiver on a port announces once a second that it is simulated`() throws {
        let options = options { ($0.rate, $0.sentences) = (5, try? SentencePlan("RMC")) }
        var session = try SimulatorSession(options, now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        let read = lines(try run(&session, port: port, from: 0, to: 4.9))
        #expect(read.first == "$GPTXT,01,01,02,SIMULATED BY SEXTANT*4D")
        #expect((4...6).contains(read.count { $0.contains("SIMULATED") }))
        #expect(read.allSatisfy(isValid) && read.count { kind($0) == "RMC" } >= 24)
    }

    /// A reader discards what it did not read when it opens the port and sets its speed, and the
    /// announcement with it.
    @Test func `a reader that discards the announcement in a burst gets another`() throws {
        var session = try SimulatorSession(
            options { $0.baud = 9600 }, now: .zero, utc: SimulatedCapture.defaultStart
        ) { _ in }
        let port = try openPort(session.path ?? "", speed: B9600)
        defer { close(port) }
        for end in [0.3, 1.3, 2.3] {
            try session.step(now: .zero + .seconds(end))
            tcflush(port, TCIFLUSH)
            let read = lines(try run(&session, port: port, from: end, to: end + 0.3))
            let announced = try #require(read.firstIndex { $0.contains("SIMULATED") && isValid($0) })
            #expect(!read[..<announced].contains(where: isValid), "\(read)")
        }
    }

    @Test func `a reader that opens the port again at once gets the announcement`() throws {
        var session = try SimulatorSession(
            options { $0.baud = 9600 }, now: .zero, utc: SimulatedCapture.defaultStart
        ) { _ in }
        let first = try openPort(session.path ?? "", speed: B9600)
        _ = try run(&session, port: first, from: 0, to: 1.2)
        close(first)
        let port = try openPort(session.path ?? "", speed: B9600)
        defer { close(port) }
        tcflush(port, TCIFLUSH)
        let read = lines(try run(&session, port: port, from: 1.22, to: 1.5))
        let announced = try #require(read.firstIndex { $0.contains("SIMULATED") && isValid($0) })
        #expect(!read[..<announced].contains(where: isValid), "\(read)")
    }

    @Test func `a played capture keeps its sentences and gets the announcement`() throws {
        let path = temporaryPath()
        defer { unlink(path) }
        let recorded = try SimulatedCapture.bytes(options { $0.duration = .seconds(5) })
        #expect(!String(decoding: recorded, as: UTF8.self).contains("SIMULATED"))
        try writeFile(path, contents: recorded)
        let source = try SimulatorOptions.Source.file(at: path)
        let options = options { $0.source = source }
        var session = try SimulatorSession(options, now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        let read = lines(try run(&session, port: port, from: 0, to: 8))
        #expect(read.filter { !$0.contains("SIMULATED") } == lines(recorded))
        #expect(read.contains { $0.contains("SIMULATED") })
    }

    @Test func `the announcement divides no data`() {
        var announcement = SimulationAnnouncement()
        let line = Array("$GPRMC\r\n".utf8)
        func burst(at second: Int64, bytes: [UInt8]) -> Burst {
            Burst(instant: .zero + .milliseconds(second * 1000), bytes: bytes)
        }
        func announces(_ bytes: [UInt8], at second: Int64, isLineIdle: Bool = true) -> Bool {
            announcement.announce(before: burst(at: second, bytes: bytes), isLineIdle: isLineIdle).bytes != bytes
        }
        #expect(!announces([0xB5, 0x62, 1], at: 0), "binary data")
        #expect(!announces(line, at: 1), "a line that was not complete")
        #expect(!announces(line, at: 2, isLineIdle: false), "a busy line")
        #expect(announces(line, at: 3))
        #expect(!announces(line, at: 3), "the same second")
        #expect(!announces(Array("PRMC\r\n".utf8), at: 4), "the rest of a line")
        #expect(announces(line, at: 5))
    }

    @Test func `a reader at the wrong baud rate reads garbage until it changes`() throws {
        let journal = Journal()
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) {
            journal.events.append($0)
        }
        let path = session.path ?? ""
        let port = try openPort(path, speed: B9600)
        defer { close(port) }
        let garbage = try run(&session, port: port, from: 0, to: 2.8)
        #expect(garbage.count > 20)
        #expect(!lines(garbage).contains(where: isValid))
        let second = try openPort(path)
        defer { close(second) }
        let read = lines(try run(&session, port: port, from: 3, to: 4.8))
        #expect(read.filter { kind($0) == "RMC" && isValid($0) }.count == 2)
        #expect(journal.events.contains(.baudRate(9600)) && journal.events.last == .baudRate(115_200))
    }

    @Test func `bytes sent without a reader are lost`() throws {
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        try session.step(now: .zero + .seconds(10.5))
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        #expect(drain(port).isEmpty)
        let read = lines(try run(&session, port: port, from: 10.5, to: 11.8))
        #expect(read.first { kind($0) == "RMC" }.map { fields($0)[1] } == "120011.00")
    }

    @Test func `a reader that pauses does not delay the session`() throws {
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        try session.step(now: .zero + .seconds(600))
        #expect(drain(port).count < 200_000)
        let read = lines(try run(&session, port: port, from: 600, to: 604.8)).filter {
            kind($0) == "RMC" && isValid($0)
        }
        #expect(read.suffix(4).map { fields($0)[1] } == ["121001.00", "121002.00", "121003.00", "121004.00"])
    }

    @Test func `an unplugged port hangs up and returns under the same link`() throws {
        let link = temporaryPath()
        let fault = Fault(.unplug, start: .seconds(2), duration: .seconds(3))
        let journal = Journal()
        do {
            let options = options { $0.faults = FaultSchedule([fault]) }
            var session = try SimulatorSession(
                options, on: PortOptions(link: link), now: .zero, utc: SimulatedCapture.defaultStart
            ) {
                journal.events.append($0)
            }
            let port = try openPort(link)
            let before = try run(&session, port: port, from: 0, to: 1.9)
            #expect(!before.isEmpty)
            try session.step(now: .zero + .seconds(2.5))
            let path = session.path
            #expect(path == nil)
            #expect(access(link, F_OK) != 0)
            var buffer: UInt8 = 0
            #expect(read(port, &buffer, 1) <= 0 && errno != EAGAIN)
            close(port)
            try session.step(now: .zero + .seconds(5.1))
            let again = try openPort(link)
            defer { close(again) }
            let after = lines(try run(&session, port: again, from: 5.2, to: 8.8))
            #expect(after.contains { kind($0) == "RMC" && isValid($0) })
            #expect(journal.events.filter { $0 == .began(fault) || $0 == .ended(fault) || $0 == .unplugged }.count == 3)
        }
        var status = stat()
        #expect(lstat(link, &status) != 0)
    }

    @Test func `the link does not overwrite another file`() throws {
        let path = temporaryPath()
        try writeFile(path, contents: [1, 2, 3])
        defer { unlink(path) }
        let occupied = PortOptions(link: path)
        #expect(throws: SystemError.self) {
            _ = try SimulatorSession(options(), on: occupied, now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        }
        #expect(try readFile(path) == [1, 2, 3])
    }

    @Test func `a link of another program is not removed`() throws {
        let path = temporaryPath()
        do {
            let port = PortOptions(link: path)
            _ = try SimulatorSession(options(), on: port, now: .zero, utc: SimulatedCapture.defaultStart) { _ in
                unlink(path)
                symlink("/dev/null", path)
            }
        }
        var status = stat()
        #expect(lstat(path, &status) == 0)
        unlink(path)
    }

    @Test func `the simulator executes commands written to the port`() throws {
        let options = options { $0.receiver = .mtk }
        var session = try SimulatorSession(options, now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        _ = try run(&session, port: port, from: 0, to: 3)
        let command = Array("$PMTK161,0*28\r\n".utf8)
        #expect(write(port, command, command.count) == command.count)
        let reply = lines(try run(&session, port: port, from: 3, to: 6))
        #expect(reply.contains("$PMTK001,161,3*36"))
        #expect(try run(&session, port: port, from: 6, to: 20).isEmpty)
        // A session with a sleeping receiver is not finished.
        let finished = session.isFinished(now: .zero + .seconds(20))
        #expect(!finished)
        #expect(write(port, command, 1) == 1)
        let awake = lines(try run(&session, port: port, from: 20, to: 24))
        #expect(awake.contains { kind($0) == "RMC" && isValid($0) })
    }

    @Test func `a run ends after its duration`() throws {
        let options = options { $0.duration = .milliseconds(200) }
        var session = try SimulatorSession(options, now: SimulatorClock.now, utc: SimulatorClock.utc) { _ in }
        let start = SimulatorClock.now
        try session.run()
        #expect((SimulatorClock.now - start).seconds < 5)
        let finished = session.isFinished(now: SimulatorClock.now)
        #expect(finished)
    }
}
