import CLinux
import Glibc
import SystemCalls

/// A small file of the state directory: read whole, replaced whole.
public struct StateFile: Sendable {
    /// Bytes read at most; what is longer is not what was written.
    static let limit = 32 * 1024

    /// The file; its directory must exist.
    public let path: String

    /// The file at `path`, whether it is there or not.
    public init(path: String) {
        self.path = path
    }

    /// What is in it. Opened without waiting: a pipe in its place is empty, and holds nobody up.
    ///
    /// - Throws: `SystemError`; ENOENT when there is no file.
    public func contents() throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        var used = 0
        while used < bytes.count {
            let count = try systemCall("reading \(path)") {
                bytes.withUnsafeMutableBytes { room in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: room[used...])
                    return read(file.number, rest.baseAddress, rest.count)
                }
            }
            if count == 0 { break }
            used += count
        }
        return Array(bytes.prefix(used))
    }

    /// Replaces the file as a whole: after a crash there is the old one or the new one.
    ///
    /// - Throws: `SystemError`; the old file is untouched then.
    public func replace(with text: String) throws(SystemError) {
        let temporary = path + ".new"
        do throws(SystemError) {
            try write(Array(text.utf8), to: temporary)
            try systemCall("replacing \(path)") { rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to temporary: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let file = FileDescriptor(owning: try systemCall("opening \(temporary)") { open(temporary, flags, 0o644) })
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try systemCall("writing \(temporary)") {
                rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
        try systemCall("writing \(temporary) to the disk") { fsync(file.number) }
    }
}
