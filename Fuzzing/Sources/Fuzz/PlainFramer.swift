import NMEA

/// A second implementation of the rules of ``NMEA/Framer``, byte by byte and not optimized.
///
/// If it disagrees with the framer, one of the two is wrong. It counts every byte exactly once.
struct PlainFramer {
    private enum State { case idle, hash, body, digits(UInt32, count: Int), overlong }

    /// Number of bytes by meaning.
    struct Bytes: Equatable {
        var stray = 0
        var lineEnds = 0
        /// Bytes of valid sentences, with delimiters, checksums and line ends.
        var good = 0
        /// Discarded bytes.
        var bad = 0

        var total: Int { stray + lineEnds + good + bad }
    }

    private(set) var counts = InputCounts()
    private(set) var bytes = Bytes()
    private(set) var bodies = Digest()

    private var state = State.idle
    /// The index of `$` or `#`, and of the first byte of the body.
    private var start = 0
    /// Length of the body so far, and the XOR of its bytes.
    private var length = 0
    private var sum: UInt8 = 0
    private var hasForeignByte = false
    private var sendsChecksums = false
    private var unchecked = 0
    /// The number of lines without a checksum by address; nil for an address that has had one.
    private var known: [[UInt8]: Int?] = [:]

    /// Processes the whole input.
    mutating func push(_ input: UnsafeRawBufferPointer) {
        for index in 0..<input.count { process(byteAt: index, of: input) }
        counts.bytes = input.count
        if case .idle = state { return }
        bytes.bad += input.count - start
    }

    private mutating func process(byteAt index: Int, of input: UnsafeRawBufferPointer) {
        let byte = input[index]
        switch state {
        case .idle: search(byte, at: index)
        case .body: readBody(of: input, at: index)
        case .hash where byte == 0x55:
            begin(at: start)
            readBody(of: input, at: index)
        case .hash:
            bytes.stray += 1
            counts.strayBytes += 1
            state = .idle
            search(byte, at: index)
        case .digits(let value, let count):
            guard let digit = PlainFramer.hexadecimal(byte) else { return reject(until: index, then: byte) }
            readDigit(value << 4 | UInt32(digit), count: count + 1, of: input, at: index)
        case .overlong:
            if byte == 0x24 || byte == 0x21 || byte == 0x0A || byte == 0x0D { drop(until: index, then: byte) }
        }
    }

    private mutating func search(_ byte: UInt8, at index: Int) {
        switch byte {
        case 0x24, 0x21: begin(at: index)
        case 0x23:
            state = .hash
            start = index
        case 0x0A, 0x0D: bytes.lineEnds += 1
        default:
            bytes.stray += 1
            counts.strayBytes += 1
        }
    }

    /// Starts a sentence whose `$` or `#` is at the index.
    private mutating func begin(at index: Int) {
        state = .body
        start = index
        length = 0
        sum = 0
        hasForeignByte = false
    }

    /// Reads a digit of the checksum, or of the CRC of eight digits that Unicore's sentences may
    /// have instead; `value` includes it.
    private mutating func readDigit(_ value: UInt32, count: Int, of input: UnsafeRawBufferPointer, at index: Int) {
        state = .digits(value, count: count)
        let body = input[(start + 1)..<(start + 1 + length)]
        if count == 2, value == UInt32(sum) {
            guard !hasForeignByte || hasText(input) else { return reject(until: index + 1) }
            if let address = address(input), hasPlace(for: address) { known[address] = .some(nil) }
        } else if count == 2 {
            let hasCRC = body.starts(with: "UNIHEADINGA,".utf8) || body.starts(with: "KSXT,".utf8)
            return hasCRC ? () : reject(until: index + 1)
        } else if count == 8 {
            guard value == PlainFramer.crc32(of: body), !hasForeignByte else { return reject(until: index + 1) }
        } else {
            return
        }
        sendsChecksums = true
        accept(input, until: index + 1)
    }

    private mutating func readBody(of input: UnsafeRawBufferPointer, at index: Int) {
        let byte = input[index]
        switch byte {
        case 0x2A: state = .digits(0, count: 0)
        case 0x24, 0x21:
            counts.truncated += 1
            drop(until: index, then: byte)
        case 0x0A, 0x0D:
            if accepts(input) { return accept(input, until: index + 1) }
            counts.missingChecksums += 1
            drop(until: index + 1)
        case 0..<32:
            counts.truncated += 1
            drop(until: index + 1)
        default:
            length += 1
            sum ^= byte
            if byte > 0x7E { hasForeignByte = true }
            guard length > Framer.maxLine else { return }
            counts.overlong += 1
            state = .overlong
        }
    }

    private mutating func accept(_ input: UnsafeRawBufferPointer, until end: Int) {
        counts.sentences += 1
        bodies.put(input.bytes.extracting((start + 1)..<(start + 1 + length)))
        bytes.good += end - start
        state = .idle
    }

    private mutating func reject(until end: Int, then byte: UInt8? = nil) {
        counts.checksumErrors += 1
        drop(until: end, then: byte)
    }

    /// Discards the bytes from `start` to before `end`, then processes the byte at `end`.
    private mutating func drop(until end: Int, then byte: UInt8? = nil) {
        bytes.bad += end - start
        state = .idle
        if let byte { search(byte, at: end) }
    }

    /// Whether a line without a checksum is accepted, as in `ChecksumPolicy`.
    private mutating func accepts(_ input: UnsafeRawBufferPointer) -> Bool {
        guard let address = address(input), !hasForeignByte || hasText(input),
            address.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) })
        else { return false }
        var count = 0
        if hasPlace(for: address) {
            guard let before = known[address, default: 0] else { return false }
            count = before + 1
            known[address] = count
        }
        unchecked += 1
        return (sendsChecksums ? count : unchecked) > 3
    }

    /// The five bytes before the first comma; nil if there is none in place six, or if they begin
    /// with `P`.
    private func address(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
        let body = input[(start + 1)..<(start + 1 + length)]
        guard body.count > 5, body[body.startIndex + 5] == 0x2C, body.first != 0x50 else { return nil }
        return Array(body.prefix(5))
    }

    private func hasPlace(for address: [UInt8]) -> Bool { known[address] != nil || known.count < 64 }

    /// Whether the sentence may contain letters that are not ASCII.
    private func hasText(_ input: UnsafeRawBufferPointer) -> Bool {
        guard let address = address(input) else { return false }
        let formatter = String(decoding: address.dropFirst(2), as: UTF8.self)
        return "TXT ALR WPL RTE RMB APB AAM BOD BWC BWR BWW WCV WNC ZTG".split(separator: " ").contains {
            $0 == formatter
        }
    }

    /// The CRC-32 of Unicore: the polynomial of Ethernet, without inversions.
    private static func crc32(of body: Slice<UnsafeRawBufferPointer>) -> UInt32 {
        body.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
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
