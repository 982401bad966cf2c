import ServiceRuntime
import SextantAPI
import Varlink
import VarlinkClient

/// Replies of the daemon as metrics. A reply that is missing leaves out what it would tell.
struct DaemonMetrics {
    /// The methods that are called, without parameters.
    static let methods = [
        ManagerMethods.getStatus.name, ReceiverMethods.list.name, ManagerMethods.getPower.name,
        MonitorMethods.listMonitors.name, LocationMethods.subscribe.name,
    ]

    /// The replies by the name of the method.
    var replies: [String: JSONValue] = [:]
    /// Whether the text has the position.
    let hasPosition: Bool
    /// The number of open streams of events.
    let viewerCount: Int

    init(hasPosition: Bool, viewerCount: Int) {
        self.hasPosition = hasPosition
        self.viewerCount = viewerCount
    }

    var text: [UInt8] {
        var text = MetricsText()
        addStatus(to: &text)
        addLocation(to: &text)
        addReceivers(to: &text)
        addSatellites(to: &text)
        addEnergy(to: &text)
        return text.bytes
    }

    private func addStatus(to text: inout MetricsText) {
        let status = replies[ManagerMethods.getStatus.name]?["status"]
        text.add("up", "Whether the daemon has answered.", status == nil ? 0 : 1)
        guard let status else { return }
        text.add("page_viewers", "Pages that are shown, and programs with a stream of events.", Double(viewerCount))
        text.add("build", as: .info, "The daemon.", [([("version", status["version"]?.string ?? "")], 1)])
        text.add("uptime_seconds", "Time since the daemon started.", status["uptime"]?.double)
        text.add("clients", "Open connections to the daemon.", status["connections"]?.double)
        text.add("streams", "Streams of locations.", status["streams"]?.double)
        text.add("receivers", "Known receivers.", status["receivers"]?.double)
        text.add("receivers_with_fix", "Receivers with a fix.", status["receiversWithFix"]?.double)
        text.add("wakeups", as: .counter, "Wakeups of the daemon.", status["wakeups"]?.double)
        text.add("updates_sent", as: .counter, "Updates sent to streams.", status["updatesSent"]?.double)
        text.add("updates_dropped", as: .counter, "Updates replaced by newer ones.", status["updatesDropped"]?.double)
        // It rises when the device crosses a fence.
        guard hasPosition else { return }
        let monitors = replies[MonitorMethods.listMonitors.name]?["monitors"]?.array ?? []
        text.add(
            "monitor_events_pending", "Events of geofences that nobody has acknowledged.",
            monitors.map { ([("monitor", $0["name"]?.string ?? "")], $0["pending"]?.double) })
    }

    private func addLocation(to text: inout MetricsText) {
        guard let reply = replies[LocationMethods.subscribe.name] else { return }
        let location = reply["location"]
        let isUnavailable = reply["locationUnavailable"]?.bool == true || location == nil
        text.add("fix", "Whether there is a position now.", isUnavailable ? 0 : 1)
        guard let location else { return }
        text.add("location_age_seconds", "Age of the newest position.", reply["age"]?.double ?? 0)
        text.add(
            "horizontal_accuracy_meters", "Radius that has the true position with a probability of 68 %.",
            [([("source", location["accuracySource"]?.string ?? "")], location["horizontalAccuracy"]?.double)])
        text.add("hdop", "Horizontal dilution of precision.", location["hdop"]?.double)
        guard hasPosition else { return }
        text.add("latitude_degrees", "Degrees north.", location["latitude"]?.double)
        text.add("longitude_degrees", "Degrees east.", location["longitude"]?.double)
        text.add("altitude_meters", "Altitude above mean sea level.", location["altitude"]?.double)
        text.add("speed_meters_per_second", "Speed over ground.", location["speed"]?.double)
    }

    private var receivers: [JSONValue] { replies[ReceiverMethods.list.name]?["receivers"]?.array ?? [] }

    private static func name(_ receiver: JSONValue) -> (String, String) {
        ("receiver", receiver["name"]?.string ?? "")
    }

