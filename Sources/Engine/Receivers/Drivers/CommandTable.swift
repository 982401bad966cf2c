import Chronology
import Locator

/// The commands of one family of receivers. The receiver loses all these settings without power: no
/// table saves settings, and none switches away from NMEA.
///
/// Each row of a table cites its source with the letters of `docs/receiver-commands.md`.
struct CommandTable: Sendable {
    /// The command language.
    var family: ReceiverFamily
    /// The wrapper commands before each sequence, which keep the command processor of a receiver
    /// awake.
    var openingWrapper: [Command] = []
    /// The wrapper commands after each sequence, which let the command processor sleep again.
    var closingWrapper: [Command] = []
    /// The fix periods that the receiver can be set to.
    var periods = Periods.none
    /// Returns the commands that set the fix period in milliseconds, given the sentences that the
    /// receiver sends.
    var setPeriod: @Sendable (Int, SentenceFormatters) -> [Command] = { _, _ in [] }
    /// Returns the commands that enable or disable a sentence with an error estimate; nil if the
    /// family has none.
    var setErrorEstimateOutput: (@Sendable (Bool, SentenceFormatters) -> [Command])?
    /// Returns the commands that set the dynamic platform model; nil if the family has none.
    var setDynamics: (@Sendable (Dynamics) -> [Command])?
    /// The commands that save power between fixes; nil if that is impossible, or not worth its
    /// cost.
    var startPowerSave: [Command]?
    /// The commands that end every power saving mode that an earlier run of this program may have
    /// left active.
    var endPowerSave: [Command] = []
    /// The commands that make the receiver predict orbits until it loses power; empty for none.
    var predictOrbits: [Command] = []
    /// The sleep methods, the best first.
    var sleepMethods: [SleepMethod] = []

    /// The fix periods of a family, in milliseconds.
    enum Periods: Sendable, Equatable {
        /// The period cannot be set.
        case none
        /// Any period in this range.
        case within(ClosedRange<Int>)
        /// These periods only, the longest first.
        case oneOf([Int])

        /// Returns the offered period for a request of `wanted` milliseconds: the longest that does
        /// not exceed it, or else the shortest.
        func period(_ wanted: Int) -> Int? {
            switch self {
            case .none: nil
            case .within(let range): min(max(wanted, range.lowerBound), range.upperBound)
            case .oneOf(let list): list.first { $0 <= wanted } ?? list.last
            }
        }
    }
}

extension CommandTable {
    /// Creates the command table of a chip.
    ///
    /// - Parameter isNativeUSB: Whether the port is the receiver's own USB port, not a converter.
    ///   Sleep methods that a serial line must end cannot be used there.
    init(for chip: ReceiverChip, protocolNumber: Double? = nil, isNativeUSB: Bool = false) {
        self =
            switch chip.family {
            case .ubloxMessages: .ubloxMessages(chip, protocolNumber: protocolNumber, isNativeUSB: isNativeUSB)
            case .ubloxKeys: .ubloxKeys(chip, isNativeUSB: isNativeUSB)
            case .mediatek: .mediatek
            case .airoha: .airoha
            case .quectel: .quectel
            case .casic: .casic
            case .sirf: .sirf
            case .teseo: .teseo
            case .generic: CommandTable(family: .generic)
            }
    }
}

/// The formatters of the sentences that a receiver sends.
typealias SentenceFormatters = Set<String>

/// A method to put a receiver to sleep and to wake it.
struct SleepMethod: Sendable, Equatable {
    /// The name of the method, for display and for the state directory.
    enum Name: String, Sendable, Equatable {
        /// u-blox: the whole receiver sleeps until an edge on its RX line (UBX-RXM-PMREQ).
        case ubloxStandby
        /// u-blox: the GNSS engine is stopped, the port stays active (UBX-CFG-RST 8).
        case ubloxStop
        /// `PMTK161`.
        case mediatekStandby
        /// `PAIR650` with a timer.
        case airohaTimer
        /// `PQTMGNSSSUSPEND`.
        case quectelSuspend
        /// `PCAS12`.
        case casicStandby
        /// `PSTMGPSSUSPEND`.
        case teseoSuspend
    }

    /// The trigger that ends the sleep.
    enum WakeTrigger: Sendable, Equatable {
        /// Bytes on the line. The receiver loses the first one and accepts commands half a second
        /// later ([UB M9N 3.11.2.3.1]).
        case byte([UInt8])
        /// Only the commands in ``resumeCommands``.
        case command
        /// Only the receiver's timer.
        case timer
    }

    var name: Name
    /// Returns the sleep command, given the seconds until the receiver may wake by itself; nil for
    /// no limit.
    var makeSleepCommand: @Sendable (Int?) -> Command
    var wakeTrigger: WakeTrigger
    /// The commands to write after waking.
    var resumeCommands: [Command] = []
    /// The range of the sleep timer in seconds; nil for a sleep that lasts until it is ended.
    var timer: ClosedRange<Int>?
    /// Whether the receiver loses its settings while it sleeps.
    var losesSettings = false
    /// The power state during the sleep.
    var state = ReceiverPowerState.standby
    /// How long the receiver may keep sending after the command.
    var silenceDelay = Instant.Span.seconds(6)

    static func == (a: SleepMethod, b: SleepMethod) -> Bool { a.name == b.name }
}
