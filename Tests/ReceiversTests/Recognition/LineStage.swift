import Chronology
import Locator
import NMEA
import Positioning
import Simulator

@testable import Receivers

/// A session and a simulated receiver at the two ends of a serial line, in simulated time.
final class LineStage {
    private var session: ReceiverSession
    var receiver: VirtualReceiver
    let baud: Int
    /// The baud rate of the session's end.
    var lineBaud: Int
    var now = Instant.zero
    var isOpen = false
    /// Other programs that have the port open.
    var use = PortUse.unused
    /// What the session wrote before its driver was created.
    var written: [[UInt8]] = []
    /// The protocols that the session reported as switched to NMEA.
    var rescued: [BinaryProtocol] = []
    /// When the session first named a protocol, and with which text.
    var named: (at: Instant, text: String)?
    /// Whether reads with a position end an epoch, as in the core.
    var countsEpochs = false
    /// Why the port cannot be opened; nil if it can.
    var failure: OpenFailure?
    /// The baud rates that the line refuses.
    var refused: Set<Int> = []
    /// Whether the session gets a driver.
    var hasDriver = false
    /// What the session requested and when.
    var timeline = Timeline()
    /// When a sentence with a position arrived.
    var firstFix: Instant?
    private var stream = SentenceStream()
    private var unread: [UInt8] = []
    private let hasBaudRate: Bool
    private let detects: Bool

    /// A receiver behind a converter.
    static let converter = DeviceDescription(
        name: "ttyUSB0", path: "/dev/ttyUSB0", subsystem: "tty", driver: "ftdi_sio",
        usb: USBIdentity(vendor: 0x0403, product: 0x6001))

    /// The own USB port of a receiver.
    static let native = DeviceDescription(
        name: "ttyACM0", path: "/dev/ttyACM0", subsystem: "tty", driver: "cdc_acm",
        usb: USBIdentity(vendor: 0x1546, product: 0x01A8))
    /// A receiver of the kernel's GNSS subsystem, behind a UART.
    static let kernel = DeviceDescription(name: "gnss0", path: "/dev/gnss0", subsystem: "gnss")

    /// Opens the port of a receiver that has run for a third of a second.
    ///
    /// - Parameter detects: Whether the baud rate is detected.
    init(
        _ binary: BinaryOutput, kind: ReceiverKind? = nil, baud: Int = 9600, present: Int = 9600,
        hasBaudRate: Bool = true, detects: Bool = true, device: DeviceDescription = LineStage.converter,
        settings: SessionSettings = LineStage.configured
    ) throws {
        var options = SimulatorOptions()
        options.binary = binary
        options.receiver = kind
        options.baud = baud
        receiver = try options.receiver(origin: .zero)
        self.baud = baud
        self.hasBaudRate = hasBaudRate
        self.detects = detects
        lineBaud = hasBaudRate ? present : baud
        session = ReceiverSession(device, settings: settings)
        now = now + .milliseconds(330)
        _ = receiver.bytes(until: now)
        open()
    }

    var status: PortStatus { session.status }
    var isConfirmed: Bool { session.isConfirmed }
    /// Whether each sentence is kept for the recognition or a driver.
    var needsMessages: Bool { session.needsMessages }

    /// The settings of a port that the configuration names.
    static var configured: SessionSettings {
        var settings = SessionSettings()
        settings.isConfigured = true
        return settings
    }

    func open() {
        if let failure {
            session.openFailed(failure, at: now)
            return carryOut()
        }
        var line = OpenedLine()
        line.baudRate = hasBaudRate ? lineBaud : nil
        if hasBaudRate, detects {
            let detector = BaudRateDetector(present: lineBaud)
            line.detector = detector
            line.baudRate = detector.baudRate
        }
        isOpen = true
        stream = SentenceStream()
        session.opened(line, at: now)
        carryOut()
    }

    /// Unplugs the receiver and plugs it in again, which resets it.
    func replug() {
        lose()
        now = now + .seconds(1)
        _ = receiver.bytes(until: now)
        receiver.powerOn(at: now)
        open()
    }

    /// Unplugs the receiver.
    func lose() {
        session.lost("unplugged", at: now)
        isOpen = false
        carryOut()
    }

    func apply(_ plan: ReceiverPlan) {
        session.apply(plan, at: now)
        carryOut()
    }

    func finish() {
        session.finish(at: now)
        carryOut()
    }

    /// Cuts the power of the receiver for a moment; the port stays open.
    func cutPower() { receiver.powerOn(at: now) }

    /// Sends bytes in place of the receiver, in one read.
    func send(_ text: String) { read(Array(text.utf8)) }

    func setReadPolicy(_ policy: ReadPolicy) { session.setReadPolicy(policy, at: now) }

    /// Lets time pass. As a port does, leaves bytes unread while the session defers that.
    func wait(_ seconds: Double) {
        let end = now + .seconds(seconds)
        while now < end {
            let next = earliest(earliest(session.deadline, receiver.deadline), end) ?? end
            now = max(now, min(next, end))
            for chunk in receiver.bytes(until: now) where isOpen { unread += chunk.bytes }
            let isAwake = session.wakesOnData && !session.mayDeferRead(at: now)
            if !unread.isEmpty, isAwake || session.isReadDue(at: now) {
                read(unread)
                unread = []
            }
            session.tick(at: now)
            carryOut()
            session.advanceDriver(at: now)
            carryOut()
        }
    }

    private func read(_ sent: [UInt8]) {
        let bytes = BaudRateMismatch.read(sent, sender: baud, listener: lineBaud)
        session.beginRead(bytes.span.bytes, at: now)
        var summary = ReadSummary()
        if session.isConfirmed {
            var bodies: [[UInt8]] = []
            stream.push(bytes.span.bytes, onFrame: { body in bodies.append(body.withUnsafeBytes { Array($0) }) }) {
                address, sentence in
                summary.sentences += 1
                guard case .gga(let gga) = sentence, gga.position != nil else { return }
                firstFix = firstFix ?? now
                if countsEpochs { summary.closed = 1 }
            }
            if session.needsMessages { for body in bodies { session.addSentence(body.span.bytes) } }
        } else {
            summary = session.detectReceiver(in: bytes.span.bytes, at: now)
        }
        session.endRead(bytes.count, summary: summary, at: now)
        carryOut()
    }

    private func carryOut() {
        var actions = session.takeActions()
        while !actions.isEmpty {
            timeline.note(actions.map(Timeline.text), at: now, next: session.deadline)
            for action in actions { perform(action) }
            actions = session.takeActions()
        }
        if case .unreadable(let text, _) = session.status { named = named ?? (now, text) }
    }

    private func perform(_ action: SessionAction) {
        switch action {
        case .open: open()
        case .close:
            isOpen = false
            unread = []
        case .setBaudRate(let rate) where refused.contains(rate): session.baudRateRefused(at: now)
        case .setBaudRate(let rate):
            lineBaud = rate
            stream = SentenceStream()
        case .write(let bytes):
            written.append(bytes)
            receiver.process(BaudRateMismatch.read(bytes, sender: lineBaud, listener: baud), at: now)
        case .findHolders: session.holdersFound(use, at: now)
        case .report(.rescued(let family)): rescued.append(family)
        case .startDriver where hasDriver: session.startDriver(ReceiverIdentity(), assistance: nil, at: now)
        case .startDriver, .report: break
        }
    }
}
