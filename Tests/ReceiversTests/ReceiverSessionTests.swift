import Chronology
import Locator
import Positioning
import TestSupport
import Testing

@testable import Receivers

/// Tests of what a session requests from its port and reports, drawn over time.
///
/// `== true` is needed where a macro would copy the session, which is not copyable.
@Suite struct ReceiverSessionTests {
    private static let fix = SentenceLine.text("GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W")
    private static let start = Instant.zero

    @Test func `an unknown converter is confirmed by GNSS sentences, with its status at that instant`() {
        var session = ReceiverSession(Self.device, settings: SessionSettings())
        #expect(session.isConfirmed == false)
        Self.open(&session)
        for second in 0..<3 { Self.read(Self.fix, &session, at: .seconds(Double(second))) }
        #expect(session.isConfirmed == true)
        let confirmations = session.takeActions().filter { $0 == .report(.confirmed(.open)) }
        #expect(confirmations.count == 1)
    }

    @Test func `a converter without GNSS sentences is closed and not opened again`() {
        var session = ReceiverSession(Self.device, settings: SessionSettings())
        Self.open(&session)
        #expect(session.deadline == nil)
        Self.read("hello\r\n", &session, at: .zero)
        _ = session.takeActions()
        #expect(session.deadline == Self.start + ConverterDetection.timeout)
        session.tick(at: Self.start + ConverterDetection.timeout)
        let afterTimeout = session.takeActions()
        #expect(afterTimeout.first == .close)
        #expect(!session.isOpen && session.deadline == nil)
        guard case .notGNSS(let message, _) = session.status else {
            Issue.record("\(session.status)")
            return
        }
        #expect(message.contains("sends no GNSS NMEA"))
    }

    @Test func `a configured port is opened again after delays that double up to 4 s`() {
        var session = Self.configured()
        var delays: [Double] = []
        var now = Self.start
        for _ in 0..<6 {
            session.openFailed(.busy("in use"), at: now)
            guard let deadline = session.deadline else { break }
            delays.append((deadline - now).seconds)
            now = deadline
            session.tick(at: now)
            let afterDelay = session.takeActions()
            #expect(afterDelay.last == .open && session.deadline == nil)
        }
        #expect(delays == [0.25, 0.5, 1, 2, 4, 4])
    }

    @Test func `data shortens the delay of the next attempt, and an opened port without data does not`() {
        var session = Self.configured()
        for _ in 0..<3 { session.openFailed(.busy("in use"), at: Self.start) }
        for (reads, delay) in [(false, 2.0), (true, 0.25)] {
            Self.open(&session)
            if reads { Self.read("x", &session, at: .zero) }
            session.lost("unplugged", at: Self.start)
            #expect(session.deadline == Self.start + .seconds(delay))
        }
    }

    @Test(arguments: [false, true]) func `only a device that was open is lost`(wasOpen: Bool) {
        var session = Self.configured()
        if wasOpen {
            Self.open(&session)
            session.close()
        }
        session.openFailed(.notFound, at: Self.start)
        guard case .absent(_, lost: wasOpen) = session.status else {
            Issue.record("\(session.status)")
            return
        }
    }

    @Test func `a discovered port that does not exist waits for the system`() {
        var session = ReceiverSession(Self.device, settings: SessionSettings())
        session.openFailed(.notFound, at: Self.start)
        #expect(session.deadline == nil && !session.isAwaited)
        var lost = Self.configured()
        lost.openFailed(.notFound, at: Self.start)
        #expect(lost.deadline != nil)
    }

