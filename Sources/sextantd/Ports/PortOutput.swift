/// The commands for a receiver that the line has not accepted yet.
struct PortOutput {
    /// The maximum number of bytes, a few of the longest commands.
    static let capacity = 1024

    private(set) var unsent: [UInt8] = []

    var isEmpty: Bool { unsent.isEmpty }

    /// Appends a command. A command that does not fit is dropped as a whole, because a partial
    /// command would be invalid.
    ///
    /// - Returns: Whether it fitted.
    mutating func append(_ command: [UInt8]) -> Bool {
        guard unsent.count + command.count <= PortOutput.capacity else { return false }
        unsent += command
        return true
    }

    /// Removes bytes that were written.
    mutating func removeFirst(_ count: Int) { unsent.removeFirst(min(count, unsent.count)) }
}
