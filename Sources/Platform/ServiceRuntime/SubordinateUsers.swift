import CLinux
import Glibc
import SystemCalls

/// The owners of subordinate user IDs (subuid(5)).
///
/// A user may run programs under the IDs of their ranges, in a user namespace (newuidmap(1)). The
/// kernel reports such an ID as the peer of a socket. Without this table, each of the 65,536 IDs of
/// a user would be another user, about whom nobody has decided, with limits of its own.
package struct SubordinateUsers: Sendable {
    private struct Range {
        var ids: ClosedRange<UInt32>
        /// A name or an ID.
        var owner: String
    }

    private var ranges: [Range] = []

    /// Creates a table without ranges.
    package init() {}

    /// Reads the lines `OWNER:FIRST:COUNT` of a file. Lines of another form are skipped, as
    /// newuidmap does.
    package init(text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 3, let first = UInt32(fields[1]), let count = UInt32(fields[2]), count > 0,
                case let (last, overflows) = first.addingReportingOverflow(count - 1), !overflows
            else { continue }
            ranges.append(Range(ids: first...last, owner: String(fields[0])))
        }
    }

    /// Returns the user to whom an ID belongs: the owner of its range, else the ID itself. A
    /// container of the administrator gets no rights of the administrator.
    ///
    /// - Parameter user: Returns the ID of a name; nil if there is no such user. Only names of
    ///   ranges that contain the ID are looked up.
    package func owner(of id: UInt32, user: (String) -> UInt32?) -> UInt32 {
        for range in ranges where range.ids.contains(id) {
            if let owner = UInt32(range.owner) ?? user(range.owner), owner != 0 { return owner }
        }
        return id
    }
}

/// The table of a file, which is read again when the file changes.
package final class SubordinateUserFile {
    /// What changes when the file is replaced or written.
    private struct Version: Equatable {
        var inode: ino_t
        var size: off_t
        var seconds: Int
        var nanoseconds: Int
    }

    /// The length of the file in bytes, at most: some 20,000 users.
    private static let maxLength = 1 << 20

    private let path: String
    private let report: (SystemError) -> Void
    private var version: Version?
    private var table = SubordinateUsers()

    /// Creates the table of a file, which need not exist.
    ///
    /// - Parameter report: Gets the error if the file exists and cannot be read. No ID has an owner
    ///   then.
    package init(path: String = "/etc/subuid", report: @escaping (SystemError) -> Void) {
        (self.path, self.report) = (path, report)
    }

    /// Returns the user to whom an ID belongs. Costs one system call while the file is the same.
    package func owner(of id: UInt32) -> UInt32 {
        // The administrator and this program are never a part of another user.
        guard id != 0, id != geteuid() else { return id }
        let present = currentVersion()
        if present != version {
            version = present
            do throws(SystemError) {
                let text = present == nil ? "" : try text()
                table = SubordinateUsers(text: text)
            } catch {
                table = SubordinateUsers()
                report(error)
            }
        }
        return table.owner(of: id) { getpwnam($0)?.pointee.pw_uid }
    }

    private func currentVersion() -> Version? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Version(
            inode: status.st_ino, size: status.st_size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    private func text() throws(SystemError) -> String {
        let file = FileDescriptor(owning: try systemCall("reading \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < SubordinateUserFile.maxLength {
            let count = try systemCall("reading \(path)") { read(file.number, &buffer, buffer.count) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
