import Glibc

/// Folders and files of a simulated disk, seen from outside.
enum FileTree {
    /// Creates a folder and those above it. Returns whether it exists then.
    static func makeFolders(_ path: String) -> Bool {
        var built = ""
        for part in path.split(separator: "/") {
            built += "/\(part)"
            guard mkdir(built, 0o755) == 0 || errno == EEXIST else { return false }
        }
        return true
    }

    /// Removes a folder with everything in it.
    static func remove(_ path: String) {
        for name in names(in: path) {
            let child = "\(path)/\(name)"
            if unlink(child) != 0 { remove(child) }
        }
        rmdir(path)
    }

    /// Returns the sorted names of a folder, without `.` and `..`.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Writes a text file. Returns whether that succeeded.
    static func write(_ text: String, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        defer { fclose(file) }
        return fputs(text, file) >= 0
    }

    /// Writes a file. Returns whether that succeeded.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        defer { fclose(file) }
        return fwrite(bytes, 1, bytes.count, file) == bytes.count
    }

    /// Returns the bytes of a file; nil if it cannot be read.
    static func bytes(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
        return bytes
    }

    /// Returns the number of bytes of a file; nil if it does not exist.
    static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

/// A run that cannot go on: the simulation itself fails, not the daemon.
struct RunFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
