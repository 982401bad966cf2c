import Chronology
import Glibc
import Permission
import ServiceRuntime
import SextantServiceAPI
import SystemCalls
import Varlink

/// A small file of the state directory that is replaced as a whole. A link in the place of the new
/// file is removed, not followed.
struct ReplacedFile {
    /// The path of the file.
    let path: String
    /// Its mode, whatever the mask is.
    let mode: mode_t
    /// Whether the contents are on disk when ``replace(with:)`` returns.
    var isDurable = false

    /// Replaces the contents.
    ///
    /// - Throws: `SystemError`; the old file is then unchanged.
    func replace(with bytes: [UInt8]) throws(SystemError) {
        let temporary = path + ".new"
        do throws(SystemError) {
            try write(bytes, to: temporary)
            try systemCall("replacing \(path)") { rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to temporary: String) throws(SystemError) {
        _ = unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = FileDescriptor(owning: try systemCall("creating \(temporary)") { open(temporary, flags, 0o600) })
        let number = file.number
        try systemCall("changing the mode of \(temporary)") { fchmod(number, mode) }
        let count = try systemCall("writing \(temporary)") { Glibc.write(number, bytes, bytes.count) }
        guard count == bytes.count else { throw SystemError(code: ENOSPC, operation: "writing \(temporary)") }
        if isDurable { try systemCall("writing \(temporary) to disk") { fsync(number) } }
    }
}

/// The file from which `sextant fleet status` reads, in the runtime directory of the service.
final class StatusFile {
    /// The minimum time between two writes.
    private static let interval = Instant.Span.seconds(1)

    private let file: ReplacedFile
    private let log: ProgramLog
    private var written: [FleetStatus] = []
    private var lastAttempt: Instant?
    /// When a change that came too early for a write is written; nil: none waits.
    private(set) var deadline: Instant?
    private var lastProblem: String?

    /// - Parameter state: The directory of the file if the service has no runtime directory.
    init(state: String, log: ProgramLog) {
        let runtime = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) } ?? ""
        // The counts and times show when the device moves: they are not for every user.
        file = ReplacedFile(path: (runtime.isEmpty ? state : runtime) + "/status.json", mode: 0o640)
        self.log = log
    }

    /// Writes the states of all destinations if they have changed, at most once per interval. A
    /// problem is logged once.
    ///
    /// - Parameter oldest: Returns the time of the oldest record of a destination.
    func write(_ status: [FleetStatus], at now: Instant, isForced: Bool, oldest: (Int) -> UTCTime?) {
        deadline = nil
        guard status != written else { return }
        if !isForced, let lastAttempt, now - lastAttempt < StatusFile.interval {
            deadline = lastAttempt + StatusFile.interval
            return
        }
        lastAttempt = now
        do {
            var states = status
            for index in states.indices { states[index].oldest = oldest(index)?.description }
            try file.replace(with: try JSONValue(encoding: FleetStatusList(states)).bytes + [UInt8(ascii: "\n")])
            written = status
            lastProblem = nil
        } catch {
            let problem = "\(error)"
            if problem != lastProblem { log.write("the state cannot be shown: \(problem)", priority: .warning) }
            lastProblem = problem
        }
    }
}

/// The file with the secret of reduced locations, in the state directory. All servers of the
/// program get reduced locations of one secret, so that several of them together learn no more than
/// one.
///
/// It is not the secret of the daemon, which no other program may read: a server and a local
/// program with reduced accuracy together learn the intersection of two areas. If the daemon itself
/// gives this program reduced locations only, they are reported as they are, and there is one grid
/// (docs/security.md).
package struct ReducedSecretFile {
    private let path: String

    /// Creates a description of the file, which need not exist.
    ///
    /// - Parameter state: The state directory.
    package init(state: String) { path = state + "/reduced-secret" }

    /// Returns the secret, and writes a new one if the file is missing or damaged.
    ///
    /// - Parameter log: Gets a message about a damaged file.
    package func secret(log: ProgramLog) throws(FleetError) -> ReducedSecret {
        do throws(SystemError) {
            if let bytes = try stored() {
                if let secret = ReducedSecret(bytes: bytes) { return secret }
                log.write(
                    "\(path) is damaged, and a new secret replaces it: servers that got reduced locations before get "
                        + "other areas now, and both together reveal more", priority: .error)
            }
            let secret = ReducedSecret()
            try ReplacedFile(path: path, mode: 0o600, isDurable: true).replace(with: secret.bytes)
            return secret
        } catch {
            throw .system(error)
        }
    }

    /// Returns the bytes of the file; nil without one.
    private func stored() throws(SystemError) -> [UInt8]? {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if number < 0, errno == ENOENT { return nil }
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { number })
        // One byte more than expected shows a longer file.
        var bytes = [UInt8](repeating: 0, count: ReducedSecret.byteCount + 1)
        let count = try systemCall("reading \(path)") { read(file.number, &bytes, bytes.count) }
        return Array(bytes.prefix(count))
    }
}
