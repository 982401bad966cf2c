import Chronology
import SextantAPI
import Varlink

/// The answer to `?POLL;` (gpsd_json(5), POLL): the last TPV, GST and SKY. While a device is active
/// there is one TPV and one SKY, which clients read without checking.
struct PollReport {
    let line: [UInt8]

    /// Creates the answer for a client.
    ///
    /// - Parameters:
    ///   - view: The device that it has selected, or the one of the position; nil if it does not
    ///     watch, or if the device is not open.
    ///   - time: The present time. Clients with strict types need one without a fix too.
    init(_ view: DeviceView?, at time: UTCTime?) {
        let tpv = view?.tpv
        let sky = view.flatMap { $0.receiver != nil || $0.location?.quality == .manual ? SkyReport($0.receiver) : nil }
        let gst = view?.location.flatMap { ErrorStatisticsReport($0, device: view?.device) }
        line = Answers.line { object in
            object.append("POLL", forKey: "class")
            object.append(time?.description ?? tpv?.time, forKey: "time")
            object.append(sky == nil ? 0 : 1, forKey: "active")
            object.append(sky == nil ? [] : tpv.map { [$0] } ?? [], forKey: "tpv") { $0.write(to: &$1) }
            object.append(sky == nil ? [] : gst.map { [$0] } ?? [], forKey: "gst") { $0.write(to: &$1) }
            object.append(sky.map { [$0] } ?? [], forKey: "sky") { $0.write(to: &$1) }
        }
    }
}

/// Answers to `?POLL;`. Each is encoded once per millisecond, so that clients which send many delay
/// no other one.
struct PollAnswers {
    private var last: (device: String?, time: UTCTime?, line: [UInt8])?

    /// Forgets the last answer, because the daemon has reported something.
    mutating func reset() { last = nil }

    mutating func answer(to policy: WatchPolicy, of state: DaemonState, at time: UTCTime?) -> [UInt8] {
        guard policy.enable else { return PollReport(nil, at: time).line }
        if let last, last.time == time, last.device == policy.device { return last.line }
        let isMain = state.isMain(policy.device)
        let isOpen =
            state.devices.contains { $0.activated != nil && (isMain || $0.path == policy.device) }
            || isMain && state.main.location?.quality == .manual
        let line = PollReport(isOpen ? state.view(of: policy.device) : nil, at: time).line
        last = (policy.device, time, line)
        return line
    }
}

/// gpsd's report of the standard deviations of a position (gpsd_json(5), GST). It follows from R68,
/// for receivers that send GST.
struct ErrorStatisticsReport {
    private let location: Location
    private let device: String?

    /// Creates the report, or nil if the receiver does not send GST.
    init?(_ location: Location, device: String?) {
        guard location.accuracySource == .gst else { return nil }
        self.location = location
        self.device = device
    }

    func write(to object: inout ObjectWriter) {
        let axis = location.horizontalAccuracy * Confidence.axisDeviation
        object.append("GST", forKey: "class")
        object.append(device, forKey: "device")
        object.append(location.timestamp, forKey: "time")
        object.append(axis, forKey: "lat", places: 3)
        object.append(axis, forKey: "lon", places: 3)
        object.append(location.verticalAccuracy, forKey: "alt", places: 3)
    }
}

/// gpsd's objects other than reports, and the form of a line.
enum Answers {
    /// Returns one object as a line. Clients need the line end CR LF.
    static func line(_ write: (inout ObjectWriter) -> Void) -> [UInt8] {
        EncodedObject(writing: write).bytes + [13, 10]
    }

    /// Returns sentences of a receiver as lines, with the bytes that it has sent.
    static func lines(_ sentences: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for sentence in sentences {
            for character in sentence.unicodeScalars { bytes.append(UInt8(truncatingIfNeeded: character.value)) }
            bytes += [13, 10]
        }
        return bytes
    }

    /// The line that a server sends first. Clients compare the release with their own.
    static func version(release: String, revision: String) -> [UInt8] {
        line { object in
            object.append("VERSION", forKey: "class")
            object.append(release, forKey: "release")
            object.append(revision, forKey: "rev")
            object.append(3, forKey: "proto_major")
            object.append(14, forKey: "proto_minor")
        }
    }

    static func devices(_ devices: [DeviceReport]) -> [UInt8] {
        line { object in
            object.append("DEVICES", forKey: "class")
            object.append(devices, forKey: "devices") { $0.write(to: &$1) }
        }
    }

    static func device(_ device: DeviceReport) -> [UInt8] { line { device.write(to: &$0) } }

    static func watch(_ policy: WatchPolicy) -> [UInt8] {
        line { object in
            object.append("WATCH", forKey: "class")
            object.append(policy.enable, forKey: "enable")
            object.append(policy.json, forKey: "json")
            object.append(policy.nmea, forKey: "nmea")
            object.append(policy.raw, forKey: "raw")
            object.append(policy.scaled, forKey: "scaled")
            object.append(policy.timing, forKey: "timing")
            object.append(policy.split24, forKey: "split24")
            object.append(policy.pps, forKey: "pps")
            object.append(policy.device, forKey: "device")
        }
    }

    /// The answer to a WATCH: two lines, in this order.
    static func state(_ known: [DeviceReport], _ policy: WatchPolicy) -> [UInt8] { devices(known) + watch(policy) }

    static func error(_ message: String) -> [UInt8] {
        line { object in
            object.append("ERROR", forKey: "class")
            object.append(message, forKey: "message")
        }
    }
}
