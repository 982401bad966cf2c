import Glibc
import SystemCalls

/// Text files of the system.
enum TextFile {
    /// Whether there is a file at a path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The beginning of a file, 64 KiB at most; empty if it cannot be read. A device or a pipe does
    /// not delay this.
    static func text(of path: String) -> String {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return "" }
        let file = FileDescriptor(owning: number)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = uninterrupted { read(file.number, &buffer, buffer.count) }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
