/// Decides whether to accept a line without a checksum.
///
/// A few old marine receivers never send checksums, and some loggers and multiplexers strip them.
/// Behind a multiplexer such a receiver shares the port with instruments that send checksums. The
/// policy therefore learns for each talker and formatter whether its sentences have checksums. An
/// address that has had one keeps its rule for as long as the port is open: a later line of it
/// without a checksum is damaged.
///
/// Other lines without a checksum are accepted after ``rejectedBeforeTrust`` rejected ones: of any
/// address if no sentence of the port has had a checksum, otherwise of the same address.
struct ChecksumPolicy: Sendable {
    /// The number of well-formed lines without a checksum to reject before the policy accepts one.
    static let rejectedBeforeTrust = 3
    /// The maximum number of addresses to learn; later ones need a checksum. A boat with AIS has
    /// some forty.
    static let maxAddresses = 64

    private var sendsChecksums = false
    private var uncheckedLineCount = 0
    /// What is known of each address, at the first free place from its hash on. The low 40 bits are
    /// the address, the others ``checked`` or the number of lines without a checksum.
    private var known = [UInt64](repeating: 0, count: ChecksumPolicy.maxAddresses)

    /// The state of an address that has had a checksum.
    private static let checked: UInt64 = 0xFF_FFFF

    /// Records a valid checksum of a sentence with the address; nil if it is not a standard one.
    @inline(__always)
    mutating func recordValidChecksum(of address: StandardAddress?) {
        sendsChecksums = true
        guard let address, let index = index(of: address) else { return }
        let entry = address.letters | ChecksumPolicy.checked << 40
        // Writing only once per address keeps this fast.
        if known[index] != entry { known[index] = entry }
    }

    /// Records a line without a checksum and returns whether to accept it.
    mutating func accepts(_ address: StandardAddress) -> Bool {
        guard address.isWellFormed else { return false }
        var count = 0 as UInt64
        if let index = index(of: address) {
            let state = known[index] >> 40
            if state == ChecksumPolicy.checked { return false }
            count = min(state + 1, UInt64(ChecksumPolicy.rejectedBeforeTrust) + 1)
            known[index] = address.letters | count << 40
        }
        uncheckedLineCount += 1
        return (sendsChecksums ? Int(count) : uncheckedLineCount) > ChecksumPolicy.rejectedBeforeTrust
    }

    /// Returns the place of an address, which is empty if nothing is known of it; nil if it has no
    /// place and none is free.
    private func index(of address: StandardAddress) -> Int? {
        // The product of a multiplicative hash (Knuth, The Art of Computer Programming, 6.4) is
        // meant to wrap.
        let home = Int(truncatingIfNeeded: (address.letters &* 0x9E37_79B9_7F4A_7C15) >> 58)
        for step in 0..<ChecksumPolicy.maxAddresses {
            let index = (home + step) % ChecksumPolicy.maxAddresses
            let entry = known[index] & 0xFF_FFFF_FFFF
            if entry == address.letters || entry == 0 { return index }
        }
        return nil
    }
}

/// The five letters of talker and formatter of a standard sentence.
struct StandardAddress: Sendable {
    /// The letters as one number, the first in the lowest byte; never 0.
    let letters: UInt64

    /// Reads the address at the start of a body; nil unless it has five bytes before a comma. Also
    /// nil for proprietary sentences (`P`): their acknowledgements control the receiver driver, so
    /// they always need a checksum.
    @inline(__always)
    init?(_ body: RawSpan) {
        let first = body.containsWord(at: 0) ? body.word(at: 0) : body.paddedWord(at: 0, filler: 0)
        guard first >> 40 & 0xFF == UInt8(ascii: ","), first & 0xFF != UInt8(ascii: "P") else { return nil }
        letters = first & 0xFF_FFFF_FFFF
    }

    /// Whether all letters are capitals or digits.
    var isWellFormed: Bool {
        stride(from: 0, to: 40, by: 8).allSatisfy { UInt8(truncatingIfNeeded: letters >> $0).isCapitalOrDigit }
    }

    /// Whether the sentence contains a text or the names of places, which some devices write in
    /// other alphabets (IEC 61162-1).
    var hasText: Bool {
        let formatters: [StaticString] = [
            "TXT", "ALR", "WPL", "RTE", "RMB", "APB", "AAM", "BOD", "BWC", "BWR", "BWW", "WCV", "WNC", "ZTG",
        ]
        return formatters.contains {
            $0.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } } == letters >> 16
        }
    }
}
