import CLinux
import Chronology
import Glibc
import Testing

@testable import ReceiverSimulator

/// What a session has reported.
private final class Journal {
    var events: [SimulatorSession.Event] = []
}

@Suite struct SimulatorSessionTests {
    private func temporaryPath() -> String { "/tmp/sextant-simulator-\(getpid())-\(UInt32.random(in: 0 ... .max))" }

    private func openPort(_ path: String, speed: Int32 = B115200) throws -> Int32 {
        let port = try system("open \(path)") { open(path, O_RDWR | O_NOCTTY | O_NONBLOCK) }
        var settings = termios()
        try system("read settings") { tcgetattr(port, &settings) }
        cfsetspeed(&settings, speed_t(speed))
        try system("set speed") { tcsetattr(port, TCSANOW, &settings) }
        return port
    }

    private func drain(_ port: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(port, $0.baseAddress, $0.count) }
            if count <= 0 { return all }
            all += buffer[..<count]
        }
    }

    /// Steps through simulated time in 20 ms, reading as it goes.
    private func run(_ session: inout SimulatorSession, _ port: Int32, from start: Double, to end: Double) throws -> [UInt8] {
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

    @Test func aReaderAtTheRightSpeedReadsEverySentence() throws {
        let journal = Journal()
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) { journal.events.append($0) }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        let read = lines(try run(&session, port, from: 0, to: 5.8))
        #expect(read.filter { kind($0) == "RMC" }.count == 6)
        #expect(read.allSatisfy(isValid))
        #expect(write(port, "$PMTK605*31\r\n", 13) == 13)
        try session.step(now: .zero + .seconds(6))
        #expect(journal.events.contains(.received(Array("$PMTK605*31\r\n".utf8))))
    }

    @Test func aReaderAtTheWrongSpeedReadsGarbageUntilItChanges() throws {
        let journal = Journal()
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) { journal.events.append($0) }
        let path = session.path ?? ""
        let port = try openPort(path, speed: B9600)
        defer { close(port) }
        let garbage = try run(&session, port, from: 0, to: 2.8)
        #expect(garbage.count > 20)
        #expect(!lines(garbage).contains(where: isValid))
        let second = try openPort(path)
        defer { close(second) }
        let read = lines(try run(&session, port, from: 3, to: 4.8))
        #expect(read.filter { kind($0) == "RMC" && isValid($0) }.count == 2)
        #expect(journal.events.contains(.speed(9600)) && journal.events.last == .speed(115_200))
    }

    @Test func bytesForNobodyAreGone() throws {
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        try session.step(now: .zero + .seconds(10.5))
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        #expect(drain(port).isEmpty)
        let read = lines(try run(&session, port, from: 10.5, to: 11.8))
        #expect(read.first { kind($0) == "RMC" }.map { fields($0)[1] } == "120011.00")
    }

    @Test func aReaderThatSleepsHoldsNothingUp() throws {
        var session = try SimulatorSession(options(), now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        try session.step(now: .zero + .seconds(600))
        #expect(drain(port).count < 200_000)
        let read = lines(try run(&session, port, from: 600, to: 604.8)).filter { kind($0) == "RMC" && isValid($0) }
        #expect(read.suffix(4).map { fields($0)[1] } == ["121001.00", "121002.00", "121003.00", "121004.00"])
    }

    @Test func unpluggingHangsUpAndComesBackUnderTheSameLink() throws {
        let link = temporaryPath()
        let fault = Fault(.unplug, start: .seconds(2), duration: .seconds(3))
        let journal = Journal()
        do {
            let options = options { ($0.link, $0.faults) = (link, FaultSchedule([fault])) }
            var session = try SimulatorSession(options, now: .zero, utc: SimulatedCapture.defaultStart) { journal.events.append($0) }
            let port = try openPort(link)
            let before = try run(&session, port, from: 0, to: 1.9)
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
            let after = lines(try run(&session, again, from: 5.2, to: 8.8))
            #expect(after.contains { kind($0) == "RMC" && isValid($0) })
            #expect(journal.events.filter { $0 == .began(fault) || $0 == .ended(fault) || $0 == .unplugged }.count == 3)
        }
        var status = stat()
        #expect(lstat(link, &status) != 0)
    }

    @Test func anotherFileIsNotOverwrittenByTheLink() throws {
        let path = temporaryPath()
        try writeFile(path, [1, 2, 3])
        defer { unlink(path) }
        let occupied = options { $0.link = path }
        #expect(throws: SystemFailure.self) {
            _ = try SimulatorSession(occupied, now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        }
        #expect(try readFile(path) == [1, 2, 3])
    }

    @Test func someoneElsesLinkIsLeftAlone() throws {
        let path = temporaryPath()
        do {
            let options = options { $0.link = path }
            _ = try SimulatorSession(options, now: .zero, utc: SimulatedCapture.defaultStart) { _ in
                unlink(path)
                symlink("/dev/null", path)
            }
        }
        var status = stat()
        #expect(lstat(path, &status) == 0)
        unlink(path)
    }

    @Test func whatIsWrittenToThePortIsObeyed() throws {
        let options = options { $0.receiver = .mtk }
        var session = try SimulatorSession(options, now: .zero, utc: SimulatedCapture.defaultStart) { _ in }
        let port = try openPort(session.path ?? "")
        defer { close(port) }
        _ = try run(&session, port, from: 0, to: 3)
        let command = Array("$PMTK161,0*28\r\n".utf8)
        #expect(write(port, command, command.count) == command.count)
        let answer = lines(try run(&session, port, from: 3, to: 6))
        #expect(answer.contains("$PMTK001,161,3*36"))
        #expect(try run(&session, port, from: 6, to: 20).isEmpty)
        // One that sleeps has not finished.
        let finished = session.isFinished(now: .zero + .seconds(20))
        #expect(!finished)
        #expect(write(port, command, 1) == 1)
        let awake = lines(try run(&session, port, from: 20, to: 24))
        #expect(awake.contains { kind($0) == "RMC" && isValid($0) })
    }

    @Test func aRunEndsByItself() throws {
        let options = options { $0.duration = .milliseconds(200) }
        var session = try SimulatorSession(options, now: SimulatorClock.now, utc: SimulatorClock.utc) { _ in }
        let start = SimulatorClock.now
        try session.run()
        #expect((SimulatorClock.now - start).seconds < 5)
        let finished = session.isFinished(now: SimulatorClock.now)
        #expect(finished)
    }
}
