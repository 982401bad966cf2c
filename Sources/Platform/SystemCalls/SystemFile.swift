import Glibc

/// Reads the short files and links of the kernel, such as those under /proc and /sys.
package enum SystemFile {
    /// Returns the first line of a file, at most 255 bytes; nil if it cannot be read.
    package static func firstLine(of path: String) -> String? {
        let file = uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var bytes = [UInt8](repeating: 0, count: 255)
        let count = uninterrupted { read(file, &bytes, bytes.count) }
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self)
    }

    /// Returns the target of a symbolic link, at most 4,095 bytes; nil if it is not a link.
    package static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 4095)
        let count = readlink(link, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
