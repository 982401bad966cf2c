// Prints as JSON how long an update takes from the socket to a `for await` loop, beside a thread
// that waits in read(2) for the same updates: the wire. Usage: ClientBenchmark UPDATES
import Glibc
import SextantClient
import Synchronization

guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]), count > 1 else {
    print("usage: ClientBenchmark UPDATES")
    exit(64)
}
let path = "/tmp/sextant-client-benchmark-\(getpid())"
defer { unlink(path) }
let service = try Service(at: path, updates: count)
let wire = try WireReader(at: path, updates: count)

var arrivals = [Int64](repeating: 0, count: count)
for try await update in Client(socket: path).locations(.automotiveNavigation) {
    guard let number = update.location?.satellitesUsed, arrivals.indices.contains(number) else { continue }
    arrivals[number] = Clock.now()
    if number == count - 1 { break }
}

let (sendTimes, readTimes) = (service.times(), wire.times())
// The first updates find cold caches, and threads that are not started yet.
let warm = (count / 10)..<count
let figures = [
    ("wire", warm.map { readTimes[$0] - sendTimes[$0] }), ("client", warm.map { arrivals[$0] - sendTimes[$0] }),
    ("added", warm.map { arrivals[$0] - readTimes[$0] }),
]
let members = figures.flatMap { name, values in
    let sorted = values.sorted()
    return [("p50", 0.5), ("p99", 0.99)].map { quantile, share in
        let microseconds = Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1000
        return "\"\(name)_\(quantile)_us\": \(microseconds)"
    }
}
print("{\(members.joined(separator: ", "))}")
