import Glibc

/// A capture on disk or on standard input.
enum CaptureFile {
    /// What is larger than this is no capture; a day at 10 Hz is a fifth of it.
    private static let largest = 2 << 30

    /// All bytes of a file; `-` is standard input.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = part.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: part[..<count])
            guard bytes.count <= largest else { throw CommandError("\(path) is larger than 2 GiB: that is no capture") }
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandError {
        switch code {
        case ENOENT: CommandError("there is no capture \(path); sextant record makes one, '-' reads standard input", .noInput)
        case EACCES: CommandError("the capture \(path) may not be read by this user: ls -l \(path)", .noInput)
        case EISDIR: CommandError("\(path) is a directory; name the captures in it: \(path)/*", .noInput)
        default: CommandError("cannot read the capture \(path): \(String(cString: strerror(code)))", .noInput)
        }
    }

    /// The file's name without folders and ending: what its receiver is called.
    static func receiverName(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return path == "-" ? "stdin" : name }
        return String(name[..<dot])
    }
}
