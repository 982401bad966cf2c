import Chronology
import Locator
import Positioning

/// A recorded log with its receiver and conditions.
package struct RecordedLog: Sendable {
    /// The path below the captures folder.
    package let file: String
    /// The receiver and where it was recorded.
    package let remark: String

    /// Logs of stationary receivers that last one minute or longer.
    ///
    /// Errors keep their direction for about a minute. The scatter of a shorter log about its own
    /// median shows little more than the receiver's filter.
    package static let atRest = [
        RecordedLog(file: "recorded/signalk_gps.log", remark: "SiRF, poor sky, 20 min"),
        RecordedLog(file: "recorded/signalk_gofree.log", remark: "plotter on a moored boat, 142 s"),
        RecordedLog(file: "recorded/nmeaplotter.log", remark: "four constellations, cold start, 98 s"),
        RecordedLog(file: "gpsd/telit-he910.log", remark: "modem, 187 s"),
        RecordedLog(file: "gpsd/quectel-l76k-dual.log", remark: "AT6558, 130 s"),
        RecordedLog(file: "gpsd/skytraq-dgps.log", remark: "SkyTraq with DGPS, GST, 96 s"),
        RecordedLog(file: "gpsd/ublox-8.log", remark: "MAX-M8Q, 72 s"),
        RecordedLog(file: "gpsd/ublox-neo-m9n-nmea.log", remark: "NEO-M9N with SBAS, GST, 61 s"),
    ]

    /// Logs of stationary receivers that last 10 s to one minute. They are shown but not part of
    /// the result.
    package static let shortAtRest = [
        "bt-q818", "bu353s4", "cat-ms352", "com-1289", "et-332", "furuno_gl_ga", "gpslim236", "mr-350p",
        "navika-100-fix", "nd-1005",
        "neo-m8n",
        "nl551e", "pharos-360", "quectel", "quectel-l76k-nmea", "quectelLC79D", "quectelLC79D-1", "skytraq-fix",
        "telit-pls83-w",
        "ublox-lea-5h", "ublox-zed-f9p-nmea", "ublox-zed-f9r",
    ].map { RecordedLog(file: "gpsd/\($0).log", remark: "") }

    /// A drive with a reference receiver.
    package static let drive = RecordedLog(file: "recorded/google_F9K_drive.nmea", remark: "ZED-F9K in a car, 29 min")
    /// The reference track: NovAtel SPAN, post-processed.
    package static let driveReference = "recorded/google_SPAN_reference.gga"

    /// Returns the fixes with a position that the core computes from the bytes of a log.
    package static func fixes(_ bytes: [UInt8]) -> [Fix] {
        var fixes: [Fix] = []
        // Only times of day are compared, so a log without a date can use any day.
        var replay = Replay(
            bytes, options: Replay.Options(receiver: "log", start: UTCTime(rfc3339: "2020-01-01T00:00:00Z")))
        replay.run { effect in
            if case .receiver(.epoch(_, let fix)) = effect, fix.coordinate != nil { fixes.append(fix) }
        }
        return fixes
    }
}
