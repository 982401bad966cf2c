/// Whether a line without a checksum may be believed.
///
/// A few receivers never send checksums (old marine ones, and loggers that strip them). Their lines are taken once ``patience`` lines in
/// a row have shown the habit. One good checksum ends the matter for the life of the port: from then on a line without one was damaged.
struct ChecksumPolicy: Sendable {
    /// Well-formed lines without a checksum to see before any is believed.
    static let patience = 3

    private var sendsChecksums = false
    private var unchecked = 0

    mutating func sawGoodChecksum() {
        sendsChecksums = true
    }

    /// Whether to believe the line whose bytes after the `$` are `body`. Never true of proprietary lines: acknowledgements steer the port.
    mutating func believes(_ body: RawSpan) -> Bool {
        guard !sendsChecksums, ChecksumPolicy.looksLikeSentence(body) else { return false }
        unchecked += 1
        return unchecked > ChecksumPolicy.patience && body.byte(at: 0) != UInt8(ascii: "P")
    }

    /// Five or more capitals or digits and a comma.
    private static func looksLikeSentence(_ body: RawSpan) -> Bool {
        var at = 0
        while at < body.byteCount, body.byte(at: at).isCapitalOrDigit { at += 1 }
        return at >= 5 && at < body.byteCount && body.byte(at: at) == UInt8(ascii: ",")
    }
}
