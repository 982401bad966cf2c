import Glibc
import SystemCalls

// The files that the simulator reads and writes.

extension SimulatorOptions.Source {
    /// Reads a file: a GPX track or route if it begins with `<`, otherwise a capture.
    ///
    /// - Throws: ``SystemError`` if the file cannot be read.
    package static func file(at path: String) throws(SystemError) -> SimulatorOptions.Source {
        .file(path: path, contents: try readFile(path))
    }
}

extension SimulatedCapture {
    /// Writes header and bytes to a file atomically.
    ///
    /// - Throws: The errors of ``bytes(_:progress:)``, and ``SystemError`` if the file cannot
    ///   be written.
    package static func write(
        _ options: SimulatorOptions, header: Header, to path: String, progress: (Int) -> Void
    ) throws {
        try writeFile(path, contents: Array(header.text.utf8) + bytes(options, progress: progress))
    }
}

/// Returns the contents of a file.
///
/// - Throws: ``SystemError``; also if the file is larger than 64 MiB (`EFBIG`).
package func readFile(_ path: String) throws(SystemError) -> [UInt8] {
    let file = try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = try systemCall("reading \(path)") {
            buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
        guard bytes.count <= 64 << 20 else { throw SystemError(code: EFBIG, operation: "reading \(path)") }
    }
}

/// Writes bytes to a file, which keeps its old contents until all of them are written.
///
/// - Throws: ``SystemError``.
package func writeFile(_ path: String, contents bytes: [UInt8]) throws(SystemError) {
    let temporaryPath = "\(path).\(getpid())"
    let file = try systemCall("writing \(path)") {
        open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    }
    defer { close(file) }
    do {
        var sent = 0
        while sent < bytes.count {
            sent += try systemCall("writing \(path)") {
                bytes[sent...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            }
        }
        try systemCall("writing \(path)") { rename(temporaryPath, path) }
    } catch {
        unlink(temporaryPath)
        throw error
    }
}
