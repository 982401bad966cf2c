import Glibc
import SystemCalls

/// A capture in a file or on standard input.
enum CaptureFile {
    /// The maximum size in bytes of a file that is read as a whole.
    private static let maxSize = 64 << 20

    /// Returns all bytes of a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - kind: The expected kind of file, for error messages.
    ///   - check: Called with each part as it arrives; an error ends the reading.
    static func read(
        _ path: String, as kind: String = "capture",
        check: (ArraySlice<UInt8>) throws(CommandError) -> Void = { _ throws(CommandError) in }
    ) throws(CommandError) -> [UInt8] {
        var bytes: [UInt8] = []
        try readParts(of: path, as: kind) { part, _ throws(CommandError) in
            try check(part)
            guard bytes.count + part.count <= maxSize else {
                throw CommandError(
                    "\(path) is larger than \(maxSize >> 20) MiB, too large for a \(kind); split it",
                    exitStatus: .noInput)
            }
            bytes.append(contentsOf: part)
        }
        return bytes
    }

    /// Calls `process` with each part of a file in order, and with the size of the file in bytes, 0
    /// if unknown. Keeps no part in memory.
    static func readParts(
        of path: String, as kind: String = "capture",
        _ process: (_ part: ArraySlice<UInt8>, _ size: Int) throws(CommandError) -> Void
    ) throws(CommandError) {
        let descriptor = path == "-" ? STDIN_FILENO : uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw readError(of: kind, at: path, code: errno) }
        defer { if path != "-" { close(descriptor) } }
        var status = stat()
        let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        var part = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = part.withUnsafeMutableBytes { bytes in
                uninterrupted { Glibc.read(descriptor, bytes.baseAddress, bytes.count) }
            }
            guard count >= 0 else { throw readError(of: kind, at: path, code: errno) }
            if count == 0 { return }
            try process(part[..<count], size)
        }
    }

    /// Checks that a capture exists and can be read, for a command that does not read standard
    /// input.
    static func checkReadable(_ path: String) throws(CommandError) {
        let descriptor = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw readError(of: "capture", at: path, code: errno, allowsInput: false) }
        close(descriptor)
    }

    /// Returns the program that decompresses the data, from its first bytes (RFC 1952, RFC 8878,
    /// the xz file format 1.1, bzip2). Returns nil if the data is not compressed.
    static func decompressor(of bytes: ArraySlice<UInt8>) -> String? {
        if bytes.starts(with: [0x1F, 0x8B]) { return "zcat" }
        if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstdcat" }
        if bytes.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return "xzcat" }
        return bytes.starts(with: [0x42, 0x5A, 0x68]) ? "bzcat" : nil
    }

    private static func readError(
        of kind: String, at path: String, code: Int32, allowsInput: Bool = true
    ) -> CommandError {
        let isCapture = kind == "capture"
        let input = allowsInput ? ", or use '-' for standard input" : ""
        let remedy = isCapture ? "; record one with sextant record\(input)" : ""
        switch code {
        case ENOENT:
            return CommandError("cannot read the \(kind) \(path): no such file\(remedy)", exitStatus: .noInput)
        case EACCES:
            return CommandError(
                "cannot read the \(kind) \(path): permission denied; check with: ls -l \(path)", exitStatus: .noInput)
        case EISDIR:
            return CommandError(
                "\(path) is a directory; name \(isCapture ? "the captures" : "a file") in it: \(path)/*",
                exitStatus: .noInput)
        default:
            return CommandError(
                "cannot read the \(kind) \(path): \(String(cString: strerror(code)))", exitStatus: .noInput)
        }
    }

    /// Returns the file name without directories and extension, which names the receiver.
    static func receiverName(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return path == "-" ? "stdin" : name }
        return String(name[..<dot])
    }
}
