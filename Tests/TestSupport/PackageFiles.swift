import Glibc

/// File access for tests.
package enum PackageFiles {
    /// The error of ``read(_:)``.
    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "cannot read \(path)" }
    }

    /// The root directory of this package.
    package static let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
        separator: "/")

    /// Returns the bytes of a file.
    package static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw Unreadable(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    /// Returns the sorted names in a folder that end with one of the suffixes; empty if the folder
    /// does not exist.
    package static func names(in folder: String, ending suffixes: String...) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if suffixes.contains(where: name.hasSuffix) { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns a file name without its extension.
    package static func stem(_ name: String) -> String {
        name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }
}
