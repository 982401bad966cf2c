import Chronology
import Glibc
import Permission
import ServiceRuntime
import SextantServiceAPI
import SystemCalls
import Varlink

/// The file from which `sextant fleet status` reads, in the runtime directory of the service.
final class StatusFile {
    /// The minimum time between two writes.
    private static let interval = Instant.Span.seconds(1)

    private let file: AtomicFile
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
        file = AtomicFile(
            path: (runtime.isEmpty ? state : runtime) + "/status.json", mode: 0o640, isDurable: false)
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
            try file.replace(with: JSONFormat.line(FleetStatusList(states)) + [UInt8(ascii: "\n")])
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
            try AtomicFile(path: path, mode: 0o600).replace(with: secret.bytes)
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
