import CLinux
import Glibc

/// The whole of a file.
///
/// - Throws: ``SystemFailure``; also when it is larger than 64 MiB (`EFBIG`).
func readFile(_ path: String) throws(SystemFailure) -> [UInt8] {
    let file = try system("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = try system("read \(path)") { buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) } }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
        guard bytes.count <= 64 << 20 else { throw SystemFailure(action: "read \(path)", code: EFBIG) }
    }
}

/// Puts bytes into a file, which keeps its old contents until all of them are written.
///
/// - Throws: ``SystemFailure``.
func writeFile(_ path: String, _ bytes: [UInt8]) throws(SystemFailure) {
    let draft = "\(path).\(getpid())"
    let file = try system("write \(path)") { open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    defer { close(file) }
    do {
        var sent = 0
        while sent < bytes.count {
            sent += try system("write \(path)") { bytes[sent...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
        }
        try system("write \(path)") { rename(draft, path) }
    } catch {
        unlink(draft)
        throw error
    }
}
