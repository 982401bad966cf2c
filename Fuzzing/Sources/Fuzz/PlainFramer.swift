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
    /// Where the `$` stands, and the body's first byte behind it.
    private var start = 0
    /// Bytes of the body so far, and their XOR.
    private var length = 0
    private var sum: UInt8 = 0
    private var sendsChecksums = false
    private var unchecked = 0

    /// Takes the whole input.
    mutating func push(_ input: UnsafeRawBufferPointer) {
        for at in 0..<input.count { take(input, at) }
        counts.bytes = input.count
        if case .idle = state { return }
        bytes.bad += input.count - start
    }

    private mutating func take(_ input: UnsafeRawBufferPointer, _ at: Int) {
        let byte = input[at]
        switch state {
        case .idle: look(byte, at)
        case .body: read(input, at)
        case .star:
            guard let high = PlainFramer.hexadecimal(byte) else { return reject(byte, at) }
            state = .digit(high)
        case .digit(let high):
            guard let low = PlainFramer.hexadecimal(byte) else { return reject(byte, at) }
            guard high << 4 | low == sum else { return reject(nil, at + 1) }
            sendsChecksums = true
            accept(input, at + 1)
        case .overlong:
            if byte == 0x24 || byte == 0x21 || byte == 0x0A || byte == 0x0D { drop(at, then: byte) }
        }
    }

    private mutating func look(_ byte: UInt8, _ at: Int) {
        switch byte {
        case 0x24, 0x21: (state, start, length, sum) = (.body, at, 0, 0)
        case 0x0A, 0x0D: bytes.lineEnds += 1
        default:
            bytes.stray += 1
            counts.strayBytes += 1
        }
    }

    private mutating func read(_ input: UnsafeRawBufferPointer, _ at: Int) {
        let byte = input[at]
        switch byte {
        case 0x2A: state = .star
        case 0x24, 0x21:
            counts.truncated += 1
            drop(at, then: byte)
        case 0x0A, 0x0D:
            if believes(input) { return accept(input, at + 1) }
            counts.missingChecksums += 1
            drop(at + 1)
        case 0..<32:
            counts.truncated += 1
            drop(at + 1)
        default:
            length += 1
            sum ^= byte
            guard length > Framer.longestLine else { return }
            counts.overlong += 1
            state = .overlong
        }
    }

    private mutating func accept(_ input: UnsafeRawBufferPointer, _ end: Int) {
        counts.sentences += 1
        bodies.put(input.bytes.extracting((start + 1)..<(start + 1 + length)))
        bytes.good += end - start
        state = .idle
    }

    private mutating func reject(_ byte: UInt8?, _ end: Int) {
        counts.checksumErrors += 1
        drop(end, then: byte)
    }

    /// What began at `start` is over and good for nothing; the byte at its `end`, if one is given, is not of it.
    private mutating func drop(_ end: Int, then byte: UInt8? = nil) {
        bytes.bad += end - start
        state = .idle
        if let byte { look(byte, end) }
    }

    /// Whether a line without a checksum is believed, as `ChecksumPolicy` has it.
    private mutating func believes(_ input: UnsafeRawBufferPointer) -> Bool {
        let body = input[(start + 1)..<(start + 1 + length)]
        let head = body.prefix { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }.count
        guard !sendsChecksums, head >= 5, head < length, body[body.startIndex + head] == 0x2C else { return false }
        unchecked += 1
        return unchecked > 3 && body.first != 0x50
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
