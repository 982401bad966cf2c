/// The type of a sentence as a user writes it: `RMC` for all talkers, or `GNRMC`.
package enum SentenceType {
    /// Whether a text is a type: three letters and digits, or up to eight with a talker.
    package static func isValid(_ text: String) -> Bool {
        (3...8).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    }
}
