/// Why something could not be kept or found again.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done, as "opening /var/lib/sextant/sextant.db".
    public var action: String
    /// What stood against it, in SQLite's words.
    public var reason: String
    /// SQLite's extended result code; 0 where it was not SQLite.
    public var code: Int32

    /// A failure.
    public init(_ action: String, _ reason: String, code: Int32 = 0) {
        self.action = action
        self.reason = reason
        self.code = code
    }

    /// One sentence.
    public var description: String { "\(action): \(reason)" }
}
