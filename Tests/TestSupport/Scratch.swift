import Glibc
import SystemCalls

/// A temporary directory of one test, removed with the object.
package final class Scratch {
    package let path: String

    package init() throws {
        var template = Array("/tmp/sextant-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError(code: errno, operation: "making a directory below /tmp")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Programs of other users must reach the sockets and ports in it.
        chmod(path, 0o755)
    }

    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in the directory.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let path = self(name)
        let file = FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) })
        let bytes = Array(text.utf8)
        try systemCall("writing \(path)") { Glibc.write(file.number, bytes, bytes.count) }
        return path
    }

    deinit { Scratch.remove(path) }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names in the directory, sorted.
    package var names: [String] { Scratch.names(in: path) }

    /// Returns the names in a directory, sorted; none if there is no such directory.
    package static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Copies the files to another directory, as they are for another process.
    package func copyFiles(to other: Scratch) {
        for name in names {
            let bytes = Scratch.bytes(of: self(name))
            guard let file = fopen(other(name), "w") else { continue }
            defer { fclose(file) }
            fwrite(bytes, 1, bytes.count, file)
        }
    }

    /// Returns the contents of a file as text; empty if the file does not exist.
    package static func text(of path: String) -> String { String(decoding: bytes(of: path), as: UTF8.self) }

    private static func bytes(of path: String) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return [] }
        let file = FileDescriptor(owning: number)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file.number, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        return bytes
    }
}
