import Delivery

// Zhongke AT6558 and AT6668 [FS; D]. NMEA commands have no answers: silence and new sentences are all there is to go by.
extension CommandTable {
    static let casic = CommandTable(
        family: .casic,
        // PCAS02.
        periods: .oneOf([1000, 500, 250, 200, 100]),
        setPeriod: { period, _ in [.sentence("PCAS02,\(period)")] },
        // PCAS03 states the whole set: what is heard stays, GST comes last.
        setErrorSentence: { on, heard in [.sentence(casicSet(heard, errorSentence: on))] },
        // PCAS11: 0 portable, 2 walking, 3 car, 5 airborne below 1 g.
        setDynamics: { [.sentence("PCAS11,\($0.casicModel)")] },
        sleeps: [.casicStandby])

    /// PCAS03: GGA, GLL, GSA, GSV, RMC, VTG, ZDA, ANT, DHV, LPS, two reserved, UTC, GST.
    private static func casicSet(_ heard: HeardSentences, errorSentence: Bool) -> String {
        let first = ["GGA", "GLL", "GSA", "GSV", "RMC", "VTG", "ZDA", "TXT", "DHV", "LPS"].map { heard.contains($0) ? "1" : "0" }
        return "PCAS03," + (first + ["", "", "0", errorSentence ? "1" : "0"]).joined(separator: ",")
    }
}

extension SleepMethod {
    /// PCAS12 in seconds. Bytes end it on most, and on some clones only the timer does [FS]: so it is never long.
    static let casicStandby = SleepMethod(
        name: .casicStandby, enter: { .sentence("PCAS12,\($0 ?? 60)") }, waking: .byte([13, 10]), timer: 5...60, losesSettings: true)
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
