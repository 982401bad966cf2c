import Chronology
import Locator
import Positioning

/// What a port without NMEA sends, and the rescue of its receiver.
///
/// A rescue writes to a receiver that has shown no NMEA. It therefore needs two whole frames of one
/// protocol that can be switched, and a message with a position: base stations and loggers are left
/// as they are.
struct PortRecognition: Sendable {
    /// The number of failed rescues in succession until the device is plugged in again.
    static let maxFailures = 2
    /// The time from a successful rescue to the next one, against a receiver that does not keep its
    /// settings, and from finding another program to looking again.
    static let pause = Instant.Span.seconds(60)

    /// Why nothing is written to a receiver that could be switched.
    enum Restriction: Sendable, Equatable {
        /// Its entry in the configuration has `passive = true`.
        case passive
        /// The configuration has `power = "off"`.
        case powerOff
        /// The configuration has `rescue = false`.
        case rescueOff
        /// Other programs have the port open, or may have.
        case used(PortUse)
    }

    /// A read of the port.
    struct Read {
        var path: String
        /// The number of bytes, of valid sentences, and of those of a receiver's position or
        /// satellites.
        var count: Int
        var sentences: Int
        var positionSentences: Int
        /// Whether the port is known to have a receiver.
        var isConfirmed: Bool

        init(
            _ path: String, _ count: Int, _ summary: ReadSummary, _ messages: borrowing MessageCollector,
            isConfirmed: Bool
        ) {
            self.path = path
            self.count = count
            sentences = summary.sentences
            positionSentences = messages.positionSentences
            self.isConfirmed = isConfirmed
        }
    }

    /// What a read changes.
    struct Result {
        var action: BaudRateDetector.Action?
        /// The new status of the port; nil for none.
        var status: PortStatus?
    }

    private var restriction: Restriction?
    private var recognizer: LineRecognizer?
    private var rescue: RescueSequence?
    private var baudRate: Int?
    /// Whether a rescue began since the device was plugged in: the receiver has settings in its RAM
    /// that it must not lose.
    private(set) var wasRescued = false
    /// The number of failed rescues since the last successful one.
    private var failures = 0
    /// The earliest instant of the next rescue; nil for any.
    private var nextRescue: Instant?
    /// Whether the owner of the port was asked for other programs that have it open.
    private var isAwaitingHolders = false
    /// The number of frames at the end of the previous read.
    private var countedFrames = 0
    /// When the first valid sentence of the present examination arrived.
    private var firstSentence: Instant?
    /// Whether the line has sent epochs since the port was opened.
    private var hasEpochs = false
    /// How long a line without a detector has sent no valid sentence.
    private var lossTimer = BaudRateDetector.LockLossTimer()

    init(_ settings: SessionSettings) {
        restriction =
            settings.isPassive ? .passive : !settings.controlsPower ? .powerOff : !settings.rescues ? .rescueOff : nil
    }

    /// Whether bytes are examined. NMEA ends that, so that it costs nothing afterwards.
    var isActive: Bool { recognizer != nil }
    var isRescuing: Bool { rescue != nil }
    private var family: BinaryProtocol? { recognizer?.family }
    /// What explains the missing NMEA best; nil if nothing does yet.
    var finding: LineFinding? { recognizer?.finding }
    /// When ``advance(to:actions:)`` is due.
    var deadline: Instant? { rescue?.deadline }

    /// Begins at a baud rate; keeps what earlier ones have shown.
    mutating func begin(baudRate: Int?) {
        if baudRate != self.baudRate { abandonRescue() }
        self.baudRate = baudRate
        recognizer = recognizer?.restarted(baudRate: baudRate) ?? LineRecognizer(baudRate: baudRate)
        countedFrames = 0
        firstSentence = nil
        lossTimer = BaudRateDetector.LockLossTimer()
    }

    /// Ends the examination, because the port was closed or sends NMEA. A rescue in progress
    /// continues while the port is open.
    mutating func end(isOpen: Bool) {
        recognizer = nil
        isAwaitingHolders = false
        guard !isOpen else { return }
        hasEpochs = false
        abandonRescue()
    }

