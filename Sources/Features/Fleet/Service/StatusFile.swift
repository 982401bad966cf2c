import Chronology
import Glibc
import ServiceRuntime
import SextantAPI
import Varlink

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
