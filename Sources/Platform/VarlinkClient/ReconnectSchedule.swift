import Chronology

/// When a call connects to the daemon again, and when it gives up.
///
/// The delay between attempts doubles from ``Limits/firstDelay`` to ``Limits/maximumDelay``. A call
/// fails if no daemon has answered it for ``Limits/answerTimeout``. The caller passes the time in.
package struct ReconnectSchedule: Sendable, Hashable {
    /// The times that a schedule depends on.
    package struct Limits: Sendable, Hashable {
        /// The delay after the first lost connection.
        package var firstDelay: Instant.Span
        /// The longest delay. A connection that lasts as long resets the delay, so that a daemon
        /// which ends after each answer is not started at full speed. A new connection has as long
        /// to answer, even at the end of ``answerTimeout``.
        package var maximumDelay: Instant.Span
        /// The time without an answer after which a call fails.
        package var answerTimeout: Instant.Span

        /// Creates limits; the defaults are those of all programs outside tests.
        package init(
            firstDelay: Instant.Span = .milliseconds(100), maximumDelay: Instant.Span = .seconds(5),
            answerTimeout: Instant.Span = .seconds(30)
        ) {
            self.firstDelay = firstDelay
            self.maximumDelay = maximumDelay
            self.answerTimeout = answerTimeout
        }
    }

    private let limits: Limits
    private var backoff = ExponentialBackoff()
    /// Since when the call waits for an answer; nil while a connection answers.
    private var unansweredSince: Instant?
    /// When the present connection began, until it answers.
    private var connectedSince: Instant?
    /// When the present connection answered for the first time.
    private var answeredSince: Instant?

    /// Creates the schedule of a call that begins at `now` with its first attempt.
    package init(limits: Limits, at now: Instant) {
        self.limits = limits
        unansweredSince = now
    }

    /// When the call fails unless it is answered before; nil while a connection answers.
    package var deadline: Instant? {
        guard let end = unansweredSince.map({ $0 + limits.answerTimeout }) else { return nil }
        return max(end, connectedSince.map { $0 + limits.maximumDelay } ?? end)
    }

    /// Records a new connection, which has not answered yet.
    package mutating func recordConnection(at now: Instant) { connectedSince = now }

    /// Records a reply of the daemon.
    package mutating func recordReply(at now: Instant) {
        unansweredSince = nil
        connectedSince = nil
        if answeredSince == nil { answeredSince = now }
    }

    /// Records that a call continues although its time without an answer is over. Returns when to
    /// connect again.
    package mutating func restart(at now: Instant) -> Instant {
        let next = now + limits.maximumDelay
        (unansweredSince, connectedSince) = (next, nil)
        return next
    }

    /// Records a failed attempt or a lost connection. Returns when to connect again, or nil if the
    /// call must fail.
    package mutating func recordLoss(at now: Instant) -> Instant? {
        if let answeredSince, now - answeredSince >= limits.maximumDelay { backoff.reset() }
        answeredSince = nil
        connectedSince = nil
        let end = deadline ?? now + limits.answerTimeout
        if unansweredSince == nil { unansweredSince = now }
        guard now < end else { return nil }
        // The last attempt is at the end itself, so that a daemon that starts late is found.
        return min(now + backoff.next(from: limits.firstDelay, max: limits.maximumDelay), end)
    }
}
