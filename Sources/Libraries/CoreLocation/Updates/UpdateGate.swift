import Foundation

/// Decides which replies of the daemon a stream of updates reports.
///
/// Programs stop at the first update without a location. A receiver that has slept first reports
/// that it starts, and for a while that it has no fix: these replies are held back.
struct UpdateGate {
    /// How long `noFix` is held back after the start of the stream or of the receiver. A cold start
    /// of a receiver takes about half a minute.
    static let warmUpTime = Duration.seconds(45)

    private var end: ContinuousClock.Instant
    private var isWarm = false
    private var held: LocationReply?

    /// A gate of a stream that begins at this time.
    init(at now: ContinuousClock.Instant) {
        end = now + Self.warmUpTime
    }

    /// When ``release(at:)`` has something to report.
    var deadline: ContinuousClock.Instant? { held == nil ? nil : end }

    /// Returns the reply if it is reported now.
    mutating func pass(_ reply: LocationReply, at now: ContinuousClock.Instant) -> LocationReply? {
        held = nil
        guard reply.isUnavailable, reply.flags.isDisjoint(with: .blocking) else {
            if reply.location != nil { isWarm = true }
            return reply.hasContent ? reply : nil
        }
        switch reply.cause {
        case "starting":
            isWarm = false
            end = now + Self.warmUpTime
        case "noFix" where !isWarm && now < end:
            held = reply
        default:
            return reply
        }
        return nil
    }

    /// Returns the held reply if its time has come.
    mutating func release(at now: ContinuousClock.Instant) -> LocationReply? {
        guard let held, now >= end else { return nil }
        self.held = nil
        return held
    }
}