    /// Ends a rescue without a result, which counts as a failed one.
    private mutating func abandonRescue() {
        if isRescuing { failures += 1 }
        rescue = nil
    }

    /// Permits further rescues, because the device was removed and has its settings of power-on.
    mutating func deviceWasRemoved() {
        rescue = nil
        wasRescued = false
        failures = 0
        nextRescue = nil
        if case .used? = restriction { restriction = nil }
    }

    mutating func receive(_ bytes: RawSpan, at now: Instant) {
        guard var recognizer else { return }
        var rescue = rescue
        recognizer.push(bytes, at: now) { rescue?.process($0, at: now) }
        self.recognizer = recognizer
        self.rescue = rescue
    }

    func isNeeded(isBaudRateKnown: Bool) -> Bool { isActive || isRescuing || !isBaudRateKnown }

    /// Counts a read of a line that has shown NMEA. Without a detector, the examination begins
    /// again by its rule: when bytes arrive without valid sentences. After epochs, only they count:
    /// a receiver that was switched off may send texts beside a binary protocol.
    mutating func count(
        bytes: Int, _ summary: ReadSummary, detector: inout BaudRateDetector?, at now: Instant
    ) -> BaudRateDetector.Action? {
        guard detector == nil else {
            return detector?.received(bytes: bytes, goodSentences: summary.sentences, at: now)
        }
        guard bytes > 0 else { return nil }
        let isEpoch = summary.isOpen || summary.closed > 0
        if isEpoch { hasEpochs = true }
        if hasEpochs ? isEpoch : summary.sentences > 0 {
            lossTimer = BaudRateDetector.LockLossTimer()
        } else {
            lossTimer.recordBytes(at: now)
        }
        if lossTimer.receivingTime >= BaudRateDetector.maxInvalidTime { begin(baudRate: baudRate) }
        return nil
    }

    /// Processes a read of a line that has not shown NMEA, or whose rescue is not finished.
    ///
    /// - Parameters:
    ///   - detector: The detector of the baud rate, which needs the same read.
    ///   - actions: Gets what the port must do.
    mutating func process(
        _ read: Read, detector: inout BaudRateDetector?, actions: inout [SessionAction], at now: Instant
    ) -> Result {
        if !isActive, detector?.isLocked == false { begin(baudRate: baudRate) }
        let wasHeld = detector?.isHeld ?? false
        let action = detector?.received(
            bytes: read.count, goodSentences: read.sentences, frames: takeFrameCount(),
            isRecognized: family != nil, at: now)
        let isHeld = detector?.isHeld ?? false
        if wasHeld, !isHeld { begin(baudRate: baudRate) }
        rescue?.sentencesArrived(read.positionSentences, at: now)
        collect(&actions, at: now)
        if detector == nil ? endsExamination(read, at: now) : read.sentences > 0 {
            guard detector?.isLocked ?? true, read.isConfirmed else { return Result(action: action) }
            end(isOpen: true)
            return Result(action: action, status: .open)
        }
        if requestsRescue(at: now) { actions.append(.findHolders) }
        guard let status = status(of: read.path) else { return Result(action: action) }
        if isHeld, !wasHeld, let baudRate { actions.append(.report(.baudRateDetected(baudRate))) }
        return Result(action: action, status: status)
    }

    /// Returns whether a read of a line without a detector shows NMEA: a sentence of a position or
    /// of satellites, or for some seconds only others. A receiver may send a text with its version,
    /// and then a binary protocol.
    private mutating func endsExamination(_ read: Read, at now: Instant) -> Bool {
        guard read.sentences > 0 else { return false }
        if read.positionSentences > 0 { return true }
        guard recognizer?.frames ?? 0 == 0 else { return false }
        let first = firstSentence ?? now
        firstSentence = first
        return now - first >= BinaryRecognizer.window
    }

