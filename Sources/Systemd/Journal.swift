import CLinux
import CSystemd
import Glibc

/// The system's journal, written in its own protocol so that fields stay fields (sd_journal_send(3)).
public enum Journal {
    /// Importance of an entry, as syslog(3) counts it.
    public enum Priority: Int, Sendable, Hashable {
        /// The service cannot go on.
        case critical = 2
        /// Something failed.
        case error = 3
        /// Something may fail.
        case warning = 4
        /// Normal, and worth knowing.
        case notice = 5
        /// Normal.
        case info = 6
        /// For whoever looks for a fault.
        case debug = 7
    }

    /// Whether standard error goes to the journal: JOURNAL_STREAM names its device and inode (systemd.exec(5)).
    ///
    /// False when somebody has redirected it since, and when the service runs in a terminal.
    public static var isStandardError: Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes one entry.
    ///
    /// - Parameters:
    ///   - message: for people; one line.
    ///   - fields: for programs. A name consists of A-Z, 0-9 and `_`, begins with a letter and has at most 64 characters; others are left out.
    /// - Returns: whether the journal took it. It is safe to ignore: there is nowhere left to complain.
    @discardableResult
    public static func write(_ priority: Priority, _ message: String, fields: [(name: String, value: String)] = []) -> Bool {
        let entry = [("MESSAGE", message), ("PRIORITY", "\(priority.rawValue)")] + fields.filter { isFieldName($0.name) }
        return send(entry.map { Array("\($0.0)=\($0.1)".utf8) })
    }

    static func isFieldName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (65...90).contains(first), name.utf8.count <= 64 else { return false }
        return name.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == 95 }
    }

    /// The assignments end to end in one block, so that every vector points into memory that outlives the call.
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
