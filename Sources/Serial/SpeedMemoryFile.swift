import CLinux
import Glibc
import SystemCalls

/// Where a ``SpeedMemory`` is kept between runs.
public struct SpeedMemoryFile: Sendable {
    /// Why the memory begins empty although there is a file.
    public enum Notice: Sendable, Hashable, CustomStringConvertible {
        /// The file is not what this room writes.
        case damaged(path: String, SpeedMemory.Damage)
        /// The file could not be read.
        case unreadable(SystemError)

        /// The notice in words.
        public var description: String {
            switch self {
            case .damaged(let path, let damage): "\(path) is set aside: \(damage)"
            case .unreadable(let error): "\(error)"
            }
        }
    }

    /// Bytes read at most; more than a full memory needs.
    private static let limit = 32 * 1024

    /// The file; its directory must exist.
    public let path: String

    /// The file at `path`, whether it is there or not.
    public init(path: String) {
        self.path = path
    }

    /// What is kept; empty when there is no file, and with a notice when there is one that is of no use.
    public func load() -> (memory: SpeedMemory, notice: Notice?) {
        do throws(SystemError) {
            let bytes = try contents()
            return parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            return (SpeedMemory(), error.code == ENOENT ? nil : .unreadable(error))
        }
    }

    /// Replaces the file as a whole: after a crash there is the old one or the new one.
    ///
    /// - Throws: `SystemError`; the old file is untouched then.
    public func save(_ memory: SpeedMemory) throws(SystemError) {
        let temporary = path + ".new"
        do throws(SystemError) {
            try write(Array(memory.text.utf8), to: temporary)
            try systemCall("replacing \(path)") { rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
    }

    private func parse(_ text: String) -> (memory: SpeedMemory, notice: Notice?) {
        do throws(SpeedMemory.Damage) {
            return (try SpeedMemory(text: text), nil)
        } catch {
            return (SpeedMemory(), .damaged(path: path, error))
        }
    }

    private func contents() throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        var used = 0
        while used < bytes.count {
            let count = try systemCall("reading \(path)") {
                bytes.withUnsafeMutableBytes { room in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: room[used...])
                    return read(file.number, rest.baseAddress, rest.count)
                }
            }
            if count == 0 { break }
            used += count
        }
        return Array(bytes.prefix(used))
    }

    private func write(_ bytes: [UInt8], to temporary: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let file = FileDescriptor(owning: try systemCall("opening \(temporary)") { open(temporary, flags, 0o644) })
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try systemCall("writing \(temporary)") {
                rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
        try systemCall("writing \(temporary) to the disk") { fsync(file.number) }
    }
}
