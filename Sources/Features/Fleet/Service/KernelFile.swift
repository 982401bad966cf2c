import Glibc

/// A short text file of the kernel.
enum KernelFile {
    /// Returns the first `limit` bytes of a file; nil if it cannot be read.
    static func text(_ path: String, limit: Int = 4096) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = fread(&buffer, 1, limit, file)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    /// Returns the first line of a file; nil if it cannot be read.
    static func line(_ path: String) -> String? {
        text(path).map { String($0.prefix { $0 != "\n" }) }
    }
}
