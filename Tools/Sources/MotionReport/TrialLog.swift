/// A log below the captures folder with the movement that it contains.
package struct TrialLog: Sendable {
    /// The movement of the device.
    package enum Kind: String, Sendable {
        case rest, walk, drive, ship, mixed
    }

    /// The path below the captures folder.
    package let file: String
    /// The movement of the device.
    package let kind: Kind

    /// The logs that are long enough to show a stationary state, and those with movement.
    package static let all = [
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
