import Chronology

/// When the monitors need the next fix. It changes with every fix and supplements the ``Demand`` of
/// streams.
///
/// The monitors update it after each fix, before the planner processes that fix. Until
/// ``notBefore`` the device cannot reach a boundary at any plausible speed, so the receiver may
/// sleep while moving or stationary.
///
/// A stationary device crosses no boundary, so it needs no fix even then. Checks at the interval of
/// ``stationaryCheckInterval`` detect that it has departed. The later of the two times applies.
public struct NextFixRequest: Sendable, Equatable {
    /// The earliest time at which a fix is needed. It is the current time plus the distance to the
    /// nearest boundary, less the fix error, divided by the maximum plausible speed. A time in the
    /// past requests every fix.
    public var notBefore: Instant
    /// The interval between checks of a stationary device.
    public var stationaryCheckInterval: CheckInterval
    /// Whether the last fix left a decision open, such as a crossing that a second fix must
    /// confirm. The receiver keeps running until this is false, even while stationary.
    public var needsConfirmation: Bool

    /// Creates a request for the next fix.
    public init(
        notBefore: Instant, stationaryCheckInterval: CheckInterval = .monitoring, needsConfirmation: Bool = false
    ) {
        self.notBefore = notBefore
        self.stationaryCheckInterval = stationaryCheckInterval
        self.needsConfirmation = needsConfirmation
    }
}

extension CheckInterval {
    /// For monitors that publish a crossing within a minute. From a kerb, a vehicle covers 150 m in
    /// 12 s at 13 m/s. A check that finds the device gone takes up to 15 s to confirm it.
    public static let monitoring = CheckInterval(first: .seconds(30), last: .seconds(40))
}
