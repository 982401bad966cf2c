import CLinux
import CSystemd
import Glibc

/// Writes to the system journal in its native protocol, which keeps structured fields
/// (sd_journal_send(3)).
package enum Journal {
    /// The priority of an entry in the numbering of syslog(3).
    package enum Priority: Int, Sendable, Hashable {
        /// The service cannot continue.
        case critical = 2
        /// An operation failed.
        case error = 3
        /// An operation may fail.
        case warning = 4
        /// A normal event of interest.
        case notice = 5
        /// A normal event.
        case info = 6
        /// Details for debugging.
        case debug = 7
    }

    /// Whether standard error is connected to the journal: JOURNAL_STREAM contains its device and
    /// inode (systemd.exec(5)).
    ///
    /// False after a redirection, and if the service runs in a terminal.
    package static var isStandardErrorConnected: Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes an entry.
    ///
    /// - Parameters:
    ///   - message: One line for human readers.
    ///   - fields: Fields for programs. A name consists of A-Z, 0-9 and `_`, begins with a letter
    ///     and has at most 64 characters; fields with other names are dropped.
    /// - Returns: Whether the journal accepted the entry. Callers may ignore it, because no other
    ///   channel can report the failure.
    @discardableResult
    package static func write(_ message: String, priority: Priority, fields: [(name: String, value: String)] = [])
        -> Bool
    {
        let entry =
            [("MESSAGE", message), ("PRIORITY", "\(priority.rawValue)")] + fields.filter { isFieldName($0.name) }
        return send(entry.map { Array("\($0.0)=\($0.1)".utf8) })
    }

    static func isFieldName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (65...90).contains(first), name.utf8.count <= 64 else { return false }
        return name.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == 95 }
    }

    /// Sends the assignments from one contiguous block, so that all vectors point to memory that
    /// stays valid during the call.
    private static func send(_ assignments: [[UInt8]]) -> Bool {
        var block = Array(assignments.joined())
        return block.withUnsafeMutableBytes { bytes in
            var offset = 0
            let vectors = assignments.map { assignment in
                defer { offset += assignment.count }
                return iovec(iov_base: bytes.baseAddress.map { $0 + offset }, iov_len: assignment.count)
            }
            return sd_journal_sendv(vectors, Int32(clamping: vectors.count)) == 0
        }
    }
}
