import Glibc
import SystemCalls

/// A capture as it is written: `FILE.part` while it grows, its own name only when it is whole.
final class CaptureWriter {
    let path: String
    private let growing: FileDescriptor
    private(set) var bytes = 0
    private var growingPath: String { path + ".part" }

    /// Begins one. Throws where a file of the name exists that may not be replaced.
    init(_ path: String, replaces: Bool) throws(CommandError) {
        guard replaces || access(path, F_OK) != 0 else { throw CommandError("\(path) exists; --force replaces it", .noInput) }
        growing = try CaptureWriter.create(path + ".part")
        self.path = path
    }

    /// Adds what was received.
    func append(_ new: [UInt8]) throws(CommandError) {
        try CaptureWriter.write(new, to: growing.number, growingPath)
        bytes += new.count
    }

    /// Puts the header, which is known only now, before the bytes, and gives the file its name.
    func finish(header: String) throws(CommandError) {
        let wholePath = path + ".whole.part"
        let whole = try CaptureWriter.create(wholePath)
        try CaptureWriter.write(Array(header.utf8), to: whole.number, wholePath)
        guard lseek(growing.number, 0, SEEK_SET) == 0 else { throw CommandError.system("cannot read \(growingPath)", errno) }
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(growing.number, &part, part.count)
            guard count >= 0 else { throw CommandError.system("cannot read \(growingPath)", errno) }
            if count == 0 { break }
            try CaptureWriter.write(Array(part.prefix(count)), to: whole.number, wholePath)
        }
        guard fsync(whole.number) == 0, rename(wholePath, path) == 0 else { throw CommandError.system("cannot name \(path)", errno) }
        unlink(growingPath)
    }

    /// Leaves nothing behind.
    func discard() {
        unlink(growingPath)
    }

    private static func create(_ path: String) throws(CommandError) -> FileDescriptor {
        let number = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw CommandError.system("cannot write \(path)", errno) }
        return FileDescriptor(owning: number)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw CommandError.system("cannot write \(path)", errno) }
            rest = rest.dropFirst(count)
        }
    }
}
