import Chronology
import Fleet
import Glibc
import SystemCalls
import Systemd
import Varlink

/// The file from which `sextant fleet status` reads, in the runtime directory of the service.
final class StatusFile {
    /// The minimum time between two writes.
    private static let interval = Instant.Span.seconds(1)

    private let path: String
    private let log: ProgramLog
    private var written: [FleetStatus] = []
    private var lastAttempt: Instant?
    private var lastProblem: String?

    /// - Parameter state: The directory of the file if the service has no runtime directory.
    init(state: String, log: ProgramLog) {
        let runtime = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) } ?? ""
        path = (runtime.isEmpty ? state : runtime) + "/status.json"
        self.log = log
    }

    /// Writes the states of all destinations if they have changed, at most once per interval. A
    /// problem is logged once.
    ///
    /// - Parameter oldest: Returns the time of the oldest record of a destination.
    func write(_ status: [FleetStatus], at now: Instant, isForced: Bool, oldest: (Int) -> UTCTime?) {
        guard status != written, isForced || lastAttempt.map({ now - $0 >= StatusFile.interval }) ?? true else {
            return
        }
        lastAttempt = now
        do {
            var states = status
            for index in states.indices { states[index].oldest = oldest(index)?.description }
            try replace(with: try JSONValue(encoding: FleetStatusList(states)).bytes + [UInt8(ascii: "\n")])
            written = status
            lastProblem = nil
        } catch {
            let problem = "\(error)"
            if problem != lastProblem { log.write("the state cannot be shown: \(problem)", priority: .warning) }
            lastProblem = problem
        }
    }

    private func replace(with bytes: [UInt8]) throws(SystemError) {
        let temporary = path + ".new"
        do {
            let file = FileDescriptor(
                owning: try systemCall("opening \(temporary)") {
                    open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
                })
            let number = file.number
            // It contains no position, so every user may read it, whatever the mask is.
            try systemCall("changing the mode of \(temporary)") { fchmod(number, 0o644) }
            let count = try systemCall("writing \(temporary)") { Glibc.write(number, bytes, bytes.count) }
            guard count == bytes.count else {
                throw SystemError(code: ENOSPC, operation: "writing \(temporary)")
            }
        }
        try systemCall("renaming \(temporary)") { rename(temporary, path) }
    }
}
