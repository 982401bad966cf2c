/// The battery of the device.
public struct Battery: Sendable, Equatable {
    /// What the battery does, with the numbers of OwnTracks' member `bs`.
    public enum State: Int64, Sendable {
        case unknown = 0
        case unplugged = 1
        case charging = 2
        case full = 3
    }

    /// The level in percent, 0 to 100.
    public var level: Int64
    /// What the battery does.
    public var state: State

    /// Creates the state of a battery.
    public init(level: Int64, state: State) {
        self.level = level
        self.state = state
    }

    /// Reads the attributes `capacity` and `status` of the kernel
    /// (Documentation/ABI/testing/sysfs-class-power); nil without a level.
    public init?(capacity: String, status: String) {
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
