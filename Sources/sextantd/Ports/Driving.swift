import Chronology
import Delivery
import Receivers
import Systemd

/// What a port holds to make its receiver do what the core plans: the driver, once there is a reason for one, and what it has said.
struct Driving {
    /// Bytes that wait for room on the line, at most: a few of the longest commands.
    static let mostUnsent = 1024

    /// Whether receivers may be told at all.
    let power: Settings.Power
    /// The core's word; nil until it has spoken.
    var plan: ReceiverPlan?
    private(set) var driver: ReceiverDriver?
    /// What is asked of the driver after every line: it is too large to be looked into so often.
    private(set) var isListening = false
    private(set) var isInHurry = false
    private(set) var deadline: Instant?
    /// What the driver has achieved; nil where there is none.
    private(set) var report: DriverReport?
    /// The device that the driver knows.
    var identity: String?
    /// What was last told of the driver.
    var told: DriverReport?
    /// The driver has been told that the port is open.
    var knowsOpen = false
    /// Closed by the driver's wish, not lost.
    var isClosed = false
    /// No more is begun: the program ends.
    var isEnding = false
    /// What the descriptor is watched for.
    var watched: IOEvents = .readable
    private var unsent: [UInt8] = []

    init(_ power: Settings.Power) { self.power = power }

    var hasUnsent: Bool { !unsent.isEmpty }

    var hasDriver: Bool { report != nil }

    /// Takes a driver over, or lets the one there is go.
    mutating func set(_ driver: ReceiverDriver?) {
        self.driver = driver
        look()
    }

    /// Lets something happen to the driver where it is kept; returns what it then wants.
    mutating func note(_ event: (inout ReceiverDriver) -> Void) -> [DriverAction] {
        driver?.note(event)
        look()
        return driver?.takeActions() ?? []
    }

    private mutating func look() {
        isListening = driver?.isListening ?? false
        isInHurry = driver?.isInHurry ?? false
        (deadline, report) = (driver?.deadline, driver?.report)
    }

    /// Puts bytes behind those that wait. A command that does not fit is left out whole: half of one would be noise.
    ///
    /// - Returns: whether it fitted.
    mutating func queue(_ bytes: [UInt8]) -> Bool {
        guard unsent.count + bytes.count <= Driving.mostUnsent else { return false }
        unsent += bytes
        return true
    }

    /// What waits to be written.
    var waiting: [UInt8] { unsent }

    /// The line has taken so many bytes.
    mutating func sent(_ count: Int) { unsent.removeFirst(min(count, unsent.count)) }

    /// The port is closed: what waited is of no use to the next opening.
    mutating func forgetUnsent() {
        unsent.removeAll()
        watched = .readable
    }
}
