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
    let file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
    let limit = 64 << 20
    let bytes = try file.contents(of: path, limit: limit + 1)
    guard bytes.count <= limit else { throw SystemError(code: EFBIG, operation: "reading \(path)") }
    return bytes
}

/// Writes bytes to a file, which keeps its old contents until all of them are written.
///
/// - Throws: ``SystemError``.
package func writeFile(_ path: String, contents bytes: [UInt8]) throws(SystemError) {
    let temporaryPath = "\(path).\(getpid())"
    let file = FileDescriptor(
        owning: try systemCall("writing \(path)") {
            open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        })
    do throws(SystemError) {
        try file.write(bytes, to: path)
        try systemCall("writing \(path)") { rename(temporaryPath, path) }
    } catch {
        unlink(temporaryPath)
        throw error
    }
}
