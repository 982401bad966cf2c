import Delivery

// SiRFstar III and IV [D; MA; VI; FX]. No version poll and no sleep in NMEA that the line would end: PSRF117 needs the ON_OFF pin.
extension CommandTable {
    static let sirf = CommandTable(
        family: .sirf,
        // PSRF103: whole seconds between two sentences; the receiver goes on at its own pace.
        periods: .oneOf([10_000, 5000, 4000, 3000, 2000, 1000]),
        setPeriod: { period, heard in
            sirfSentences.filter { heard.contains($0.0) }.map { .sentence("PSRF103,\($0.1),0,\(max(period / 1000, 1)),1") }
        })

    /// Numbers of PSRF103. GSV is left as it is: it comes more seldom than the others, and how seldom could not be put back.
    private static let sirfSentences = [("GGA", "0"), ("GLL", "1"), ("GSA", "2"), ("RMC", "4"), ("VTG", "5")]
}