    /// Begins a rescue, unless other programs have the port open. Returns the new status of the
    /// port, if any.
    mutating func holdersFound(
        _ use: PortUse, on device: DeviceDescription, actions: inout [SessionAction], at now: Instant
    ) -> PortStatus? {
        guard isAwaitingHolders, let family, let messages = recognizer?.messages else { return nil }
        isAwaitingHolders = false
        if use == .unused {
            restriction = nil
            wasRescued = true
            rescue = RescueSequence(
                family, baudRate: baudRate, isNativeUSB: device.isNativeUSB, messages: messages, at: now)
        } else {
            restriction = .used(use)
            nextRescue = now + PortRecognition.pause
        }
        collect(&actions, at: now)
        return status(of: device.path)
    }

    /// Performs the due work of a rescue.
    mutating func advance(to now: Instant, actions: inout [SessionAction]) {
        rescue?.advance(to: now)
        collect(&actions, at: now)
    }

    /// Collects the commands of the rescue, and ends a finished one.
    private mutating func collect(_ actions: inout [SessionAction], at now: Instant) {
        guard var rescue else { return }
        actions += rescue.takeWrites().map(SessionAction.write)
        self.rescue = rescue.outcome == .working ? rescue : nil
        switch rescue.outcome {
        case .working: break
        case .failed: failures += 1
        case .succeeded:
            failures = 0
            nextRescue = now + PortRecognition.pause
            actions.append(.report(.rescued(rescue.family)))
        }
    }

    /// Returns the number of frames since the last call.
    private mutating func takeFrameCount() -> Int {
        guard let recognizer else { return 0 }
        defer { countedFrames = recognizer.frames }
        return recognizer.frames - countedFrames
    }

    /// Returns whether a rescue is wanted, once: the owner of the port then looks for other
    /// programs that have it open.
    private mutating func requestsRescue(at now: Instant) -> Bool {
        guard !isRescuing, !isAwaitingHolders, canRescue, isPermitted, failures < PortRecognition.maxFailures,
            nextRescue.map({ $0 <= now }) ?? true
        else { return false }
        nextRescue = nil
        isAwaitingHolders = true
        return true
    }

    /// Whether the configuration permits it. Other programs may have ended since they were found.
    private var isPermitted: Bool {
        switch restriction {
        case nil, .used: true
        case .passive, .powerOff, .rescueOff: false
        }
    }

    private var canRescue: Bool {
        guard let family, let recognizer, !recognizer.isBaseStation, recognizer.hasPositions else { return false }
        return RescueSequence.supports(family, baudRate: baudRate)
    }
}

// What users read.
extension PortRecognition {
    /// The status of an open port whose protocol is recognised; nil if none is.
    private func status(of path: String) -> PortStatus? {
        guard let family, let finding else { return nil }
        return .unreadable("\(path) sends \(finding.description) and no NMEA\(advice(family))", .binaryProtocol)
    }

    /// What is done or to be done, from a separator on.
    private func advice(_ family: BinaryProtocol) -> String {
        guard RescueSequence.supports(family, baudRate: baudRate) else {
            return family == .sirf && baudRate != nil
                ? ", and a command cannot name this baud rate: \(family.remedy)" : ": \(family.remedy)"
        }
        guard canRescue else {
            return ", as a base station or a logger does, and is left unchanged: "
                + "if it is neither, \(family.remedy)"
        }
        switch restriction {
        case .passive: return "; passive = true forbids to switch it: remove that, or \(family.remedy)"
        case .powerOff: return "; power = \"off\" forbids to switch it: remove that, or \(family.remedy)"
        case .rescueOff: return "; rescue = false forbids to switch it: remove that, or \(family.remedy)"
        case .used(let use): return use.advice
        case nil: break
        }
        if isRescuing { return "; sextantd switches it to NMEA: wait for some seconds" }
        guard failures < PortRecognition.maxFailures else {
            return " and did not follow the commands to send NMEA: \(family.remedy)"
        }
        if nextRescue != nil {
            return "; it was switched to NMEA within the last minute: wait for a minute, after which sextantd "
                + "switches it again"
        }
        return "; sextantd switches it to NMEA: wait for some seconds"
    }
}
