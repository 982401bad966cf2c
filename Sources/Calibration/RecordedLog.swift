import Captures
import Chronology
import Locator
import Positioning

/// A recorded log and what is known of its truth.
public struct RecordedLog: Sendable {
    /// Below the folder of captures.
    public let file: String
    /// The receiver and where it stood.
    public let remark: String

    /// Logs of a receiver at rest that last a minute or longer, which is as long as errors keep their direction: a shorter log's scatter
    /// about its own median shows hardly anything but the receiver's filter.
    public static let atRest = [
        RecordedLog(file: "recorded/signalk_gps.log", remark: "SiRF, poor sky, 20 min"),
        RecordedLog(file: "recorded/signalk_gofree.log", remark: "plotter on a moored boat, 142 s"),
        RecordedLog(file: "recorded/nmeaplotter.log", remark: "four constellations, cold start, 98 s"),
        RecordedLog(file: "gpsd/telit-he910.log", remark: "modem, 187 s"),
        RecordedLog(file: "gpsd/quectel-l76k-dual.log", remark: "AT6558, 130 s"),
        RecordedLog(file: "gpsd/skytraq-dgps.log", remark: "SkyTraq with DGPS, GST, 96 s"),
        RecordedLog(file: "gpsd/ublox-8.log", remark: "MAX-M8Q, 72 s"),
        RecordedLog(file: "gpsd/ublox-neo-m9n-nmea.log", remark: "NEO-M9N with SBAS, GST, 61 s"),
    ]

    /// Logs of a receiver at rest of 10 s to a minute. Shown, not counted.
    public static let shortAtRest = [
        "bt-q818", "bu353s4", "cat-ms352", "com-1289", "et-332", "furuno_gl_ga", "gpslim236", "mr-350p", "navika-100-fix", "nd-1005",
        "neo-m8n",
        "nl551e", "pharos-360", "quectel", "quectel-l76k-nmea", "quectelLC79D", "quectelLC79D-1", "skytraq-fix", "telit-pls83-w",
        "ublox-lea-5h", "ublox-zed-f9p-nmea", "ublox-zed-f9r",
    ].map { RecordedLog(file: "gpsd/\($0).log", remark: "") }

    /// A drive beside a reference.
    public static let drive = RecordedLog(file: "recorded/google_F9K_drive.nmea", remark: "ZED-F9K in a car, 29 min")
    /// The reference: NovAtel SPAN, post-processed.
    public static let driveReference = "recorded/google_SPAN_reference.gga"

    /// The fixes with a position that the core makes of a log's bytes.
    public static func fixes(_ bytes: [UInt8]) -> [Fix] {
        var fixes: [Fix] = []
        // Times of day are all that is compared; any day will do where a log tells none.
        var replay = Replay(bytes, Replay.Options(receiver: "log", start: UTCTime(rfc3339: "2020-01-01T00:00:00Z")))
        replay.run { effect in
            if case .epoch(_, let fix) = effect, fix.coordinate != nil { fixes.append(fix) }
        }
        return fixes
    }
}
