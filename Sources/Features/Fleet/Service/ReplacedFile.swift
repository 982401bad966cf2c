import Glibc
import SystemCalls

/// A small file of the state directory that is replaced as a whole. A link in the place of the new
/// file is removed, not followed.
struct ReplacedFile {
    /// The path of the file.
    let path: String
    /// Its mode, whatever the mask is.
    let mode: mode_t
    /// Whether the contents are on disk when ``replace(with:)`` returns.
    var isDurable = false

    /// Replaces the contents.
    ///
    /// - Throws: `SystemError`; the old file is then unchanged.
    func replace(with bytes: [UInt8]) throws(SystemError) {
        let temporary = path + ".new"
        do throws(SystemError) {
            try write(bytes, to: temporary)
            try systemCall("replacing \(path)") { rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to temporary: String) throws(SystemError) {
        _ = unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = FileDescriptor(owning: try systemCall("creating \(temporary)") { open(temporary, flags, 0o600) })
        let number = file.number
        try systemCall("changing the mode of \(temporary)") { fchmod(number, mode) }
        let count = try systemCall("writing \(temporary)") { Glibc.write(number, bytes, bytes.count) }
        guard count == bytes.count else { throw SystemError(code: ENOSPC, operation: "writing \(temporary)") }
        if isDurable { try systemCall("writing \(temporary) to disk") { fsync(number) } }
    }
}
