/// A sentence as it is sent.
package enum SentenceLine {
    /// Returns a body with `$`, checksum and line ending.
    package static func text(_ body: String, end: String = "\r\n") -> String { "$\(body)*\(checksum(body))\(end)" }

    /// Returns the checksum of a body, two hexadecimal digits.
    package static func checksum(_ body: String) -> String {
        let sum = body.utf8.reduce(0, ^)
        return (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
    }
}
