import Chronology
import Glibc
import Varlink

/// What a simulation measured.
struct SimulationFigures {
    /// Identifies an event.
    private struct Key: Hashable {
        var device: Int
        /// From 1 for each device.
        var number: Int
    }

    /// An event on its path.
    private struct Added {
        var at: Instant
        /// The number of disturbances before it.
        var disturbances: Int
    }

    private(set) var devices = 0
    private var added: [Key: Added] = [:]
    private var addedCount = 0
    private var arrivedCount = 0
    private var repeatedCount = 0
    private var disorderedCount = 0
    /// The last event of each device that arrived.
    private var lastArrived: [Int]
    private var delays: [Double] = []
    private var undisturbedDelays: [Double] = []
    private var disturbances = 0
    private var isDisturbed = true
    private var disturbedSince: Instant?
    private var longestReturn = 0.0
    private var connects: [Int: Int] = [:]
    private var connected: Set<Int> = []
    /// The bytes of acknowledged messages, and the positions, of all devices.
    var bytes = 0
    var positions = 0
    /// The intervals of the keepalive without a message, by the times of the positions.
    var idleIntervals = 0

    init(devices: Int) {
        self.devices = devices
        lastArrived = Array(repeating: 0, count: devices)
    }

    /// Counts an event that is on disk.
    mutating func add(_ number: Int, of device: Int, at now: Instant) {
        addedCount += 1
        added[Key(device: device, number: number)] = Added(at: now, disturbances: isDisturbed ? -1 : disturbances)
    }

    /// Counts an event that the observer got.
    mutating func arrive(_ number: Int, of device: Int, at now: Instant) {
        guard lastArrived.indices.contains(device) else { return }
        guard let event = added.removeValue(forKey: Key(device: device, number: number)) else {
            repeatedCount += 1
            return
        }
        if number < lastArrived[device] { disorderedCount += 1 }
        lastArrived[device] = max(lastArrived[device], number)
        arrivedCount += 1
        let delay = (now - event.at).seconds
        delays.append(delay)
        if event.disturbances == disturbances, !isDisturbed { undisturbedDelays.append(delay) }
    }

    /// Records which devices are connected. One that is not disturbs the delays.
    mutating func update(connected present: Set<Int>, at now: Instant) {
        let new = present.subtracting(connected).count
        if new > 0 { connects[Int(now.sinceZero), default: 0] += new }
        connected = present
        let isComplete = present.count == devices
        if !isComplete, !isDisturbed { disturbances += 1 }
        if !isComplete, disturbedSince == nil { disturbedSince = now }
        if isComplete, let since = disturbedSince {
            longestReturn = max(longestReturn, (now - since).seconds)
            disturbedSince = nil
        }
        isDisturbed = !isComplete
    }

    /// Whether an event was added.
    var hasEvents: Bool { addedCount > 0 }
    /// The events that have not arrived.
    var missing: Int { added.count }
    /// Whether every event arrived, in order.
    var isGood: Bool { missing == 0 && disorderedCount == 0 }

    private static func quantile(_ values: [Double], _ part: Double) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return 0 }
        return (sorted[min(Int((Double(sorted.count) * part).rounded(.down)), last)] * 1000).rounded() / 1000
    }

    /// The largest resident memory of this process in KiB.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss
    }

    private var members: [(name: String, label: String, value: JSONValue)] {
        [
            ("devices", "devices", .int(Int64(devices))),
            ("positions", "positions added", .int(Int64(positions))),
            ("events", "events added", .int(Int64(addedCount))),
            ("arrived", "events that arrived", .int(Int64(arrivedCount))),
            ("lost", "events lost", .int(Int64(missing))),
            ("repeated", "events repeated", .int(Int64(repeatedCount))),
            ("disordered", "events out of order", .int(Int64(disorderedCount))),
            ("undisturbed", "events without an outage", .int(Int64(undisturbedDelays.count))),
            ("delayP50", "their delay, median, s", .double(SimulationFigures.quantile(undisturbedDelays, 0.5))),
            ("delayP99", "their delay, p99, s", .double(SimulationFigures.quantile(undisturbedDelays, 0.99))),
            ("delayMax", "delay of any event, longest, s", .double(SimulationFigures.quantile(delays, 1))),
            ("outages", "outages", .int(Int64(disturbances))),
            ("longestReturn", "longest time until all are connected, s", .double(longestReturn)),
            ("connectsPerSecond", "most connections in a second", .int(Int64(connects.values.max() ?? 0))),
            ("bytes", "bytes of acknowledged messages", .int(Int64(bytes))),
            ("idleIntervals", "intervals of 300 s without a message", .int(Int64(idleIntervals))),
            ("memory", "memory of the simulation, KiB", .int(Int64(SimulationFigures.peakMemory))),
        ]
    }

    /// The figures as JSON.
    var json: JSONValue { .object(Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }) }

    /// The figures as lines of text.
    var lines: [String] {
        members.map { member in
            let value = member.value.int.map { "\($0)" } ?? member.value.double.map { "\($0)" } ?? ""
            return member.label + String(repeating: " ", count: max(42 - member.label.utf8.count, 1)) + value
        }
    }
}

extension Instant {
    /// The seconds since zero.
    fileprivate var sinceZero: Double { (self - .zero).seconds }
}
