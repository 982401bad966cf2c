import Chronology

@_exported import enum SextantAPI.StartKind

/// The start of a receiver: from the opening of its port, or the end of a long sleep, to its first
/// fix.
package struct ReceiverStart: Sendable, Equatable {
    /// What the receiver knew.
    package var kind: StartKind
    /// The time to the first fix.
    package var duration: Instant.Span
    package var assisted: Set<AssistanceKind>
}

/// Follows the starts of a receiver, and decides when it is given assistance.
package struct StartTracker: Sendable {
    /// The shortest sleep whose end is a start: shorter ones end with a fix within a second or two.
    static let minGap = Instant.Span.seconds(600)
    /// The time for which a receiver uses its ephemerides. After it, a start needs assistance.
    private static let hotGap = Instant.Span.seconds(7200)
    /// The time for which it uses its almanac.
    private static let warmGap = Instant.Span.seconds(14 * 86_400)

    /// A start without a fix yet.
    private struct Pending: Sendable {
        var start: Instant
        /// How long the receiver had no fix before; nil if unknown.
        var gap: Instant.Span?
        /// Whether the port was opened, so that the receiver may have been running before.
        var isOpening: Bool
        var assisted: Set<AssistanceKind> = []
    }

    /// What the receiver may be told; nil for nothing.
    package var assistance: StartAssistance?
    /// What is given back at the next opening of the port; nil for nothing.
    package var data: SatelliteData?
    private var pending: Pending?
    /// When the receiver last had a fix before it was put to sleep; nil if it had none since the
    /// port was opened.
    private var lastFix: Instant?
    /// Whether the last epoch had a fix; nil if there was none since the port was opened or the
    /// receiver slept.
    private var hasFix: Bool?
    private var isAsleep = false

    /// Whether a start has not been given anything. It may wait for the first epoch.
    var isUnassisted: Bool { pending?.assisted.isEmpty ?? false }

    /// Begins a start, because the port was opened.
    mutating func portOpened(at now: Instant) {
        pending = Pending(start: now, gap: assistance?.place.map { now - $0.instant }, isOpening: true)
        (lastFix, hasFix) = (nil, nil)
        isAsleep = false
    }

    /// Records that the receiver is put to sleep.
    mutating func fellAsleep(at now: Instant) {
        if hasFix == true { lastFix = now }
        (pending, isAsleep) = (nil, true)
    }

    /// Records that the receiver did not fall asleep.
    mutating func stayedAwake() { isAsleep = false }

    /// Begins a start if the last fix was long ago. A sleep may consist of several by a timer.
    mutating func woke(at now: Instant) {
        (isAsleep, hasFix) = (false, nil)
        let gap = lastFix.map { now - $0 }
        guard gap.map({ $0 >= StartTracker.minGap }) ?? true else { return }
        pending = Pending(start: now, gap: gap, isOpening: false)
    }

    /// Returns the commands that assist a receiver without a fix whose ephemerides are old or not
    /// known.
    mutating func commands(
        for receiver: ReceiverIdentification, on channel: CommandChannel, _ table: CommandTable, at now: Instant
    ) -> [CommandSequence.Step] {
        guard channel.acceptsCommands, let chip = receiver.chip, let assistance, assistance.isCurrent(at: now),
            let start = pending, start.assisted.isEmpty,
            // A receiver may have been running before its port was opened: an epoch shows that.
            start.isOpening ? hasFix == false : hasFix != true && start.gap.map({ $0 > StartTracker.hotGap }) ?? true
        else { return [] }
        let wait = Instant.Span.seconds(table.openingWrapper.isEmpty ? 0 : 1)
        var commands = AssistanceCommands(assistance, for: chip, waits: wait, at: now)
        // A receiver that was only asleep has its data.
        if start.isOpening, let firmware = DatabaseReader.firmware(of: receiver, on: channel),
            let utc = assistance.clock?.utc(at: now)
        {
            commands.add(data?.messages(for: firmware, at: utc) ?? [], baud: channel.baud)
            data = nil
        }
        pending?.assisted = commands.kinds
        return commands.steps
    }

    /// Records whether the last epoch had a fix. Returns the start that ends with it.
    ///
    /// A receiver whose first epoch on an opened port has a fix was running before: that is no
    /// start.
    mutating func recordEpoch(hasFix: Bool, at now: Instant) -> ReceiverStart? {
        guard !isAsleep else { return nil }
        let isFirst = self.hasFix == nil
        self.hasFix = hasFix
        guard hasFix else { return nil }
        data = nil
        guard let start = pending else { return nil }
        pending = nil
        guard !start.isOpening || !isFirst else { return nil }
        return ReceiverStart(
            kind: StartTracker.kind(of: start), duration: now - start.start, assisted: start.assisted)
    }

    private static func kind(of start: Pending) -> StartKind {
        guard start.assisted.isEmpty else { return .aided }
        guard let gap = start.gap, gap <= warmGap else { return .cold }
        return gap <= hotGap ? .hot : .warm
    }
}
