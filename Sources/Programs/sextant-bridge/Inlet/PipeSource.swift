import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// Sentences from standard input, a named pipe or a file.
///
/// A named pipe stays open when its writer ends, and the next writer continues. Standard input and
/// a file end.
final class PipeSource: InletSource {
    private let descriptor: FileDescriptor
    private let handler: (InletEvent) -> Void
    private var source: IOSource?
    private var work: DeferredWork?
    let deadline: Instant? = nil

    /// Reads from a path, or from standard input for `-`.
    ///
    /// - Parameter handler: Captures its owner unowned or weakly.
    init(_ path: String, in loop: EventLoop, handler: @escaping (InletEvent) -> Void) throws(SystemError) {
        self.handler = handler
        if path == "-" {
            descriptor = FileDescriptor(
                owning: try systemCall("opening standard input") { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) })
        } else {
            var status = stat()
            let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
            let access = isPipe ? O_RDWR : O_RDONLY
            descriptor = FileDescriptor(
                owning: try systemCall("opening \(path)") {
                    open(path, access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                })
        }
        let number = descriptor.number
        do throws(SystemError) {
            source = try loop.watch(number, for: .readable) { [weak self] _ in self?.read() }
        } catch {
            // A regular file is always readable.
            guard error.code == EPERM else { throw error }
            work = try loop.makeDeferredWork { [weak self] in self?.read() }
            work?.isScheduled = true
        }
    }

    deinit { source = nil }

    func tick(at now: Instant) {}

    private func read() {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
            let count = uninterrupted { Glibc.read(descriptor.number, buffer.baseAddress, buffer.count) }
            if count > 0 {
                work?.isScheduled = true
                handler(.received(Array(buffer[..<count])[...], .only, isPacket: false))
            } else if count == 0 || errno != EAGAIN {
                (source, work) = (nil, nil)
                handler(.finished)
            }
        }
    }
}
