import Chronology
import Varlink
import Wire

/// The answer to `?POLL;` (gpsd_json(5), POLL): the last TPV, GST and SKY. While a device is active
/// there is one TPV and one SKY, which clients read without checking.
struct PollReport {
    let line: [UInt8]

    /// Creates the answer for a client that watches a device, or all.
    ///
    /// - Parameter time: The present time. Clients with strict types need one without a fix too.
    init(_ state: DaemonState, isWatching: Bool, device: String?, at time: UTCTime?) {
        let tpv = StreamReports.tpv(state)
        let isActive =
            isWatching && state.devices.contains { $0.activated != nil } && (device == nil || device == state.device)
        let sky = isActive ? state.receiver.map(SkyReport.init) : nil
        let gst = isActive ? state.location.flatMap { ErrorStatisticsReport($0, device: state.device) } : nil
        line = Answers.line { object in
            object.append("POLL", forKey: "class")
            object.append(time?.description ?? tpv.time, forKey: "time")
            object.append(sky == nil ? 0 : 1, forKey: "active")
            object.append(sky == nil ? [] : [tpv], forKey: "tpv") { $0.write(to: &$1) }
            object.append(gst.map { [$0] } ?? [], forKey: "gst") { $0.write(to: &$1) }
            object.append(sky.map { [$0] } ?? [], forKey: "sky") { $0.write(to: &$1) }
        }
    }
}
