import NMEA

/// The rules of ``NMEA/Framer`` once more, a byte at a time and without a thought for speed, to be held against it.
///
/// Where this and the framer differ, one of the two is wrong. Every byte is given exactly one meaning.
struct PlainFramer {
    private enum State { case idle, body, star, digit(UInt8), overlong }

    /// What each byte was.
    struct Bytes: Equatable {
        var stray = 0
        var lineEnds = 0
        /// Of good sentences, their marks, checksums and line ends.
        var good = 0
        /// Of what was thrown away.
        var bad = 0

        var all: Int { stray + lineEnds + good + bad }
    }

    private(set) var counts = InputCounts()
    private(set) var bytes = Bytes()
    private(set) var bodies = Digest()

    private var state = State.idle
    private var body: [UInt8] = []
    /// Bytes since the `$`, it included.
    private var taken = 0
    private var sendsChecksums = false
    private var unchecked = 0

    /// Takes the whole input.
    mutating func push(_ input: UnsafeRawBufferPointer) {
        for byte in input { take(byte) }
        counts.bytes = input.count
        bytes.bad += taken
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .idle: look(byte)
        case .body: read(byte)
        case .star: high(byte)
        case .digit(let high): low(high, byte)
        case .overlong:
            if [0x24, 0x21, 0x0A, 0x0D].contains(byte) { end(good: false, then: byte) } else { taken += 1 }
        }
    }

    private mutating func look(_ byte: UInt8) {
        switch byte {
        case 0x24, 0x21:
            state = .body
            body.removeAll(keepingCapacity: true)
            taken = 1
        case 0x0A, 0x0D: bytes.lineEnds += 1
        default:
            bytes.stray += 1
            counts.strayBytes += 1
        }
    }

    private mutating func read(_ byte: UInt8) {
        switch byte {
        case 0x2A:
            taken += 1
            state = .star
        case 0x24, 0x21:
            counts.truncated += 1
            end(good: false, then: byte)
        case 0x0A, 0x0D:
            taken += 1
            let isGood = believes()
            if isGood { accept() } else { counts.missingChecksums += 1 }
            end(good: isGood)
        case 0..<32:
            taken += 1
            counts.truncated += 1
            end(good: false)
        default:
            taken += 1
            body.append(byte)
            guard body.count > Framer.longestLine else { return }
            counts.overlong += 1
            state = .overlong
        }
    }

    private mutating func high(_ byte: UInt8) {
        guard let value = PlainFramer.hexadecimal(byte) else { return reject(byte) }
        taken += 1
        state = .digit(value)
    }

    private mutating func low(_ high: UInt8, _ byte: UInt8) {
        guard let low = PlainFramer.hexadecimal(byte) else { return reject(byte) }
        taken += 1
        guard high << 4 | low == body.reduce(0, ^) else { return reject(nil) }
        sendsChecksums = true
        accept()
        end(good: true)
    }

    private mutating func accept() {
        counts.sentences += 1
        let body = body
        bodies.put(body.span.bytes)
    }

    private mutating func reject(_ byte: UInt8?) {
        counts.checksumErrors += 1
        end(good: false, then: byte)
    }

    /// A sentence is over; `byte`, if there is one, is not of it.
    private mutating func end(good: Bool, then byte: UInt8? = nil) {
        if good { bytes.good += taken } else { bytes.bad += taken }
        taken = 0
        state = .idle
        if let byte { look(byte) }
    }

    /// Whether a line without a checksum is believed, as `ChecksumPolicy` has it.
    private mutating func believes() -> Bool {
        let head = body.prefix { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }.count
        guard !sendsChecksums, head >= 5, head < body.count, body[head] == 0x2C else { return false }
        unchecked += 1
        return unchecked > 3 && body[0] != 0x50
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
