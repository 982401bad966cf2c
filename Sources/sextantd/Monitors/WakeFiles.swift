import Glibc
import Permission
import SystemCalls

/// The files that show which monitors have an event that waits while no client has them open.
///
/// A path unit of systemd starts the program that owns the monitor while its file exists. The files
/// are in a directory for each user beside the socket: `wake/1000/home`, or
/// `wake/1000/user:boat.service:home` for a monitor of a service. Only the user can read the
/// directory, because an event shows movement.
struct WakeFiles {
    /// The user and the name of a file.
    struct Name: Hashable {
        var user: UInt32
        var file: String

        /// Creates the name of a monitor's file: the unit and a comma with the namespace, if there
        /// are any, and a colon before the name of the monitor. Nil if an earlier version stored a
        /// program that has no safe name.
        init?(_ key: MonitorKey) {
            let namespace = key.owner.namespace.map { ",\($0)" } ?? ""
            let program = (key.owner.qualifiedUnit ?? "") + namespace
            let file = program.isEmpty ? key.name : "\(program):\(key.name)"
            guard (1...Name.maxLength).contains(file.utf8.count), file.utf8.first != UInt8(ascii: "."),
                file.utf8.allSatisfy(Name.isSafe)
            else { return nil }
            (user, self.file) = (key.owner.user, file)
        }

        /// The longest name of a file in bytes.
        private static let maxLength = 255

        private static func isSafe(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: ":-_.\\@,".utf8.contains(byte)
            }
        }
    }

    private let directory: String
    /// The files that exist.
    private var existing: Set<Name> = []

    /// - Parameter socket: The path of the daemon's socket.
    init(besideSocket socket: String) {
        let parent = socket.lastIndex(of: "/").map { socket[...$0] } ?? ""
        directory = "\(parent)wake"
    }

    /// Creates or removes the file of a monitor.
    mutating func set(_ name: Name, waits: Bool) throws(SystemError) {
        if waits {
            guard !existing.contains(name) else { return }
            try create(name)
            existing.insert(name)
        } else if existing.contains(name) {
            try remove("\(directory)/\(name.user)/\(name.file)")
            existing.remove(name)
        }
    }

    /// Makes the files those of these monitors. Others of an earlier run are removed.
    mutating func replace(with names: Set<Name>) throws(SystemError) {
        existing = []
        let expected = Set(names.map { "\($0.user)/\($0.file)" })
        for user in WakeFiles.entries(of: directory) {
            for file in WakeFiles.entries(of: "\(directory)/\(user)") where !expected.contains("\(user)/\(file)") {
                try remove("\(directory)/\(user)/\(file)")
            }
        }
        for name in names.sorted(by: { ($0.user, $0.file) < ($1.user, $1.file) }) { try set(name, waits: true) }
    }

    private func create(_ name: Name) throws(SystemError) {
        let parent = "\(directory)/\(name.user)"
        if access(parent, F_OK) != 0 {
            try Directory.make(directory)
            // The umask of the service does not apply to what everybody may read.
            try systemCall("setting the permissions of \(directory)") { chmod(directory, 0o755) }
            try Directory.make(parent, mode: 0o700)
            try UserAccess.grantReading(of: parent, to: name.user)
        }
        let path = "\(parent)/\(name.file)"
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = try systemCall("creating \(path)") { open(path, flags, 0o600) }
        _ = FileDescriptor(owning: file)
    }

    private func remove(_ path: String) throws(SystemError) {
        do throws(SystemError) { try systemCall("removing \(path)") { unlink(path) } } catch
            where error.code == ENOENT
        {}
    }

    private static func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
