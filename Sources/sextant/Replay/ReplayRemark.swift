import NMEA

/// Why a capture gave no epoch.
enum ReplayRemark {
    /// What is wrong with a capture of so many bytes, of whose lines this became; said of its file.
    static func onNothing(size: Int, _ counts: InputCounts) -> String {
        if size == 0 { return "is empty" }
        if counts.sentences > 0 {
            let some = counts.sentences == 1 ? "one sentence" : "\(counts.sentences) sentences"
            return "holds \(some), but none that tells of a position, such as GGA or RMC"
        }
        let bad = "holds no sentence with a right checksum; "
        if counts.checksumErrors > 0 { return bad + number(counts.checksumErrors, "has", "have") + " a wrong one" }
        if counts.missingChecksums > 0 { return bad + number(counts.missingChecksums, "has", "have") + " none" }
        return "holds no NMEA sentence"
    }

    private static func number(_ count: Int, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
}
