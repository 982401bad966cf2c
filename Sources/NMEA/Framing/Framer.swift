/// Cuts a byte stream into NMEA 0183 sentences and verifies their checksums.
///
/// Takes chunks of any size; the result does not depend on where they were cut. Allocates nothing after `init`: a sentence that lies
/// whole in a chunk is passed on in place, one that spans chunks is put together in a fixed buffer.
///
/// A sentence runs from `$` or `!` to the second digit of its checksum or, without a checksum, to CR or LF. It ends early where another
/// starts (two glued together) or where a control byte shows that something was lost. All else is stray, so any binary protocol may be
/// interleaved.
public struct Framer: Sendable {
    /// Bytes after which a line without an end is dropped. NMEA says 82; the longest a vendor documents is 255 (PAIR, PQTM).
    public static let longestLine = 1024

    /// What has been counted so far.
    public internal(set) var counts = InputCounts()

    private enum State {
        /// Between sentences.
        case idle
        /// After the `$`; the body's earlier bytes are in `carry`, its later ones in the present chunk.
        case body
        /// After the `*`; the whole body is in `carry`.
        case star
        /// After the first digit of the checksum, which is held; the whole body is in `carry`.
        case digit(UInt8)
        /// In a line that has grown too long.
        case overlong
    }

    private var state = State.idle
    /// XOR of the body's bytes so far.
    private var sum: UInt8 = 0
    private var policy = ChecksumPolicy()
    private var carry: [UInt8]

    /// A framer at the start of a stream.
    public init() {
        carry = []
        carry.reserveCapacity(Framer.longestLine)
    }

    /// Takes a chunk and calls `sentence` for each good sentence in it with the bytes between the `$` and the `*`.
    public mutating func push(_ chunk: RawSpan, _ sentence: (RawSpan) -> Void) {
        var cursor = Cursor()
        while advance(chunk, &cursor) {
            withBody(chunk, cursor, sentence)
        }
    }

    /// A place in a chunk, and the sentence that was found up to it.
    struct Cursor {
        /// The next byte to look at.
        var at = 0
        /// Where the present body begins in this chunk; what came before is in `carry`.
        var start = 0
        /// Where it ends.
        var end = 0
    }

    /// Calls `sentence` with the body that ``advance`` has found.
    mutating func withBody(_ chunk: RawSpan, _ cursor: Cursor, _ sentence: (RawSpan) -> Void) {
        counts.sentences &+= 1
        if carry.isEmpty {
            sentence(chunk.extracting(cursor.start..<cursor.end))
        } else {
            sentence(carry.span.bytes)
            carry.removeAll(keepingCapacity: true)
        }
    }

    /// Goes on to the end of the next good sentence; false when the chunk is used up.
    mutating func advance(_ chunk: RawSpan, _ cursor: inout Cursor) -> Bool {
        while cursor.at < chunk.byteCount {
            let found =
                switch state {
                case .idle: seek(chunk, &cursor)
                case .body: readBody(chunk, &cursor)
                case .star, .digit: readChecksum(chunk, &cursor)
                case .overlong: skipLine(chunk, &cursor)
                }
            if found { return true }
        }
        if case .body = state { keep(chunk, from: cursor.start, to: chunk.byteCount) }
        counts.bytes &+= chunk.byteCount
        return false
    }
}