    @Test func `the text of a loss stays while the device is missing`() {
        var session = Self.configured()
        Self.open(&session)
        session.lost("unplugged", at: Self.start)
        let status = session.status
        #expect(
            status
                == .absent("/dev/ttyUSB0 was lost (unplugged); it is reopened as soon as it is available", lost: true))
        session.openFailed(.notFound, at: Self.start + .seconds(1))
        #expect(session.status == status)
    }

    @Test func `a device that returns without its group yet is opened again, and no permission is reported`() throws {
        var session = ReceiverSession(Self.device, settings: SessionSettings())
        Self.open(&session)
        session.lost("unplugged", at: Self.start)
        let lost = session.status
        _ = session.takeActions()
        // The kernel creates the device for root only; udev sets the group later.
        var now = Self.start + .milliseconds(250)
        while now < Self.start + .seconds(2) {
            session.openFailed(.denied("no permission"), at: now)
            let reports = session.takeActions()
            #expect(session.status == lost && reports.isEmpty)
            let deadline = session.deadline
            let retry = try #require(deadline)
            #expect(retry - now <= .milliseconds(250))
            now = retry
            session.tick(at: now)
            let retries = session.takeActions()
            #expect(retries == [.open])
        }
        Self.open(&session)
        #expect(session.status == .open)
    }

    @Test func `a permission that is still missing two seconds after a device has appeared is reported`() {
        var returned = Self.configured()
        returned.openFailed(.notFound, at: Self.start)
        returned.openFailed(.denied("no permission"), at: Self.start + .seconds(1))
        #expect(returned.status != .denied("no permission"))
        returned.openFailed(.denied("no permission"), at: Self.start + .seconds(3))
        #expect(returned.status == .denied("no permission"))
        // A device that was there all the time has its group.
        var present = Self.configured()
        present.openFailed(.denied("no permission"), at: Self.start)
        #expect(present.status == .denied("no permission"))
    }

    @Test func `the power state follows the connection and the fixes`() {
        var session = Self.configured()
        #expect(session.powerState == nil)
        Self.open(&session)
        #expect(session.powerState == nil)
        session.recordEpoch(hasFix: false, at: .zero)
        #expect(session.powerState == .acquiring)
        session.recordEpoch(hasFix: true, at: .zero)
        #expect(session.powerState == .tracking)
        session.lost("unplugged", at: Self.start)
        #expect(session.powerState == nil)
        Self.open(&session)
        #expect(session.powerState == nil)
        let changes = session.takeActions().filter { $0 == .report(.powerStateChanged) }
        #expect(changes.count == 3)
    }

    @Test func `the port of a passive receiver is closed while nobody needs it, without a new status`() {
        var settings = SessionSettings()
        settings.isConfigured = true
        settings.isPassive = true
        var session = ReceiverSession(Self.device, settings: settings)
        Self.open(&session)
        session.recordEpoch(hasFix: true, at: .zero)
        session.apply(.sleepIndefinitely, at: Self.start)
        let afterPlan = session.takeActions()
        #expect(afterPlan.last == .startDriver)
        session.startDriver(ReceiverIdentity(), assistance: nil, at: Self.start)
        var now = Self.start
        for _ in 0..<60 where session.isOpen {
            now = now + .seconds(1)
            Self.read(Self.fix, &session, at: now - Self.start)
            session.advanceDriver(at: now)
        }
        #expect(!session.isOpen && session.status == .open && session.powerState == .closed)
        let whileUnneeded = session.takeActions()
        #expect(whileUnneeded.contains(.close))
        session.apply(.run(RunPlan()), at: now)
        let afterDemand = session.takeActions()
        #expect(afterDemand.contains(.open))
        session.opened(OpenedLine(), at: now)
        #expect(session.isOpen && session.status == .open && session.powerState == .tracking)
    }

    @Test func `a driver waits for the baud rate, unless an earlier run left the receiver changed`() {
        var line = OpenedLine()
        line.baudRate = 9600
        line.detector = BaudRateDetector(present: 9600)
        var session = Self.configured()
        session.opened(line, at: Self.start)
        session.apply(.run(RunPlan()), at: Self.start)
        let whileDetecting = session.takeActions()
        #expect(!whileDetecting.contains(.startDriver) && session.baudRate == nil)
        Self.read(Self.fix, &session, at: .seconds(1))
        let onceDetected = session.takeActions()
        #expect(onceDetected.contains(.startDriver) && session.baudRate == 9600)

        line.savedState = ReceiverStateRecord(chip: .ublox8, isAsleep: true)
        var left = Self.configured()
        left.opened(line, at: Self.start)
        let leftActions = left.takeActions()
        #expect(leftActions.contains(.startDriver))
    }

    @Test(arguments: [9600, 115_200])
    func `a driver that began before the baud rate was known asks for no database on a slow line`(rate: Int) {
        var settings = SessionSettings()
        (settings.isConfigured, settings.keepsDatabase) = (true, true)
        var session = ReceiverSession(Self.device, settings: settings)
        var line = OpenedLine()
        (line.baudRate, line.detector) = (rate, BaudRateDetector(present: rate))
        line.savedState = ReceiverStateRecord(chip: .ublox8, isAsleep: false)
        session.opened(line, at: Self.start)
        var identity = ReceiverIdentity()
        identity.texts = ["FWVER=SPG 3.01", "PROTVER=18.00"]
        session.startDriver(identity, assistance: nil, at: Self.start)
        session.apply(.run(RunPlan()), at: Self.start)
        for second in 0..<100 {
            Self.read(Self.fix, &session, at: .seconds(Double(second)))
            session.recordEpoch(hasFix: true, at: Self.start + .seconds(Double(second)))
        }
        session.apply(.sleepIndefinitely, at: Self.start + .seconds(100))
        let asks = session.takeActions().contains { action in
            if case .write(let bytes) = action { bytes.starts(with: [0xB5, 0x62, 0x13, 0x80]) } else { false }
        }
        #expect(asks == (rate > 9600))
    }

    @Test func `a baud rate that the line refuses is followed by the next`() {
        var line = OpenedLine()
        line.baudRate = 9600
        line.detector = BaudRateDetector(present: 9600)
        var session = Self.configured()
        session.opened(line, at: Self.start)
        Self.read("\u{7F}\u{7F}", &session, at: .zero)
        Self.read("\u{7F}\u{7F}", &session, at: .seconds(1))
        _ = session.takeActions()
        session.tick(at: Self.start + BaudRateDetector.timeout)
        let afterTrial = session.takeActions()
        #expect(afterTrial.last == .setBaudRate(38_400))
        session.baudRateRefused(at: Self.start + BaudRateDetector.timeout)
        let afterRefusal = session.takeActions()
        #expect(afterRefusal.last == .setBaudRate(115_200))
    }

    @Test func `a port whose baud rate is unknown is read immediately`() {
        var line = OpenedLine()
        line.detector = BaudRateDetector(present: 9600)
        var session = Self.configured()
        session.setReadPolicy(.everyBurst, at: .zero)
        session.opened(line, at: Self.start)
        for second in 0..<20 {
            let now = Self.start + .seconds(Double(second))
            let isDeferred = session.mayDeferRead(at: now)
            #expect(!isDeferred)
            session.beginRead("\u{7F}".utf8Span.span.bytes, at: .zero)
            session.readNothing(at: now)
        }
        #expect(session.wakesOnData == true)
    }

    @Test func `the record of changed settings is kept if the port cannot be opened to restore them`() {
        var session = Self.configured()
        Self.open(&session)
        session.apply(.run(RunPlan(period: .seconds(5))), at: Self.start)
        var identity = ReceiverIdentity()
        // A SiRF receiver has no sleep method, so its port is closed.
        identity.proprietaryAddresses = ["PSRF150"]
        session.startDriver(identity, assistance: nil, at: Self.start)
        var actions: [SessionAction] = []
        for second in 0..<120 {
            let now = Self.start + .seconds(Double(second))
            if second == 60 { session.apply(.sleepIndefinitely, at: now) }
            // The receiver follows the command for the period.
            if session.isOpen, second < 10 || second.isMultiple(of: 5) {
                let time = "12\(second / 60 + 10)\(String(second % 60 + 100).suffix(2))"
                Self.read(
                    SentenceLine.text("GPRMC,\(time),A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W"), &session,
                    at: .seconds(Double(second)))
            }
            session.advanceDriver(at: now)
            actions += session.takeActions()
        }
        let records = actions.compactMap { action -> ReceiverStateRecord? in
            if case .report(.savedStateChanged(let record)) = action { record } else { nil }
        }
        #expect(!session.isOpen && records.last?.initialPeriod == 1000)
        session.finish(at: Self.start + .seconds(120))
        let afterEnd = session.takeActions()
        #expect(afterEnd == [.open] && !session.isFinished)
        session.openFailed(.busy("in use"), at: Self.start + .seconds(120))
        let afterFailure = session.takeActions()
        #expect(session.isFinished && session.deadline == nil)
        #expect(!afterFailure.contains(.report(.savedStateChanged(nil))))
    }

    @Test(arguments: [true, false]) func `a driver knows whether its receiver has a fix already`(hasFix: Bool) {
        var session = Self.configured()
        Self.open(&session)
        session.apply(.run(RunPlan()), at: Self.start)
        if hasFix { session.recordEpoch(hasFix: true, at: Self.start) }
        session.startDriver(ReceiverIdentity(), assistance: nil, at: Self.start)
        // A tunnel is no start.
        for (second, hasFix) in [(10.0, false), (100, true)] {
            session.recordEpoch(hasFix: hasFix, at: Self.start + .seconds(second))
        }
        let starts = session.takeActions().filter { if case .report(.started) = $0 { true } else { false } }
        #expect(starts.isEmpty == hasFix)
    }

    @Test func `a receiver that cannot be reached needs no restoring`() {
        var session = Self.configured()
        Self.open(&session)
        session.apply(.run(RunPlan()), at: Self.start)
        session.startDriver(ReceiverIdentity(), assistance: nil, at: Self.start)
        session.lost("unplugged", at: Self.start)
        session.finish(at: Self.start)
        #expect(session.isFinished && session.driverReport == nil)
    }
}