    private func addReceivers(to text: inout MetricsText) {
        text.add(
            "receiver_state", "The state of a receiver.",
            receivers.map { ([DaemonMetrics.name($0), ("state", $0["state"]?.string ?? "")], 1) })
        let counts = [
            ("bytes", "Bytes read."), ("sentences", "Intact sentences."), ("epochs", "Completed epochs."),
            ("fixes", "Epochs with a position."), ("outliers", "Positions held back."),
        ]
        for (name, help) in counts {
            text.add(
                "receiver_\(name)", as: .counter, help,
                receivers.map { ([DaemonMetrics.name($0)], $0["counts"]?[name]?.double) })
        }
        let damages = ["checksumErrors", "missingChecksums", "overlong", "truncated", "malformed"]
        text.add(
            "receiver_damaged_lines", as: .counter, "Lines that were damaged.",
            receivers.flatMap { receiver in
                damages.map { ([DaemonMetrics.name(receiver), ("kind", $0)], receiver["counts"]?[$0]?.double) }
            })
    }

    private func addSatellites(to text: inout MetricsText) {
        var used: [MetricsText.Sample] = []
        var visible: [MetricsText.Sample] = []
        var signal: [MetricsText.Sample] = []
        for receiver in receivers {
            let all = receiver["satellites"]?.array ?? []
            for (system, satellites) in Dictionary(grouping: all, by: { $0["system"]?.string ?? "unknown" }).sorted(
                by: { $0.key < $1.key })
            {
                let labels = [DaemonMetrics.name(receiver), ("system", system)]
                // A satellite has an entry for each of its signals.
                let inUse = satellites.filter { $0["used"]?.bool == true }
                used.append((labels, Double(DaemonMetrics.count(inUse))))
                visible.append((labels, Double(DaemonMetrics.count(satellites))))
                let ratios = inUse.compactMap { $0["carrierToNoise"]?.double }
                signal.append((labels, ratios.isEmpty ? nil : ratios.reduce(0, +) / Double(ratios.count)))
            }
        }
        text.add("satellites_used", "Satellites in the position.", used)
        text.add("satellites_in_view", "Satellites that the receiver reports.", visible)
        text.add("carrier_to_noise_dbhz", "Mean carrier-to-noise density of the signals in use.", signal)
    }

    private static func count(_ satellites: [JSONValue]) -> Int {
        let numbers = satellites.compactMap { $0["number"]?.int }
        return Set(numbers).count + satellites.count - numbers.count
    }

    private func addEnergy(to text: inout MetricsText) {
        let start = replies[ManagerMethods.getPower.name]?["start"]
        let consumers = start?["consumers"]?.array ?? []
        text.add(
            "energy_joules", as: .counter, "Estimated energy of the receivers by program and purpose.",
            consumers.map { consumer in
                let user = consumer["uid"]?.int.map { "\($0)" } ?? ""
                let names = ["program", "unit", "purpose"].map { ($0, consumer[$0]?.string ?? "") }
                return (names + [("uid", user)], consumer["joules"]?.double)
            })
        let states = ["operation", "saving", "search", "standby", "closed"]
        text.add(
            "receiver_power_seconds", as: .counter, "Time of the receivers in each power state.",
            states.map { ([("state", $0)], start?[$0]?.double) })
    }
}

/// One request for metrics: the calls whose replies it waits for.
final class MetricsRequest {
    private var metrics: DaemonMetrics
    private var unanswered = DaemonMetrics.methods.count
    private weak var exchange: HTTPExchange?

    /// Calls the daemon, and answers the request when all calls have ended. No receiver is woken.
    static func begin(_ exchange: HTTPExchange, _ metrics: DaemonMetrics, by daemon: DaemonCalls) {
        let request = MetricsRequest(exchange, metrics)
        for method in DaemonMetrics.methods {
            daemon.call(Method<NoParameters, AnyMessage>(named: method), with: NoParameters()) {
                request.receive($0, of: method)
            }
        }
    }

    private init(_ exchange: HTTPExchange, _ metrics: DaemonMetrics) {
        self.exchange = exchange
        self.metrics = metrics
    }

    private func receive(_ result: Result<AnyMessage, ClientError>, of method: String) {
        metrics.replies[method] = (try? result.get()).map { .object($0.members) }
        unanswered -= 1
        if unanswered == 0 { exchange?.answer(.data(metrics.text, type: MetricsText.type)) }
    }
}
