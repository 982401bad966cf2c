/// A rule that the daemon keeps whatever happens. The numbers are those of the trace and of
/// `--break`.
struct Invariant {
    /// The number, which never changes.
    let number: Int
    /// What must hold, as a sentence.
    let sentence: String

    init(_ number: Int, _ sentence: String) { (self.number, self.sentence) = (number, sentence) }

    /// All invariants, by their numbers.
    static let all = (updates + events + permission + ports + programs + store + recovery + wakeups).sorted {
        $0.number < $1.number
    }
}

/// A violated invariant.
struct Violation: Error, CustomStringConvertible {
    let invariant: Int
    /// What was seen.
    let detail: String

    var description: String {
        let sentence = Invariant.all.first { $0.number == invariant }?.sentence ?? ""
        return "invariant \(invariant) (\(sentence)): \(detail)"
    }
}
