// SiRFstar III and IV [D; MA; VI; FX]. NMEA has no version poll and no sleep that the serial line
// could end: PSRF117 needs the ON_OFF pin.
extension CommandTable {
    static let sirf = CommandTable(
        family: .sirf,
        // PSRF103: whole seconds between two sentences; the receiver's own fix rate does not
        // change.
        periods: .oneOf([10_000, 5000, 4000, 3000, 2000, 1000]),
        setPeriod: { period, received in
            sirfSentences.filter { received.contains($0.0) }.map {
                .sentence("PSRF103,\($0.1),0,\(max(period / 1000, 1)),1")
            }
        })

    /// Message numbers of PSRF103. GSV is not changed: it is sent less often than the others, and
    /// its original rate could not be restored.
    private static let sirfSentences = [("GGA", "0"), ("GLL", "1"), ("GSA", "2"), ("RMC", "4"), ("VTG", "5")]
}
