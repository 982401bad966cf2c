import CLinux
import Chronology
import Glibc

/// A small file of the state directory, read and replaced as a whole.
package struct AtomicFile: Sendable {
    /// The maximum number of bytes to read; this program writes no longer files.
    package static let limit = 32 * 1024

    /// The system calls that make a replacement durable. Tests observe their order.
    struct Calls {
        /// Writes the data of an open file to disk; -1 with `errno` on failure.
        var synchronize: (Int32) -> Int32 = { fsync($0) }
        /// Renames a file; -1 with `errno` on failure.
        var rename: (String, String) -> Int32 = { Glibc.rename($0, $1) }
    }

    /// The path of the file; its directory must exist.
    package let path: String
    private let mode: mode_t?
    private let isDurable: Bool

    /// Creates a reference to the file at `path`, which need not exist.
    ///
    /// - Parameters:
    ///   - mode: The mode of the file, whatever the mask is; nil: 0644, less the mask.
    ///   - isDurable: Whether a new file is on disk when ``replace(with:)`` returns.
    package init(path: String, mode: mode_t? = nil, isDurable: Bool = true) {
        self.path = path
        self.mode = mode
        self.isDurable = isDurable
    }

    /// Returns the contents of the file. Opens it without blocking: a pipe in its place reads as
    /// empty.
    ///
    /// - Throws: `SystemError`; ENOENT if there is no file.
    package func contents(limit: Int = Self.limit) throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
        return try file.contents(of: path, limit: limit)
    }

    /// Replaces the file atomically: after a crash, either the old or the new file exists.
    ///
    /// - Throws: `SystemError`; the old file is then unchanged, or only the directory could not be
    ///   written to disk.
    package func replace(with text: String) throws(SystemError) { try replace(with: Array(text.utf8)) }

    /// Replaces the file in the same way.
    package func replace(with bytes: [UInt8]) throws(SystemError) { try replace(with: bytes, using: Calls()) }

    func replace(with bytes: [UInt8], using calls: Calls) throws(SystemError) {
        let temporary = path + ".new"
        do throws(SystemError) {
            try write(bytes, to: temporary, using: calls)
            try systemCall("replacing \(path)") { calls.rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        try synchronizeDirectory(using: calls)
    }

    /// Waits until the new name is on disk. Before that, a power cut brings the old file back.
    private func synchronizeDirectory(using calls: Calls) throws(SystemError) {
        guard isDurable else { return }
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let file = FileDescriptor(
            owning: try systemCall("opening \(directory)") { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        // Some file systems, such as FUSE's, cannot do that.
        do throws(SystemError) {
            try systemCall("writing \(directory) to disk") { calls.synchronize(file.number) }
        } catch  where error.code == EINVAL || error.code == ENOTSUP {}
    }

    private func write(_ bytes: [UInt8], to temporary: String, using calls: Calls) throws(SystemError) {
        // A link in its place is removed, not followed.
        _ = unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let initial: mode_t = mode == nil ? 0o644 : 0o600
        let file = FileDescriptor(owning: try systemCall("opening \(temporary)") { open(temporary, flags, initial) })
        let number = file.number
        if let mode { try systemCall("changing the mode of \(temporary)") { fchmod(number, mode) } }
        try file.write(bytes, to: temporary)
        if isDurable { try systemCall("writing \(temporary) to disk") { calls.synchronize(number) } }
    }
}

/// When an ``AtomicFile`` is written whose contents have revisions: after a change, and again a
/// minute after a failure, then twice as long, up to an hour.
package struct SaveSchedule {
    private var saved: UInt64
    private var backoff = ExponentialBackoff()
    /// When a failed attempt is repeated; nil if the last one succeeded.
    package private(set) var retryAt: Instant?

    /// Creates the schedule of a file.
    ///
    /// - Parameter saved: The revision that is on disk.
    package init(saved: UInt64) { self.saved = saved }

    package func isSaved(_ revision: UInt64) -> Bool { revision == saved }

    /// Returns whether the file is to be written now.
    package func isDue(_ revision: UInt64, at now: Instant) -> Bool {
        !isSaved(revision) && retryAt.map { $0 <= now } ?? true
    }

    /// Records that a revision was written.
    package mutating func succeeded(_ revision: UInt64) {
        (saved, retryAt) = (revision, nil)
        backoff.reset()
    }

    /// Records a failed attempt.
    package mutating func failed(at now: Instant) {
        retryAt = now + backoff.next(from: .seconds(60), max: .seconds(3600))
    }
}
