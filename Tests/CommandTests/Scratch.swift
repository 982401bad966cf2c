import Glibc

/// A temporary directory of one test, removed with the object.
final class Scratch {
    struct Failure: Error {}

    let path: String

    init() throws {
        var template = Array("/tmp/sextant-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// The names of the files in the directory, sorted.
    var entries: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    deinit {
        for name in entries { unlink(path + "/" + name) }
        rmdir(path)
    }
}
