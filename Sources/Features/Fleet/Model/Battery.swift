/// The battery of the device.
package struct Battery: Sendable, Equatable {
    /// What the battery does, with the numbers of OwnTracks' member `bs`.
    package enum State: Int64, Sendable {
        /// The kernel does not know it.
        case unknown = 0
        /// The battery supplies the device.
        case unplugged = 1
        /// A charger is connected.
        case charging = 2
        /// A charger is connected, and the battery is full.
        case full = 3
    }

    /// The level in percent, 0 to 100.
    package var level: Int64
    /// What the battery does.
    package var state: State

    /// Creates the state of a battery.
    package init(level: Int64, state: State) {
        self.level = level
        self.state = state
    }

    /// Reads the attributes `capacity` and `status` of the kernel
    /// (Documentation/ABI/testing/sysfs-class-power); nil without a level.
    package init?(capacity: String, status: String) {
        guard let level = Int64(capacity), (0...100).contains(level) else { return nil }
        let state: State =
            switch status {
            case "Discharging": .unplugged
            case "Charging", "Not charging": .charging
            case "Full": .full
            default: .unknown
            }
        self.init(level: level, state: state)
    }

    /// Whether a charger is connected; nil if it is not known.
    var isCharging: Bool? { state == .unknown ? nil : state != .unplugged }
}
