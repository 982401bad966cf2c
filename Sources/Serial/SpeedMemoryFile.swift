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
            case .unreadable(let error): "the speeds of receivers are not remembered: \(error)"
            }
        }
    }

    private let file: StateFile

    /// The file; its directory must exist.
    public var path: String { file.path }

    /// The file at `path`, whether it is there or not.
    public init(path: String) {
        file = StateFile(path: path)
    }

    /// What is kept; empty when there is no file, and with a notice when there is one that is of no use.
    public func load() -> (memory: SpeedMemory, notice: Notice?) {
        do throws(SystemError) {
            let bytes = try file.contents()
            return parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            return (SpeedMemory(), error.code == ENOENT ? nil : .unreadable(error))
        }
    }

    /// Replaces the file as a whole: after a crash there is the old one or the new one.
    ///
    /// - Throws: `SystemError`; the old file is untouched then.
    public func save(_ memory: SpeedMemory) throws(SystemError) {
        try file.replace(with: memory.text)
    }

    private func parse(_ text: String) -> (memory: SpeedMemory, notice: Notice?) {
        do throws(SpeedMemory.Damage) {
            return (try SpeedMemory(text: text), nil)
        } catch {
            return (SpeedMemory(), .damaged(path: path, error))
        }
    }
}
