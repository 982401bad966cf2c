/// The commands for a receiver that the line has not accepted yet.
struct PortWriter {
    /// The maximum number of bytes of commands, a few of the longest ones.
    static let capacity = 1024
    /// The maximum number of bytes when corrections are appended: those of four seconds. A line
    /// that is slower than its corrections gets whole frames of some of them.
    static let correctionCapacity = 4096

    private(set) var unsent: [UInt8] = []

    var isEmpty: Bool { unsent.isEmpty }

    /// Appends a command. A command that does not fit is dropped as a whole, because a partial
    /// command would be invalid.
    ///
    /// - Returns: Whether it fitted.
    mutating func append(_ command: [UInt8]) -> Bool {
        guard unsent.count + command.count <= PortWriter.correctionCapacity + PortWriter.capacity else { return false }
        unsent += command
        return true
    }

    /// Appends frames of corrections, or none of them.
    ///
    /// - Returns: Whether they fitted.
    mutating func append(corrections: [UInt8]) -> Bool {
        guard unsent.count + corrections.count <= PortWriter.correctionCapacity else { return false }
        unsent += corrections
        return true
    }

    /// Removes bytes that were written.
    mutating func removeFirst(_ count: Int) { unsent.removeFirst(min(count, unsent.count)) }
}
