import Glibc
import SystemCalls

/// A temporary directory of one test, removed with the object.
final class Scratch {
    let path: String

    init() throws {
        var template = Array("/tmp/sextant-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError(code: errno, operation: "making a directory below /tmp")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns a path in the directory.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the directory, sorted.
    var names: [String] { Scratch.names(in: path).filter { $0 != "." && $0 != ".." }.sorted() }

    deinit { Scratch.remove(path) }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) where name != "." && name != ".." { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names
    }
}

/// Returns the bytes of a file; empty if the file does not exist.
func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
}

/// Replaces the bytes of a file.
func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
}
