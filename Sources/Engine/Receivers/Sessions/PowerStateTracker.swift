/// Derives the power state of a receiver from its connection, the driver's report and its fixes.
struct PowerStateTracker: Sendable {
    /// The state that determines the receiver's current; nil while its port is closed by others or
    /// has not shown an epoch.
    private(set) var state: ReceiverPowerState?
    /// Whether the last epoch had a fix; nil if there was none since the port was opened.
    private(set) var hasFix: Bool?

    /// Records the end of an epoch. Returns whether that is new.
    mutating func recordEpoch(hasFix: Bool) -> Bool {
        guard hasFix != self.hasFix else { return false }
        self.hasFix = hasFix
        return true
    }

    /// Derives the state. Returns whether it changed.
    ///
    /// - Parameter isReleased: Whether the port was closed on the driver's request.
    mutating func update(isOpen: Bool, isReleased: Bool, _ report: DriverReport?) -> Bool {
        let new = isOpen ? whileOpen(report) : isReleased ? .closed : nil
        if !isOpen, !isReleased { hasFix = nil }
        guard new != state else { return false }
        state = new
        return true
    }

    private mutating func whileOpen(_ report: DriverReport?) -> ReceiverPowerState? {
        guard let hasFix else { return nil }
        if report?.activity == .asleep {
            // After sleep, the receiver searches for satellites first.
            self.hasFix = false
            return report?.state ?? .standby
        }
        return hasFix ? report?.state ?? .tracking : .acquiring
    }
}
