/// `io.sextant.Receiver`, type `Driver`.
public struct DriverMessage: Codable, Sendable, Equatable {
    /// What it is about; raw values are the wire's names.
    public enum Activity: String, Codable, Sendable, CaseIterable {
        /// The port is not open, or has shown nothing yet.
        case unknown
        /// The receiver is asked what it is, or told something.
        case talking
        /// It works as its use asks for.
        case working
        /// The same, saving power between fixes.
        case savingPower
        /// It rests.
        case resting
        /// It works for nobody: its port is closed.
        case unheard
    }

    /// What it is about.
    public var activity: Activity
    /// What it was found to be: "ublox8". Absent while that is unknown.
    public var chip: String?
    /// How it rests. Absent while it does not.
    public var restsBy: String?
    /// Seconds between its fixes, as set and seen. Absent while unknown.
    public var period: Double?
    /// Whether it hears nothing that is written to it.
    public var isDeaf: Bool

    /// The state of a driver.
    public init(activity: Activity, chip: String? = nil, restsBy: String? = nil, period: Double? = nil, isDeaf: Bool = false) {
        (self.activity, self.chip, self.restsBy, self.isDeaf) = (activity, chip, restsBy, isDeaf)
        self.period = Rounded.fine(period)
    }
}