extension ReceiverSessionTests {
    private static var device: DeviceDescription {
        DeviceDescription(
            name: "ttyUSB0", path: "/dev/ttyUSB0", subsystem: "tty", driver: "ftdi_sio",
            usb: USBIdentity(vendor: 0x0403, product: 0x6001))
    }

    private static func configured() -> ReceiverSession {
        var settings = SessionSettings()
        settings.isConfigured = true
        return ReceiverSession(device, settings: settings)
    }

    private static func open(_ session: inout ReceiverSession) { session.opened(OpenedLine(), at: start) }

    /// Reads text as a port does. The core of a confirmed port counts its lines as sentences.
    private static func read(_ text: String, _ session: inout ReceiverSession, at time: Instant.Span) {
        let bytes = Array(text.utf8)
        let now = start + time
        session.beginRead(bytes.span.bytes, at: now)
        var summary = ReadSummary(sentences: text.hasPrefix("$") ? 1 : 0)
        if !session.isConfirmed {
            summary = session.detectReceiver(in: bytes.span.bytes, at: now)
        } else if session.needsMessages, text.hasPrefix("$") {
            session.addSentence(Array(text.utf8.dropFirst().prefix { $0 != 42 }).span.bytes)
        }
        session.endRead(bytes.count, summary: summary, at: now)
    }
}
