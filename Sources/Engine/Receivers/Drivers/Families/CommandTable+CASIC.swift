import Locator

// Zhongke AT6558 and AT6668 [FS; D]. NMEA commands have no replies; only silence and new sentences
// show their effect.
extension CommandTable {
    static let casic = CommandTable(
        family: .casic,
        // PCAS02.
        periods: .oneOf([1000, 500, 250, 200, 100]),
        setPeriod: { period, _ in [.sentence("PCAS02,\(period)")] },
        // PCAS03 sets all sentences at once: sentences the receiver already sends stay enabled, and
        // GST is the last field.
        setErrorEstimateOutput: { on, received in [.sentence(casicSet(received, errorEstimate: on))] },
        // PCAS11: 0 portable, 2 walking, 3 car, 5 airborne below 1 g.
        setDynamics: { [.sentence("PCAS11,\($0.casicModel)")] },
        sleepMethods: [.casicStandby])

    /// PCAS03: GGA, GLL, GSA, GSV, RMC, VTG, ZDA, ANT, DHV, LPS, two reserved, UTC, GST.
    private static func casicSet(_ received: SentenceFormatters, errorEstimate: Bool) -> String {
        let first = ["GGA", "GLL", "GSA", "GSV", "RMC", "VTG", "ZDA", "TXT", "DHV", "LPS"].map {
            received.contains($0) ? "1" : "0"
        }
        return "PCAS03," + (first + ["", "", "0", errorEstimate ? "1" : "0"]).joined(separator: ",")
    }
}

extension SleepMethod {
    /// PCAS12, in seconds. Bytes on the line end it on most chips; on some clones only the timer
    /// does [FS]. The timer is therefore short.
    static let casicStandby = SleepMethod(
        name: .casicStandby, makeSleepCommand: { .sentence("PCAS12,\($0 ?? 60)") }, wakeTrigger: .byte([13, 10]),
        timer: 5...60, losesSettings: true)
}

extension Dynamics {
    fileprivate var casicModel: Int {
        switch self {
        case .any: 0
        case .pedestrian: 2
        case .automotive: 3
        case .airborne: 5
        }
    }
}
