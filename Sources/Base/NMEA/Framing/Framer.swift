// Wrapping arithmetic: offsets are bounded by the length of a chunk, and masks of eight bytes are
// meant to wrap. Counters of 64 bits never get there. This code runs for every byte.

/// Splits a byte stream into NMEA 0183 sentences and verifies their checksums.
///
/// Accepts chunks of any size; chunk boundaries do not affect the result. Allocates nothing after
/// `init`. A sentence inside one chunk is passed on in place; a fixed buffer joins a sentence that
/// spans chunks.
///
/// A sentence runs from `$` or `!` to the second digit of its checksum or, without a checksum, to
/// CR or LF. It ends early where another sentence starts, or at a control byte, which indicates
/// lost bytes. All other bytes are stray, so a binary protocol may be interleaved.
///
/// A byte above `~` occurs only in texts and names. In any other sentence it is damage, although
/// the checksum may be right: the XOR does not change if the same bit of two bytes does.
///
/// Unicore's `#UNIHEADINGA` and `KSXT` may have a CRC of eight digits instead of the checksum.
public struct Framer: Sendable {
    /// The maximum number of bytes of a line without an end; longer lines are dropped.
    ///
    /// NMEA 0183 allows 82. The longest line that a vendor documents has 255 (PAIR, PQTM).
    public static let maxLine = 1024

    /// The counts since the start of the stream.
    public internal(set) var counts = InputCounts()

    private enum State {
        /// Between sentences.
        case idle
        /// After a `#`, which begins a sentence if a `U` follows.
        case afterHash
        /// After the `$`. `carry` holds the body's bytes from earlier chunks, the current chunk the
        /// rest.
        case body
        /// After the `*` and some digits with this value. `carry` holds the whole body.
        case checksum(UInt32, digits: Int)
        /// Inside a line that exceeds the maximum length.
        case overlong
    }

    private var state = State.idle
    /// The XOR of the body's bytes so far.
    private var bodyChecksum: UInt8 = 0
    /// Whether the body so far has a byte above `~`.
    private var hasForeignByte = false
    private var policy = ChecksumPolicy()
    private var carry: [UInt8]

    /// Creates a framer at the start of a stream.
    public init() {
        carry = []
        carry.reserveCapacity(Framer.maxLine)
    }

    /// Processes a chunk and calls `onSentence` for each valid sentence, with the bytes between the
    /// `$` and the `*`.
    public mutating func process(_ chunk: RawSpan, onSentence: (RawSpan) -> Void) {
        var cursor = Cursor()
        while advance(in: chunk, cursor: &cursor) {
            withBody(of: chunk, at: cursor, perform: onSentence)
        }
    }

    /// A position in a chunk and the range of the current body.
    struct Cursor {
        /// The offset of the next byte to process.
        var offset = 0
        /// Where the current body begins in this chunk; `carry` holds the bytes from earlier
        /// chunks.
        var start = 0
        /// Where the current body ends in this chunk.
        var end = 0
    }

    /// Calls `body` with the body of the sentence that ``advance(in:cursor:)`` found.
    mutating func withBody(of chunk: RawSpan, at cursor: Cursor, perform body: (RawSpan) -> Void) {
        counts.sentences &+= 1
        if carry.isEmpty {
            body(chunk.extracting(cursor.start..<cursor.end))
        } else {
            body(carry.span.bytes)
            carry.removeAll(keepingCapacity: true)
        }
    }

    /// Advances to the end of the next valid sentence; returns false at the end of the chunk.
    mutating func advance(in chunk: RawSpan, cursor: inout Cursor) -> Bool {
        while cursor.offset < chunk.byteCount {
            let found =
                switch state {
                case .idle: seek(in: chunk, cursor: &cursor)
                case .afterHash: readAfterHash(in: chunk, cursor: &cursor)
                case .body: readBody(in: chunk, cursor: &cursor)
                case .checksum(let value, let digits):
                    readChecksum(in: chunk, cursor: &cursor, after: value, digits: digits)
                case .overlong: skipLine(in: chunk, cursor: &cursor)
                }
            if found { return true }
        }
        if case .body = state { saveToCarry(chunk, from: cursor.start, to: chunk.byteCount) }
        counts.bytes &+= chunk.byteCount
        return false
    }
}

