/// Decides whether to accept a line without a checksum.
///
/// A few old marine receivers never send checksums, and some loggers strip them. The policy accepts
/// their lines after ``rejectedBeforeTrust`` well-formed lines without a checksum. One correct
/// checksum ends this for as long as the port is open: a later line without a checksum is damaged.
struct ChecksumPolicy: Sendable {
    /// The number of well-formed lines without a checksum to reject before the policy accepts one.
    static let rejectedBeforeTrust = 3

    private var sendsChecksums = false
    private var uncheckedLineCount = 0

    mutating func recordValidChecksum() {
        sendsChecksums = true
    }

    /// Returns whether to accept the line with the bytes `body` after the `$`. Rejects all
    /// proprietary lines, because acknowledgements control the receiver driver.
    mutating func accepts(_ body: RawSpan) -> Bool {
        guard !sendsChecksums, ChecksumPolicy.isWellFormed(body) else { return false }
        uncheckedLineCount += 1
        return uncheckedLineCount > ChecksumPolicy.rejectedBeforeTrust && body.byte(at: 0) != UInt8(ascii: "P")
    }

    /// Returns whether the line begins with five or more capitals or digits and a comma.
    private static func isWellFormed(_ body: RawSpan) -> Bool {
        var index = 0
        while index < body.byteCount, body.byte(at: index).isCapitalOrDigit { index += 1 }
        return index >= 5 && index < body.byteCount && body.byte(at: index) == UInt8(ascii: ",")
    }
}
