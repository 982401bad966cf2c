import Chronology
import Geodesy

/// What a receiver is told before its first fix: the time, and the last place of the device.
///
/// It holds both as of an instant, so that a command that is written later has the right ones.
package struct StartAssistance: Sendable, Equatable {
    /// The time; nil if the host's clock is not believed. Nothing is sent then: a wrong time is
    /// worse than none.
    package var clock: BelievedClock?
    /// The last place; nil if none is known.
    package var place: LastPlace?

    /// Creates assistance with what is known.
    package init(clock: BelievedClock? = nil, place: LastPlace? = nil) { (self.clock, self.place) = (clock, place) }

    /// Whether it may still be given: it is a minute old at most. Since an older one, the clock may
    /// have been set, and the place forgotten.
    func isCurrent(at now: Instant) -> Bool { clock.map { now - $0.instant <= .seconds(60) } ?? false }
}

/// The time of a clock that is believed.
package struct BelievedClock: Sendable, Equatable {
    /// How much the error grows: 100 ppm, twice the tolerance of the crystals in computers.
    private static let drift = 100e-6

    private let utc: UTCTime
    fileprivate let instant: Instant
    private let error: Instant.Span

    /// Creates the time `utc` at an instant, with its maximum error then.
    package init(_ utc: UTCTime, at instant: Instant, error: Instant.Span) {
        self.utc = utc
        (self.instant, self.error) = (instant, error)
    }

    /// Returns the time at an instant.
    package func utc(at now: Instant) -> UTCTime { utc.advanced(by: now - instant) }

    package func error(at now: Instant) -> Instant.Span {
        error + .seconds(max(0, (now - instant).seconds) * BelievedClock.drift)
    }
}

/// The last position of the device.
package struct LastPlace: Sendable, Equatable {
    /// The speed at which a device may have moved since, in m/s: 100 km/h.
    private static let speed = 100 / 3.6
    /// The smallest radius in metres. The first fix of a receiver that trusts a wrong place would
    /// be late.
    private static let minRadius = 3000.0

    package var coordinate: Coordinate
    /// Metres above the ellipsoid; nil if unknown.
    package var altitude: Double?
    /// R68 of the position in metres.
    package var accuracy: Double
    package var instant: Instant

    package init(_ coordinate: Coordinate, altitude: Double?, accuracy: Double, at instant: Instant) {
        (self.coordinate, self.altitude) = (coordinate, altitude)
        (self.accuracy, self.instant) = (accuracy, instant)
    }

    /// Returns the radius in metres in which the device is at an instant.
    package func radius(at now: Instant) -> Double {
        max(accuracy, (now - instant).seconds * LastPlace.speed, LastPlace.minRadius)
    }
}

/// Decides whether the host's clock is believed: the kernel says that it is synchronised, or it was
/// right at the last fix of this boot and was not set since.
package struct ClockTrust: Sendable {
    /// The difference to a fix up to which the clock is right.
    private static let tolerance = Instant.Span.seconds(2)
    /// The longest delay from the moment of a fix to its processing: a port may be read every 4.5
    /// s, and a slow line has sentences of a second before.
    private static let maxDelay = Instant.Span.seconds(10)
    /// How long a comparison with a fix is not repeated.
    private static let interval = Instant.Span.seconds(60)

    /// When the clock was right, and the time that it showed then.
    private var confirmed: (instant: Instant, utc: UTCTime)?
    /// Whether the last fix had another time than the clock.
    private var isContradicted = false

    /// Creates the trust of a boot without a fix.
    package init() {}

    /// Whether a fix would be compared.
    package func isDue(at now: Instant) -> Bool {
        confirmed.map { now - $0.instant >= ClockTrust.interval } ?? true
    }

    /// Compares the clock with the time of a fix that has just been received.
    package mutating func compare(_ host: UTCTime, withFix fix: UTCTime, at now: Instant) {
        let difference = host.span(since: fix)
        if difference >= .zero - ClockTrust.tolerance, difference <= ClockTrust.tolerance {
            (confirmed, isContradicted) = ((now, host), false)
        } else if difference < .zero || difference > ClockTrust.maxDelay {
            (confirmed, isContradicted) = (nil, true)
        }
    }

    /// Returns the clock if it is believed.
    ///
    /// - Parameters:
    ///   - host: The time that it shows now.
    ///   - error: The maximum error by the kernel; nil if the kernel does not call the clock
    ///     synchronised.
    package func clock(_ host: UTCTime, synchronizedWithin error: Instant.Span?, at now: Instant) -> BelievedClock? {
        guard !isContradicted else { return nil }
        if let error { return BelievedClock(host, at: now, error: error) }
        guard let confirmed else { return nil }
        let last = BelievedClock(confirmed.utc, at: confirmed.instant, error: ClockTrust.tolerance)
        let step = host.span(since: last.utc(at: now))
        guard max(step, .zero - step) <= last.error(at: now) else { return nil }
        return BelievedClock(host, at: now, error: last.error(at: now))
    }
}
