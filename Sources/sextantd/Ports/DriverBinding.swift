import Chronology
import Delivery
import Receivers
import Systemd

/// The link between a port and its receiver's driver: the driver, if one is needed, and its
/// reported state.
struct DriverBinding {
    /// The maximum size of the write queue in bytes, a few of the longest commands.
    static let maxUnsent = 1024

    /// Whether receivers may be configured at all.
    let power: Settings.Power
    /// The current plan of the core; `nil` before the first one.
    var plan: ReceiverPlan?
    private(set) var driver: ReceiverDriver?
    /// A copy of the driver's flag, read after every line. The driver is too large to access that
    /// often.
    private(set) var isListening = false
    private(set) var needsImmediateReads = false
    private(set) var deadline: Instant?
    /// The driver's report; `nil` without a driver.
    private(set) var report: DriverReport?
    /// The identity of the device that the driver controls.
    var identity: String?
    /// The driver's report that was last published.
    var publishedReport: DriverReport?
    /// Whether the driver was notified that the port is open.
    var hasReportedOpen = false
    /// Whether the driver closed the port, as opposed to a lost port.
    var isClosedByDriver = false
    /// Whether the program is shutting down, so that no new driver is created.
    var isShuttingDown = false
    /// The events that the descriptor is watched for.
    var watched: IOEvents = .readable
    private var unsent: [UInt8] = []

    init(_ power: Settings.Power) { self.power = power }

    var hasUnsent: Bool { !unsent.isEmpty }

    var hasDriver: Bool { report != nil }

    /// Sets or removes the driver.
    mutating func set(_ driver: ReceiverDriver?) {
        self.driver = driver
        refresh()
    }

    /// Passes an event to the driver in place and returns the resulting actions.
    mutating func note(_ event: (inout ReceiverDriver) -> Void) -> [DriverAction] {
        driver?.update(event)
        refresh()
        return driver?.takeActions() ?? []
    }

    private mutating func refresh() {
        isListening = driver?.usesInput ?? false
        needsImmediateReads = driver?.needsImmediateReads ?? false
        (deadline, report) = (driver?.deadline, driver?.report)
    }

    /// Appends a command to the write queue. A command that does not fit is dropped as a whole,
    /// because a partial command would be invalid.
    ///
    /// - Returns: Whether it fitted.
    mutating func queue(_ bytes: [UInt8]) -> Bool {
        guard unsent.count + bytes.count <= DriverBinding.maxUnsent else { return false }
        unsent += bytes
        return true
    }

    /// The bytes in the write queue.
    var waiting: [UInt8] { unsent }

    /// Removes bytes that were written.
    mutating func sent(_ count: Int) { unsent.removeFirst(min(count, unsent.count)) }

    /// Discards the write queue, because the port was closed.
    mutating func forgetUnsent() {
        unsent.removeAll()
        watched = .readable
    }
}
