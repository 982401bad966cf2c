import Chronology

/// Recognises what a line sends while it shows no NMEA of a receiver, at one baud rate after the
/// other.
package struct LineRecognizer: Sendable {
    /// The maximum number of different UBX messages that are remembered.
    private static let maxMessages = 8

    /// The bits per second; nil for a line without a baud rate.
    private let baudRate: Int?
    private var binary = BinaryRecognizer()
    private var text = TextRecognizer()
    /// What earlier baud rates have shown.
    private let earlier: LineFinding?
    /// Whether a message with a position arrived.
    private(set) var hasPositions = false
    /// Whether corrections arrived, or the progress of a survey: the receiver is a base station.
    private(set) var isBaseStation = false
    /// The class and number of the UBX messages that arrive without being asked for.
    private(set) var messages: [[UInt8]] = []

    /// Creates a recogniser for a baud rate, in bits per second.
    package init(baudRate: Int?) { (self.baudRate, earlier) = (baudRate, nil) }

    private init(baudRate: Int?, after finding: LineFinding?) { (self.baudRate, earlier) = (baudRate, finding) }

    /// The binary protocol of the line; nil until it is recognised.
    package var family: BinaryProtocol? { binary.family }
    /// The number of whole frames so far.
    package var frames: Int { binary.frames }

    /// What explains the missing NMEA best, at this baud rate or an earlier one.
    package var finding: LineFinding? {
        let content = binary.family.map(LineContent.binary) ?? text.content
        guard let current = content.map({ LineFinding($0, at: baudRate) }) else { return earlier }
        guard let earlier, earlier.content.rank > current.content.rank else { return current }
        return earlier
    }

    /// Returns a recogniser for the next baud rate, which keeps what this one found. A protocol
    /// that was recognised must be recognised again.
    package func restarted(baudRate: Int?) -> LineRecognizer {
        var finding = finding
        if case .binary? = finding?.content { finding = nil }
        return LineRecognizer(baudRate: baudRate, after: finding)
    }

    /// Processes a chunk of any size and calls `onFrame` for each whole frame but those that end
    /// with DLE ETX.
    package mutating func push(_ chunk: RawSpan, at now: Instant, onFrame: (BinaryFrame) -> Void = { _ in }) {
        text.push(chunk)
        var binary = binary
        binary.push(chunk, at: now) { frame in
            record(frame)
            onFrame(frame)
        }
        self.binary = binary
    }

    private mutating func record(_ frame: BinaryFrame) {
        if frame.belongsToPosition { hasPositions = true }
        if frame.family == .rtcm { isBaseStation = true }
        guard let message = frame.ubx else { return }
        // NAV-SVIN is the progress of a survey.
        if message.group == 0x01, message.number == 0x3B { isBaseStation = true }
        // Acknowledgements, configuration and MON-VER are answers.
        let isAnswer = message.group == 0x05 || message.group == 0x06 || message.group == 0x0A && message.number == 4
        let number = [message.group, message.number]
        guard !isAnswer, messages.count < LineRecognizer.maxMessages, !messages.contains(number) else { return }
        messages.append(number)
    }
}