extension Framer {
    /// Searches for the start of a sentence.
    private mutating func seek(in chunk: RawSpan, cursor: inout Cursor) -> Bool {
        while cursor.offset < chunk.byteCount {
            let byte = chunk.byte(at: cursor.offset)
            cursor.offset += 1
            if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") {
                begin(&cursor)
                return readBody(in: chunk, cursor: &cursor)
            }
            if byte == UInt8(ascii: "#") {
                state = .afterHash
                return false
            }
            if byte != 10 && byte != 13 { counts.strayBytes &+= 1 }
        }
        return false
    }

    /// Starts a body at the cursor if it is one of Unicore's log sentences.
    private mutating func readAfterHash(in chunk: RawSpan, cursor: inout Cursor) -> Bool {
        if chunk.byte(at: cursor.offset) == UInt8(ascii: "U") {
            begin(&cursor)
        } else {
            counts.strayBytes &+= 1
            state = .idle
        }
        return false
    }

    private mutating func begin(_ cursor: inout Cursor) {
        state = .body
        bodyChecksum = 0
        hasForeignByte = false
        cursor.start = cursor.offset
        if !carry.isEmpty { carry.removeAll(keepingCapacity: true) }
    }

    /// Reads up to the next byte that may end the body and processes that byte.
    private mutating func readBody(in chunk: RawSpan, cursor: inout Cursor) -> Bool {
        cursor.offset = Framer.scan(chunk, from: cursor.offset, into: &bodyChecksum)
        guard cursor.offset < chunk.byteCount else { return false }
        let byte = chunk.byte(at: cursor.offset)
        let end = cursor.offset
        // Do not consume the byte: it may begin the next sentence.
        guard carry.count + end - cursor.start <= Framer.maxLine else { return dropOverlong() }
        cursor.offset += 1
        switch byte {
        case UInt8(ascii: "*"):
            return endBody(in: chunk, cursor: &cursor, end: end)
        case UInt8(ascii: "$"), UInt8(ascii: "!"):
            counts.truncated &+= 1
            begin(&cursor)
            return false
        case 10, 13:
            return endWithoutChecksum(in: chunk, cursor: &cursor, end: end)
        case 0..<32:
            counts.truncated &+= 1
            state = .idle
            return false
        default:
            bodyChecksum ^= byte
            if byte > Framer.lastByte { hasForeignByte = true }
            return false
        }
    }

    /// Processes the checksum after the `*`. If the chunk does not contain both digits, which is
    /// rare, saves the body for the next chunk.
    private mutating func endBody(in chunk: RawSpan, cursor: inout Cursor, end: Int) -> Bool {
        guard cursor.offset + 1 < chunk.byteCount else {
            saveToCarry(chunk, from: cursor.start, to: end)
            if case .body = state { state = .checksum(0, digits: 0) }
            return false
        }
        let high = chunk.byte(at: cursor.offset)
        let low = chunk.byte(at: cursor.offset &+ 1)
        // Fast path for upper-case digits, which nearly all receivers send. Otherwise parse each
        // digit.
        if high == Framer.digit(bodyChecksum >> 4) && low == Framer.digit(bodyChecksum & 15) {
            cursor.offset &+= 2
        } else {
            guard let value = high.hexadecimal else { return reject() }
            cursor.offset += 1
            guard let rest = low.hexadecimal else { return reject() }
            cursor.offset += 1
            guard value << 4 | rest == bodyChecksum else {
                saveToCarry(chunk, from: cursor.start, to: end)
                return continueWithCRC(after: UInt32(value << 4 | rest))
            }
        }
        if !carry.isEmpty { saveToCarry(chunk, from: cursor.start, to: end) }
        cursor.end = end
        return accept(address(in: chunk, at: cursor))
    }

    /// Reads one more digit of a checksum or CRC.
    private mutating func readChecksum(
        in chunk: RawSpan, cursor: inout Cursor, after value: UInt32, digits: Int
    ) -> Bool {
        guard let digit = chunk.byte(at: cursor.offset).hexadecimal else { return reject() }
        cursor.offset += 1
        let value = value << 4 | UInt32(digit)
        switch digits + 1 {
        case 2:
            return value == bodyChecksum ? accept(address(in: chunk, at: cursor)) : continueWithCRC(after: value)
        case 8:
            return value == Checksum.crc32(of: carry.span.bytes) ? accept(nil) : reject()
        default:
            state = .checksum(value, digits: digits + 1)
            return false
        }
    }

    /// Continues after two digits that are no checksum, which may begin a CRC.
    private mutating func continueWithCRC(after value: UInt32) -> Bool {
        guard carry.starts(with: "UNIHEADINGA,".utf8) || carry.starts(with: "KSXT,".utf8) else { return reject() }
        state = .checksum(value, digits: 2)
        return false
    }

    /// Returns the address of the complete body that ends at the cursor.
    @inline(__always)
    private func address(in chunk: RawSpan, at cursor: Cursor) -> StandardAddress? {
        carry.isEmpty ? StandardAddress(chunk.extracting(cursor.start..<cursor.end)) : StandardAddress(carry.span.bytes)
    }

    /// Processes the end of a sentence whose checksum is right.
    private mutating func accept(_ address: StandardAddress?) -> Bool {
        if hasForeignByte, address?.hasText != true { return reject() }
        state = .idle
        policy.recordValidChecksum(of: address)
        return true
    }

    /// `~`, the last byte of a sentence without text (IEC 61162-1 has bytes up to 0x7E).
    private static let lastByte: UInt8 = 0x7E

    /// Returns the hexadecimal digit of a value from 0 to 15.
    @inline(__always)
    private static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 48 : 55) }

    /// Drops a line whose checksum is wrong or not hexadecimal, or that has a foreign byte.
    private mutating func reject() -> Bool {
        counts.checksumErrors &+= 1
        state = .idle
        carry.removeAll(keepingCapacity: true)
        return false
    }

    /// Handles a line that ends without a checksum.
    private mutating func endWithoutChecksum(in chunk: RawSpan, cursor: inout Cursor, end: Int) -> Bool {
        state = .idle
        cursor.end = end
        if !carry.isEmpty { saveToCarry(chunk, from: cursor.start, to: end) }
        let address = address(in: chunk, at: cursor)
        let isAccepted = address.map { (!hasForeignByte || $0.hasText) && policy.accepts($0) } ?? false
        if !isAccepted {
            counts.missingChecksums &+= 1
            carry.removeAll(keepingCapacity: true)
        }
        return isAccepted
    }

    /// Saves a part of the body for the next chunk.
    private mutating func saveToCarry(_ chunk: RawSpan, from start: Int, to end: Int) {
        guard carry.count + end - start <= Framer.maxLine else {
            _ = dropOverlong()
            return
        }
        for index in start..<end { carry.append(chunk.byte(at: index)) }
    }

    private mutating func dropOverlong() -> Bool {
        counts.overlong &+= 1
        state = .overlong
        carry.removeAll(keepingCapacity: true)
        return false
    }

    /// Skips an overlong line up to a start character or a line end. Does not count its bytes as
    /// stray, because the line is already counted.
    private mutating func skipLine(in chunk: RawSpan, cursor: inout Cursor) -> Bool {
        while cursor.offset < chunk.byteCount {
            switch chunk.byte(at: cursor.offset) {
            case UInt8(ascii: "$"), UInt8(ascii: "!"), 10, 13:
                state = .idle
                return false
            default:
                cursor.offset += 1
            }
        }
        return false
    }

    /// XORs bytes from `offset` up to the first byte that may end a body, and returns its offset.
    /// This is any byte below `+`: controls, `$`, `!`, `*`, and some bytes that do not end a body.
    /// Stops also at a byte above ``lastByte``.
    ///
    /// Processes eight bytes at a time: `x - k` borrows into the top bit of a byte exactly if the
    /// byte is below `k`, and `x + 1` sets it if the byte is 0x7F (S. E. Anderson, "Bit Twiddling
    /// Hacks"). A borrow or carry changes only bytes above the first one that is found.
    @inline(__always)
    private static func scan(_ chunk: RawSpan, from offset: Int, into sum: inout UInt8) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let mark = ones &* 0x2B
        var index = offset
        var wide: UInt64 = 0
        while chunk.containsWord(at: index) {
            let word = chunk.word(at: index)
            let found = ((word &- mark) & ~word | word | (word &+ ones)) & (ones << 7)
            if found != 0 {
                let bits = UInt64(found.trailingZeroBitCount & ~7)
                wide ^= word & ((1 << bits) &- 1)
                sum ^= Checksum.xorOfBytes(wide)
                return index &+ Int(bits >> 3)
            }
            wide ^= word
            index &+= 8
        }
        sum ^= Checksum.xorOfBytes(wide)
        while index < chunk.byteCount {
            let byte = chunk.byte(at: index)
            if byte < 0x2B || byte > lastByte { break }
            sum ^= byte
            index &+= 1
        }
        return index
    }
}

