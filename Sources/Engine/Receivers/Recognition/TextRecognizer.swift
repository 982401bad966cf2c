import NMEA

/// Recognises what a line of text without GNSS NMEA is: the answers of a modem, a console, the AIS
/// messages of ships, damaged sentences.
struct TextRecognizer: Sendable {
    /// The maximum number of bytes of a line that are examined.
    private static let maxLine = 128
    /// The number of lines that show a fault or a kind of text. Fewer may be coincidence.
    private static let needed = 3
    /// The number of bytes that show that the line sends no text.
    private static let neededForNoise = 64

    private var line: [UInt8] = []
    private var bytes = 0
    private var printable = 0
    private var lines = 0
    private var modemLines = 0
    private var consoleLines = 0
    private var shipMessages = 0
    private var sentences = 0
    private var damagedSentences = 0

    /// What the bytes show; nil if they are too few.
    var content: LineContent? {
        let isText = bytes > 0 && printable * 20 > bytes * 19
        if damagedSentences >= TextRecognizer.needed, damagedSentences > sentences { return .damagedSentences }
        if isText, modemLines > 0 { return .modem }
        if isText, consoleLines > 0 { return .console }
        if shipMessages > 0, shipMessages == sentences { return .shipMessages }
        if sentences > 0 { return .otherSentences }
        if isText { return lines >= TextRecognizer.needed ? .text : nil }
        return bytes >= TextRecognizer.neededForNoise ? .noise : nil
    }

    mutating func push(_ chunk: RawSpan) {
        chunk.withUnsafeBytes { chunk in
            for byte in chunk { push(byte) }
        }
    }

    private mutating func push(_ byte: UInt8) {
        bytes += 1
        switch byte {
        case 10, 13:
            printable += 1
            endLine()
        case 9, 27, 32...126:
            printable += 1
            if line.count < TextRecognizer.maxLine { line.append(byte) }
            // The prompt of a console has no line end.
            if byte == 32, line.elementsEqual("Password: ".utf8) || line.suffix(7).elementsEqual("login: ".utf8) {
                consoleLines += 1
            }
        default: line.removeAll(keepingCapacity: true)
        }
    }

    private mutating func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        guard line.count > 1 else { return }
        lines += 1
        if line[0] == UInt8(ascii: "$") || line[0] == UInt8(ascii: "!") { return examineSentence() }
        let text = String(decoding: line, as: UTF8.self)
        if TextRecognizer.isOfModem(text) { modemLines += 1 }
        if TextRecognizer.isOfConsole(text) { consoleLines += 1 }
    }

    /// Examines a line that has the form of a sentence: four capital letters or digits after the
    /// first character, a checksum at the end.
    private mutating func examineSentence() {
        guard line.count > 10, line[line.count - 3] == UInt8(ascii: "*"),
            line[1..<5].allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
            let sum = UInt8(String(decoding: line.suffix(2), as: UTF8.self), radix: 16)
        else { return }
        guard line[1..<(line.count - 3)].reduce(0, { $0 ^ $1 }) == sum else { return damagedSentences += 1 }
        sentences += 1
        if line[3..<5].elementsEqual("VD".utf8) { shipMessages += 1 }
    }

    /// Answers and unsolicited results of modems (3GPP TS 27.007, ITU-T V.250).
    private static func isOfModem(_ text: String) -> Bool {
        let lines: Set = ["OK", "ERROR", "RDY", "RING", "NO CARRIER", "Call Ready", "SMS Ready", "PB DONE"]
        let starts = ["AT+", "ATE", "ATI", "+CME ERROR", "+CPIN:", "+CREG:", "+CGREG:", "+CEREG:", "+CSQ:", "+CFUN:"]
        return lines.contains(text) || starts.contains { text.hasPrefix($0) }
            || text.hasPrefix("^") && text.contains(":")
    }

    /// Messages of the kernel, of boot loaders and of the init system.
    private static func isOfConsole(_ text: String) -> Bool {
        if ["U-Boot ", "Starting kernel", "Linux version ", "systemd["].contains(where: { text.contains(part: $0) }) {
            return true
        }
        // "[    3.141592] ..."
        guard text.hasPrefix("["), let end = text.firstIndex(of: "]") else { return false }
        let stamp = text[text.index(after: text.startIndex)..<end].drop { $0 == " " }
        return stamp.count >= 8 && stamp.contains(".") && Double(stamp) != nil
    }
}
