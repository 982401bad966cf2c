import Chronology
import Glibc
import Varlink

/// The file from which `sextant fleet status` reads, in the runtime directory of the service.
final class StatusFile {
    /// The minimum time between two writes.
    private static let interval = Instant.Span.seconds(1)

    private let path: String
    private var written: [FleetStatus] = []
    private var lastWrite: Instant?

    /// - Parameter state: The directory of the file if the service has no runtime directory.
    init(state: String) {
        let runtime = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) } ?? ""
        path = (runtime.isEmpty ? state : runtime) + "/status.json"
    }

    /// Writes the states of all destinations if they have changed, at most once per interval.
    ///
    /// - Parameter oldest: Returns the time of the oldest record of a destination.
    func write(_ status: [FleetStatus], at now: Instant, isForced: Bool, oldest: (Int) -> UTCTime?) {
        guard status != written, isForced || lastWrite.map({ now - $0 >= StatusFile.interval }) ?? true else { return }
        written = status
        lastWrite = now
        let states = status.indices.map { status[$0].json(oldest: oldest($0)) }
        let bytes = JSONValue.object(["destinations": .array(states)]).bytes + [UInt8(ascii: "\n")]
        let temporary = path + ".new"
        guard let file = fopen(temporary, "we") else { return }
        // It contains no position, so every user may read it.
        chmod(temporary, 0o644)
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { return }
        _ = rename(temporary, path)
    }
}
