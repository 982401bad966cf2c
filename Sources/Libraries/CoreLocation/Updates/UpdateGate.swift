import Foundation
internal import SextantAPI

/// Decides which updates of the daemon a stream reports.
///
/// Programs stop at the first update without a location. A receiver that has slept first reports
/// that it starts, and for a while that it has no fix: these updates are held back.
struct UpdateGate {
    /// How long `noFix` is held back after the start of the stream or of the receiver. A cold start
    /// of a receiver takes about half a minute.
    static let warmUpTime = Duration.seconds(45)

    private var end: ContinuousClock.Instant
    private var isWarm = false
    private var held: CLLocationUpdate?

    /// A gate of a stream that begins at this time.
    init(at now: ContinuousClock.Instant) {
        end = now + Self.warmUpTime
    }

    /// When ``release(at:)`` has something to report.
    var deadline: ContinuousClock.Instant? { held == nil ? nil : end }

    /// Returns the update if it is reported now.
    mutating func pass(_ update: CLLocationUpdate, at now: ContinuousClock.Instant) -> CLLocationUpdate? {
        held = nil
        guard update.locationUnavailable, update.flags.isDisjoint(with: .blocking) else {
            if update.location != nil { isWarm = true }
            return update.hasContent ? update : nil
        }
        switch update.reply.cause {
        case .starting:
            isWarm = false
            end = now + Self.warmUpTime
        case .noFix where !isWarm && now < end:
            held = update
        default:
            return update
        }
        return nil
    }

    /// Returns the held update if its time has come.
    mutating func release(at now: ContinuousClock.Instant) -> CLLocationUpdate? {
        guard let held, now >= end else { return nil }
        self.held = nil
        return held
    }
}
