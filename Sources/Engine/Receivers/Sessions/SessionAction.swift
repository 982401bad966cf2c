import Chronology
import Locator

/// An action that a session requests from the port that it controls. Actions are performed in
/// order.
package enum SessionAction: Sendable, Equatable {
    /// Open the device, then call ``ReceiverSession/opened(_:data:at:)`` or
    /// ``ReceiverSession/openFailed(_:at:)``.
    case open
    /// Close the device.
    case close
    /// Set the baud rate; if the line refuses it, call ``ReceiverSession/baudRateRefused(at:)``.
    case setBaudRate(Int)
    /// Write a command to the receiver; call ``ReceiverSession/wrote(at:)`` when the line has
    /// accepted a part of it.
    case write([UInt8])
    /// Find the other programs that have the device open or may have, then call
    /// ``ReceiverSession/holdersFound(_:at:)``.
    case findHolders
    /// Call ``ReceiverSession/startDriver(_:assistance:at:)`` with what is known of the receiver.
    case startDriver
    /// Report a change to the owner of the port.
    case report(SessionEvent)
}

/// A change of a session that others need to know.
package enum SessionEvent: Sendable, Equatable {
    /// The port turned out to have a receiver. The status is that at this instant.
    case confirmed(PortStatus)
    /// The status of a confirmed port changed.
    case statusChanged(PortStatus)
    /// The status of an unconfirmed port changed. This is useful to a user who expects a receiver
    /// there.
    case unconfirmedStatusChanged(PortStatus)
    /// The baud rate was detected and can be saved.
    case baudRateDetected(Int)
    /// The receiver sent a binary protocol, and sends sentences again after commands.
    case rescued(BinaryProtocol)
    /// The changes made to the receiver, to be saved before they are made; nil if none is left.
    case savedStateChanged(ReceiverStateRecord?)
    /// A start of the receiver ended with a fix.
    case started(ReceiverStart)
    /// The receiver dumped its navigation database, which may be kept.
    case databaseDumped([UInt8], firmware: String)
    /// The driver's report changed.
    case driverReportChanged
    /// The power state changed.
    case powerStateChanged
}

/// What is known of a port when it was opened.
package struct OpenedLine: Sendable {
    /// The bits per second; nil for a port without a baud rate.
    package var baudRate: Int?
    /// The detector of the baud rate, which has chosen the first one; nil if it need not be
    /// detected.
    package var detector: BaudRateDetector?
    /// The baud rate that was last detected for the device.
    package var savedBaudRate: Int?
    /// The changes that an earlier run made to the receiver and did not restore.
    package var savedState: ReceiverStateRecord?

    /// Creates the description of a line without a baud rate and without saved data.
    package init() {}
}

/// The cause of a failure to open a port. The messages name the port.
package enum OpenFailure: Sendable, Equatable {
    /// The device does not exist.
    case notFound
    /// The daemon has no permission.
    case denied(String)
    /// Another program, or another port of the daemon, has the device open.
    case busy(String)
    /// Any other cause.
    case other(String)
}

/// What is known of other programs that may have a port open.
package enum PortUse: Sendable, Equatable {
    /// No program is known that has it open or may have.
    case unused
    /// These programs have it open; the command ends the first.
    case open([String], command: String)
    /// A program runs that configures receivers, and its files cannot be seen; the command ends it.
    case possible(String, command: String)
    /// The programs of other users cannot be seen at all.
    case hidden

    /// Why nothing is written, and what to do, from a separator on.
    var advice: String {
        switch self {
        case .unused: ""
        case .open(let names, let command):
            "; it is not switched while another program has the port open (\(names.joined(separator: ", "))): "
                + "stop that program with \(command), and wait for a minute"
        case .possible(let name, let command):
            "; it is not switched while \(name) runs, which may have the port open: "
                + "stop that program with \(command), and wait for a minute"
        case .hidden:
            "; it is not switched, because /proc hides the programs that may have the port open: "
                + "give sextantd the group of the option gid= of /proc with systemctl edit sextantd.service"
        }
    }
}

/// The configuration of a session's port.
package struct SessionSettings: Sendable {
    /// Whether the configuration names the port. Such a port is awaited while absent and needs no
    /// confirmation.
    package var isConfigured = false
    /// The configured baud rate; nil to detect it.
    package var baudRate: Int?
    /// Whether nothing may be written to the receiver.
    package var isPassive = false
    /// Whether the driver may configure receivers and put them to sleep.
    package var controlsPower = true
    /// Whether receivers shall predict orbits.
    package var predictsOrbits = false
    /// Whether navigation databases are kept.
    package var keepsDatabase = false
    /// Whether receivers that send a binary protocol may be switched to NMEA.
    package var rescues = true

    /// Creates the settings of a discovered port.
    package init() {}
}

/// The wait for the group of a device that has appeared again. The kernel creates the device for
/// root only, and udev sets its group a moment later.
struct PermissionWait: Sendable {
    /// How long the permission may be refused before that is reported.
    static let limit = Instant.Span.seconds(2)

    /// Whether the device was missing when it was last seen.
    private var wasMissing = false
    /// When the permission was first refused since the device appeared again; nil if it was not.
    private var refusedSince: Instant?

    mutating func deviceIsMissing() { (wasMissing, refusedSince) = (true, nil) }
    mutating func deviceWasOpened() { (wasMissing, refusedSince) = (false, nil) }

    /// Records a refusal. Returns whether the device may not have its group yet.
    mutating func isPending(at now: Instant) -> Bool {
        guard wasMissing else { return false }
        let since = refusedSince ?? now
        refusedSince = since
        return now - since < PermissionWait.limit
    }
}
