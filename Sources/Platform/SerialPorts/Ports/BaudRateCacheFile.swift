import Glibc
import Receivers
import SystemCalls

/// The file that stores a ``BaudRateCache`` between runs.
package struct BaudRateCacheFile: Sendable {
    /// The reason why the cache starts empty although a file exists.
    package enum Notice: Sendable, Hashable, CustomStringConvertible {
        /// The file is not in the format of this module.
        case damaged(path: String, BaudRateCache.Damage)
        /// The file could not be read.
        case unreadable(SystemError)

        package var description: String {
            switch self {
            case .damaged(let path, let damage): "ignoring \(path): \(damage)"
            case .unreadable(let error): "cannot read the saved baud rates: \(error)"
            }
        }
    }

    private let file: AtomicFile

    /// The path of the file; its directory must exist.
    package var path: String { file.path }

    /// Creates a reference to the file at `path`, which need not exist.
    package init(path: String) {
        file = AtomicFile(path: path)
    }

    /// Returns the stored cache. It is empty if there is no file, and empty with a notice if the
    /// file is unusable.
    package func load() -> (cache: BaudRateCache, notice: Notice?) {
        do throws(SystemError) {
            let bytes = try file.contents()
            return parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            return (BaudRateCache(), error.code == ENOENT ? nil : .unreadable(error))
        }
    }

    /// Replaces the file atomically: after a crash, either the old or the new file exists.
    ///
    /// - Throws: `SystemError`; the old file is then unchanged.
    package func save(_ cache: BaudRateCache) throws(SystemError) {
        try file.replace(with: cache.text)
    }

    private func parse(_ text: String) -> (cache: BaudRateCache, notice: Notice?) {
        do throws(BaudRateCache.Damage) {
            return (try BaudRateCache(text: text), nil)
        } catch {
            return (BaudRateCache(), .damaged(path: path, error))
        }
    }
}
