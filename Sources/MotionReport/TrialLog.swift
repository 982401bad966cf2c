/// A log of ../shared/captures and what is known of it.
public struct TrialLog: Sendable {
    /// What the device did.
    public enum Kind: String, Sendable {
        case rest, walk, drive, ship, mixed
    }

    /// Path below the folder of captures.
    public let file: String
    /// What the device did.
    public let kind: Kind

    /// Logs that are long enough to show a rest, and those that move.
    public static let all = [
        TrialLog(file: "recorded/signalk_gps.log", kind: .rest),
        TrialLog(file: "recorded/signalk_gofree.log", kind: .rest),
        TrialLog(file: "recorded/aerorust_nmea1.log", kind: .mixed),
        TrialLog(file: "recorded/dotmorten_sample.nmea", kind: .drive),
        TrialLog(file: "recorded/gnsslib_pixel6.nmea", kind: .mixed),
        TrialLog(file: "recorded/google_F9K_drive.nmea", kind: .drive),
        TrialLog(file: "recorded/nmeaplotter.log", kind: .mixed),
        TrialLog(file: "recorded/openrvdas_PCOD.log", kind: .ship),
        TrialLog(file: "recorded/openrvdas_gp02.log", kind: .ship),
        TrialLog(file: "recorded/openrvdas_seap.log", kind: .ship),
        TrialLog(file: "recorded/signalk_plaka.log", kind: .ship),
    ]
}
