import Glibc

/// A capture on disk or on standard input.
enum CaptureFile {
    /// What is larger than this is no capture; a day at 10 Hz is a fifth of it.
    private static let largest = 2 << 30

    /// All bytes of a file; `-` is standard input.
    ///
    /// - Parameter what: What the file should be, for whoever has to be told that it is not there.
    static func read(_ path: String, as what: String = "capture") throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, what, errno) }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = part.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, what, errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: part[..<count])
            guard bytes.count <= largest else { throw CommandError("\(path) is larger than 2 GiB: that is no \(what)") }
        }
    }

    /// The program that opens what is compressed, by its first bytes (RFC 1952, RFC 8878, the xz file format 1.1, bzip2); nil where it is not.
    static func opener(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x1F, 0x8B]) { return "zcat" }
        if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstdcat" }
        if bytes.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return "xzcat" }
        return bytes.starts(with: [0x42, 0x5A, 0x68]) ? "bzcat" : nil
    }

    private static func failure(_ path: String, _ what: String, _ code: Int32) -> CommandError {
        let isCapture = what == "capture"
        let mend = isCapture ? "sextant record makes one, '-' reads standard input" : "check its name: ls"
        switch code {
        case ENOENT: return CommandError("there is no \(what) \(path); \(mend)", .noInput)
        case EACCES: return CommandError("the \(what) \(path) may not be read by this user: ls -l \(path)", .noInput)
        case EISDIR:
            return CommandError("\(path) is a directory; name \(isCapture ? "the captures" : "a file") in it: \(path)/*", .noInput)
        default: return CommandError("cannot read the \(what) \(path): \(String(cString: strerror(code)))", .noInput)
        }
    }

    /// The file's name without folders and ending: what its receiver is called.
    static func receiverName(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return path == "-" ? "stdin" : name }
        return String(name[..<dot])
    }
}