extension Framer {
    /// Looks for the start of a sentence.
    private mutating func seek(_ chunk: RawSpan, _ cursor: inout Cursor) -> Bool {
        while cursor.at < chunk.byteCount {
            let byte = chunk.byte(at: cursor.at)
            cursor.at += 1
            if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") {
                begin(&cursor)
                return readBody(chunk, &cursor)
            }
            if byte != 10 && byte != 13 { counts.strayBytes &+= 1 }
        }
        return false
    }

    /// Begins a body at the cursor.
    private mutating func begin(_ cursor: inout Cursor) {
        state = .body
        sum = 0
        cursor.start = cursor.at
        if !carry.isEmpty { carry.removeAll(keepingCapacity: true) }
    }

    /// Reads on to the next byte that may end the body, and deals with it.
    private mutating func readBody(_ chunk: RawSpan, _ cursor: inout Cursor) -> Bool {
        cursor.at = Framer.scan(chunk, from: cursor.at, into: &sum)
        guard cursor.at < chunk.byteCount else { return false }
        let byte = chunk.byte(at: cursor.at)
        let end = cursor.at
        // The byte itself is left where it is: it may begin the next sentence.
        guard carry.count + end - cursor.start <= Framer.longestLine else { return dropOverlong() }
        cursor.at += 1
        switch byte {
        case UInt8(ascii: "*"):
            return endBody(chunk, &cursor, end)
        case UInt8(ascii: "$"), UInt8(ascii: "!"):
            counts.truncated &+= 1
            begin(&cursor)
            return false
        case 10, 13:
            return endUnchecked(chunk, &cursor, end)
        case 0..<32:
            counts.truncated &+= 1
            state = .idle
            return false
        default:
            sum ^= byte
            return false
        }
    }

    /// The `*` has been read. Both digits are almost always in the same chunk; else the body is put by until they come.
    private mutating func endBody(_ chunk: RawSpan, _ cursor: inout Cursor, _ end: Int) -> Bool {
        guard cursor.at + 1 < chunk.byteCount else {
            keep(chunk, from: cursor.start, to: end)
            if case .body = state { state = .star }
            return false
        }
        let high = chunk.byte(at: cursor.at)
        let low = chunk.byte(at: cursor.at &+ 1)
        // As all but a few receivers write it; else digit by digit.
        if high == Framer.digit(sum >> 4) && low == Framer.digit(sum & 15) {
            cursor.at &+= 2
            accept()
        } else {
            guard let value = high.hexadecimal else { return reject() }
            cursor.at += 1
            guard let rest = low.hexadecimal else { return reject() }
            cursor.at += 1
            guard verify(value << 4 | rest) else { return reject() }
        }
        if !carry.isEmpty { keep(chunk, from: cursor.start, to: end) }
        cursor.end = end
        return true
    }

    /// Reads checksum digits that came in a later chunk than the `*`.
    private mutating func readChecksum(_ chunk: RawSpan, _ cursor: inout Cursor) -> Bool {
        guard let value = chunk.byte(at: cursor.at).hexadecimal else { return reject() }
        cursor.at += 1
        guard case .digit(let high) = state else {
            state = .digit(value)
            return false
        }
        return verify(high << 4 | value) || reject()
    }

    private mutating func verify(_ stated: UInt8) -> Bool {
        guard stated == sum else { return false }
        accept()
        return true
    }

    private mutating func accept() {
        state = .idle
        policy.sawGoodChecksum()
    }

    /// A value of 0 ... 15 as a hexadecimal digit.
    @inline(__always)
    private static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 48 : 55) }

    /// The checksum is wrong, or no hexadecimal number.
    private mutating func reject() -> Bool {
        counts.checksumErrors &+= 1
        state = .idle
        carry.removeAll(keepingCapacity: true)
        return false
    }

    /// A line ended without a checksum.
    private mutating func endUnchecked(_ chunk: RawSpan, _ cursor: inout Cursor, _ end: Int) -> Bool {
        state = .idle
        cursor.end = end
        if !carry.isEmpty { keep(chunk, from: cursor.start, to: end) }
        var policy = policy
        let believed = carry.isEmpty ? policy.believes(chunk.extracting(cursor.start..<end)) : policy.believes(carry.span.bytes)
        self.policy = policy
        if !believed {
            counts.missingChecksums &+= 1
            carry.removeAll(keepingCapacity: true)
        }
        return believed
    }

    /// Puts by a part of the body for the next chunk.
    private mutating func keep(_ chunk: RawSpan, from start: Int, to end: Int) {
        guard carry.count + end - start <= Framer.longestLine else {
            _ = dropOverlong()
            return
        }
        for at in start..<end { carry.append(chunk.byte(at: at)) }
    }

    private mutating func dropOverlong() -> Bool {
        counts.overlong &+= 1
        state = .overlong
        carry.removeAll(keepingCapacity: true)
        return false
    }

    /// Passes over an overlong line; a start sign or a line end ends it. Its bytes are not stray: the line has been counted.
    private mutating func skipLine(_ chunk: RawSpan, _ cursor: inout Cursor) -> Bool {
        while cursor.at < chunk.byteCount {
            switch chunk.byte(at: cursor.at) {
            case UInt8(ascii: "$"), UInt8(ascii: "!"), 10, 13:
                state = .idle
                return false
            default:
                cursor.at += 1
            }
        }
        return false
    }

    /// XORs bytes from `offset` up to the first that may end a body: any below `+` (controls, `$`, `!`, `*` and some that do not).
    ///
    /// Eight at a time: `x - k` borrows into a byte's top bit just where the byte is below `k` (S. E. Anderson, "Bit Twiddling Hacks").
    @inline(__always)
    private static func scan(_ chunk: RawSpan, from offset: Int, into sum: inout UInt8) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let mark = ones &* 0x2B
        var at = offset
        var wide: UInt64 = 0
        while chunk.holdsWord(at: at) {
            let word = chunk.word(at: at)
            let found = (word &- mark) & ~word & (ones << 7)
            if found != 0 {
                let bits = UInt64(found.trailingZeroBitCount & ~7)
                wide ^= word & ((1 << bits) &- 1)
                sum ^= Checksum.folded(wide)
                return at &+ Int(bits >> 3)
            }
            wide ^= word
            at &+= 8
        }
        sum ^= Checksum.folded(wide)
        while at < chunk.byteCount {
            let byte = chunk.byte(at: at)
            if byte < 0x2B { break }
            sum ^= byte
            at &+= 1
        }
        return at
    }
}
