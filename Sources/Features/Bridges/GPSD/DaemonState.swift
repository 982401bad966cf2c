import Chronology
import SextantAPI
import Varlink

/// What the daemon has reported last.
struct DaemonState {
    /// The position of the device, which the daemon takes from its primary receiver.
    var main = LocationState()
    /// The positions of other receivers that clients have selected, by the path of the port.
    var others: [String: LocationState] = [:]
    /// The receivers as gpsd's devices, in the daemon's order.
    private(set) var devices: [DeviceReport] = []
    /// Whether the stream of receivers has begun, or has failed.
    private(set) var hasReceivers = false
    /// The direction of the device that has not been reported yet.
    private(set) var attitude: Heading?
    private var receivers: [Receiver] = []

    /// The receiver of the location, else the primary one, else the first. A fixed place has none.
    var receiver: Receiver? {
        if main.location?.quality == .manual { return nil }
        return receivers.first { $0.name == main.location?.receiver } ?? receivers.first { $0.isPrimary }
            ?? receivers.first
    }

    var device: String? { receiver?.port }

    /// Whether a client with this selection gets the position of the device: it has selected
    /// nothing, or the receiver of that position.
    func isMain(_ selection: String?) -> Bool { selection == nil || selection == device }

    func isListed(_ path: String) -> Bool { devices.contains { $0.path == path } }

    /// The position for a client with this selection; nil for a device that is not known.
    func location(of selection: String?) -> LocationState? {
        guard let selection, selection != device else { return main }
        return others[selection]
    }

    /// The position of the device, with nil, or of another receiver.
    func location(at path: String?) -> LocationState? { path.map { others[$0] } ?? main }

    /// What is reported to a client with this selection.
    func view(of selection: String?) -> DeviceView {
        guard let selection, selection != device else {
            let heading = attitude.flatMap { AttitudeReport($0, device: port(ofReceiver: $0.receiver)) }
            return DeviceView(location: main.location, receiver: receiver, device: device, attitude: heading)
        }
        return DeviceView(
            location: others[selection]?.location, receiver: receivers.first { $0.port == selection },
            device: selection, attitude: nil)
    }

    /// When clients last got reports of each position that they watch.
    var lastReports: [Instant] { ([main] + Array(others.values)).compactMap(\.lastReport) }

    /// The positions that were last reported at a time or before: nil for the device's.
    func paths(reportedBy time: Instant) -> [String?] {
        let paths: [String?] = [nil] + Array(others.keys)
        return paths.filter { location(at: $0)?.lastReport.map { $0 <= time } ?? false }
    }

    func port(ofReceiver name: String) -> String? { receivers.first { $0.name == name }?.port }

    /// Changes the position of the device, or of another receiver that is known.
    mutating func update(_ path: String?, _ change: (inout LocationState) -> Void) {
        guard let path else { return change(&main) }
        if var state = others[path] {
            change(&state)
            others[path] = state
        }
    }

    mutating func receive(_ reply: Receivers, at time: String) -> [DeviceReport] {
        let isFirst = !hasReceivers
        hasReceivers = true
        main.isSkyNew = true
        for path in others.keys { others[path]?.isSkyNew = true }
        receivers = reply.receivers
        let earlier = devices
        devices = receivers.map { receiver in
            DeviceReport(receiver, after: earlier.first { $0.path == receiver.port }, at: time)
        }
        guard !isFirst else { return [] }
        let opened = devices.filter { device in
            (earlier.first { $0.path == device.path }?.activated == nil) != (device.activated == nil)
        }
        let removed = earlier.filter { old in !devices.contains { $0.path == old.path } }
        return opened + removed.map(DeviceReport.init(removed:))
    }

    mutating func receive(_ reply: HeadingUpdate) { attitude = reply.heading }

    mutating func attitudeWasReported() { attitude = nil }

    mutating func endUpdates() {
        main.end()
        attitude = nil
    }

    mutating func endReceivers() { hasReceivers = false }

    mutating func lose(at now: Instant) {
        hasReceivers = true
        main.lose(at: now)
        for path in others.keys { others[path]?.lose(at: now) }
    }
}

/// The state of one receiver, or of the device, that reports are written from.
struct DeviceView {
    let location: Location?
    let receiver: Receiver?
    /// The path of the port.
    let device: String?
    /// The direction that has not been reported yet.
    let attitude: AttitudeReport?

    var tpv: TPV {
        location.map { TPV($0, device: device) } ?? TPV(withoutFixAt: receiver?.lastEpoch?.description, device: device)
    }
}

/// gpsd's report of the direction in which the device points (gpsd_json(5), ATT), for receivers
/// with two antennas or a compass. A course is not one: TPV has it.
struct AttitudeReport {
    private let heading: Heading
    private let degrees: Double
    private let device: String?

    /// Creates the report, or nil if the direction from true north is not known.
    init?(_ heading: Heading, device: String?) {
        guard heading.source != .course, let degrees = heading.trueHeading else { return nil }
        self.heading = heading
        self.degrees = degrees
        self.device = device
    }

    func write(to object: inout ObjectWriter) {
        object.append("ATT", forKey: "class")
        object.append(device, forKey: "device")
        object.append(heading.timestamp, forKey: "time")
        object.append(degrees, forKey: "heading", places: 3)
    }
}

/// gpsd's report of a receiver (gpsd_json(5), DEVICE).
struct DeviceReport: Equatable {
    let path: String
    /// Bits per second.
    private let baud: Int
    /// Seconds between epochs.
    private let cycle: Double
    /// The receiver by its own sentences.
    private let subtype: String?
    /// The time at which the bridge saw the open port first; nil while it is not open.
    let activated: String?

    /// The baud rate that is reported for ports without one, or before it is known: clients divide
    /// by it or refuse a device without it.
    private static let assumedBaud = 9600

    /// Creates the report of a receiver; `time` is that of the bridge.
    init(_ receiver: Receiver, after earlier: DeviceReport?, at time: String) {
        path = receiver.port
        baud = receiver.baud ?? DeviceReport.assumedBaud
        cycle = receiver.rate.flatMap { $0 > 0 ? 1 / $0 : nil } ?? 1
        let identity = receiver.identity
        let parts = [identity?.vendor, identity?.module ?? identity?.chipset, identity?.firmware].compactMap { $0 }
        subtype = parts.isEmpty ? nil : parts.joined(separator: " ")
        let isOpen =
            switch receiver.state {
            case .absent, .denied, .busy, .unknown: false
            case .detectingBaudRate, .silent, .asleep, .sendingWithoutFix, .hasFix: true
            }
        activated = isOpen ? earlier?.activated ?? time : nil
    }

    /// Creates the report of a receiver that is no longer there.
    init(removed earlier: DeviceReport) {
        path = earlier.path
        baud = earlier.baud
        cycle = earlier.cycle
        subtype = earlier.subtype
        activated = nil
    }

    func write(to object: inout ObjectWriter) {
        object.append("DEVICE", forKey: "class")
        object.append(path, forKey: "path")
        object.append("NMEA0183", forKey: "driver")
        object.append(subtype.map { String($0.prefix(63)) }, forKey: "subtype")
        if let activated {
            object.append(activated, forKey: "activated")
        } else {
            object.append(0, forKey: "activated")
        }
        object.append(1, forKey: "flags")
        object.append(0, forKey: "native")
        object.append(baud, forKey: "bps")
        object.append("N", forKey: "parity")
        object.append(1, forKey: "stopbits")
        object.append(cycle, forKey: "cycle", places: 2)
    }
}