/// Counts of the bytes and lines of one port. Each line counts once, under its first error.
///
/// Malformed input only increments a count. It never causes a trap or a log line of its own.
public struct InputCounts: Sendable, Equatable {
    /// Bytes received.
    public var bytes = 0
    /// Sentences with a correct checksum, and sentences without one of a talker and formatter that
    /// never have one.
    public var sentences = 0
    /// The part of ``sentences`` whose type has no decoder.
    public var unknown = 0
    /// Lines with a wrong checksum, and lines with a byte that only texts contain.
    public var checksumErrors = 0
    /// Rejected lines without a checksum: sentences of the same talker and formatter have one, or
    /// it is not yet known that they never do.
    public var missingChecksums = 0
    /// Lines longer than ``Framer/maxLine``.
    public var overlong = 0
    /// Truncated lines: another sentence or a control byte occurred before their end.
    public var truncated = 0
    /// The part of ``sentences`` with a correct checksum but invalid fields.
    public var malformed = 0
    /// Bytes outside any sentence, without line ends: binary protocols, time stamps before the `$`,
    /// noise.
    public var strayBytes = 0

    /// Creates counts of zero.
    public init() {}
}

// Wrapping arithmetic: offsets are bounded by the length of a chunk, and masks of eight bytes are
// meant to wrap. Counters of 64 bits never get there. This code runs for every byte.

/// The checksum of NMEA 0183: the XOR of all bytes between the `$` and the `*`.
public enum Checksum {
    /// Returns the checksum of a sentence's body. Processes eight bytes at a time.
    public static func of(_ body: RawSpan) -> UInt8 {
        var wide: UInt64 = 0
        var index = 0
        while body.containsWord(at: index) {
            wide ^= body.word(at: index)
            index &+= 8
        }
        return xorOfBytes(wide ^ body.paddedWord(at: index, filler: 0))
    }

    /// Returns the CRC-32 of a body with the polynomial of IEEE 802.3, start value 0 and no final
    /// inversion (NovAtel OEM manuals, "32-Bit CRC"; Unicore has the same).
    package static func crc32(of body: RawSpan) -> UInt32 {
        var crc: UInt32 = 0
        for index in 0..<body.byteCount {
            crc ^= UInt32(body.byte(at: index))
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return crc
    }

    @inline(__always)
    static func xorOfBytes(_ wide: UInt64) -> UInt8 {
        var wide = wide ^ wide >> 32
        wide ^= wide >> 16
        return UInt8(truncatingIfNeeded: wide ^ wide >> 8)
    }
}
