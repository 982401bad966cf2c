/// The known differences between this core and gpsd, with their number and reason. A difference
/// that disappears fails the test like a new one.
enum GpsdExceptions {
    /// How an epoch of gpsd differs.
    enum Difference: String, CaseIterable {
        /// We have a fix at the same time of another day.
        case day
        /// We have no fix.
        case missing
        /// Our position is more than 1e-6 degrees away.
        case position
    }

    struct Row {
        var log: String
        var difference: Difference
        var count: Int
        var reason: String
    }

    static let table = [
        Row(
            log: "neo-m8n", difference: .day, count: 22,
            reason:
                "gpsd does not read the header's `# Date = 2015-03-18` and moves the date 1,024 weeks into the "
                + "future, to 2034"
        ),
        Row(
            log: "rst39", difference: .day, count: 40,
            reason: "gpsd does not read the header's `# Date =` and moves the date 1,024 weeks into the future, to 2033"
        ),
        Row(
            log: "tcp-torture", difference: .day, count: 1,
            reason: "played to gpsd over TCP, without the header's date; it moves 2007 by 1,024 weeks to 2027"),
        Row(
            log: "ublox8-uniqid-monhw", difference: .missing, count: 2,
            reason: "these two epochs are in the log as UBX NAV-PVT only; binary protocols are not read"),
        Row(
            log: "bundg_zeus_9", difference: .position, count: 1,
            reason:
                "a plotter moves on within its bursts; gpsd reports GLL of this second and never the RMC after it, "
                + "0.4 m on"
        ),
        Row(
            log: "telit-he910", difference: .missing, count: 1,
            reason: "its clock steps back by 0.3 s for one epoch; the time of a receiver's fixes never goes back"),
        Row(
            log: "ericsson-gru04", difference: .missing, count: 1,
            reason:
                "examples of sentences of two moments in one list; the GLL is 55 s older than the GGA before it, and "
                + "older than the fix"
        ),
        Row(
            log: "ericsson-gru04-02-70sec", difference: .position, count: 2,
            reason:
                "once a minute PERC,GPavp, the mean of past positions, 18 m away; gpsd takes it for the fix of GNS "
                + "and GLL"
        ),
    ]

    static func count(log: String, difference: Difference) -> Int {
        table.filter { $0.log == log && $0.difference == difference }.reduce(0) { $0 + $1.count }
    }
}
