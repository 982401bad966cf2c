import SextantAPI

/// The lines that were received from a port, and how many of them were damaged.
struct ReceivedLines: Equatable {
    var total: Int
    var damaged: Int

    /// The tolerated share of damaged lines. A good line damages none.
    static let maxDamagedShare = 0.01
    /// The minimum number of lines for a meaningful share.
    static let minLines = 20
    /// The minimum number of damaged lines. Fewer prove nothing: the first line after the opening
    /// of a port is often joined from the parts of two, and so are those at a sleep and a wake.
    static let minDamaged = 3

    init(total: Int, damaged: Int) {
        self.total = total
        self.damaged = damaged
    }

    init(_ counts: ReceiverCounts) {
        damaged = ReceiverFormatter.damaged(counts)
        total = counts.sentences + damaged
    }

    /// Creates the lines received between two reports. A port that was opened again counts from 0.
    init(from earlier: ReceiverCounts, to counts: ReceiverCounts) {
        let (before, now) = (ReceivedLines(earlier), ReceivedLines(counts))
        total = max(now.total - before.total, 0)
        damaged = min(max(now.damaged - before.damaged, 0), total)
    }

    /// Returns what to check because of the kind of damage that most lines have.
    static func remedy(for counts: ReceiverCounts) -> String {
        counts.missingChecksums * 2 > ReceiverFormatter.damaged(counts)
            ? "most of them end before their checksum: check whether a cable or a multiplexer loses characters"
            : "check for a long or unshielded cable, a loose ground, or a baud rate too low for the data"
    }

    /// The share of damaged lines, 0 to 1.
    var damagedShare: Double { total == 0 ? 0 : Double(damaged) / Double(total) }

    /// Whether more lines are damaged than a good line explains.
    var isFaulty: Bool {
        total >= ReceivedLines.minLines && damaged >= ReceivedLines.minDamaged
            && damagedShare > ReceivedLines.maxDamagedShare
    }

    /// Returns whether the doctor must watch a receiver to judge its lines. Lines that are faulty
    /// may be those of one wake, so that it must watch longer.
    ///
    /// The counts of the daemon contain every wake of a receiver, every opening of its port and
    /// every baud rate that was tried, and each of them damages lines. They only raise a suspicion,
    /// also by their number: the share hides new damage behind the good lines of days.
    static func needsRecent(_ port: Observations.Port, phase: ReceiverPhase) -> Bool {
        guard phase == .running, port.isOpenInDaemon, let receiver = port.receiver else { return false }
        guard receiver.state == .hasFix || receiver.state == .sendingWithoutFix else { return false }
        let all = ReceivedLines(receiver.counts)
        guard all.isFaulty || all.damaged >= minLines else { return false }
        guard let recent = port.recentLines, !recent.isFaulty else { return true }
        return recent.total < minLines || port.watchedSeconds < minWatchedSeconds
    }

    /// The time in which a receiver sends at least two bursts.
    private static let minWatchedSeconds = 3.0
}
