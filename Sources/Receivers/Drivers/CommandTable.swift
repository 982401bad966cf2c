import Chronology
import Delivery

/// What one family of receivers can be told, and how. Nothing here is kept by the receiver without supply: no table saves settings, and none
/// leaves NMEA.
///
/// Each row of a table cites its source with the letters of `docs/receiver-commands.md`.
struct CommandTable: Sendable {
    /// The language.
    var family: ReceiverFamily
    /// Precedes each series of commands, for a receiver whose ear falls asleep.
    var opening: [Command] = []
    /// Follows each series.
    var closing: [Command] = []
    /// Times between fixes that can be asked for.
    var periods = Periods.none
    /// Asks for a fix every so many milliseconds, given what the receiver was heard to say.
    var setPeriod: @Sendable (Int, HeardSentences) -> [Command] = { _, _ in [] }
    /// Asks for a sentence that states the error, or takes it back; nil where there is none.
    var setErrorSentence: (@Sendable (Bool, HeardSentences) -> [Command])?
    /// Says what moves; nil where nothing can be said.
    var setDynamics: (@Sendable (Dynamics) -> [Command])?
    /// Saves power between fixes; nil where that is not possible, or not worth what it costs.
    var saveBetweenFixes: [Command]?
    /// Ends every saving that an earlier life of this program may have left behind.
    var workFully: [Command] = []
    /// Ways of resting, the best first.
    var sleeps: [SleepMethod] = []

    /// Times between fixes a family offers, milliseconds.
    enum Periods: Sendable, Equatable {
        /// As the receiver is.
        case none
        /// Any within bounds.
        case within(ClosedRange<Int>)
        /// These, the longest first.
        case oneOf([Int])

        /// The offered period that serves someone who asks for `wanted`: the longest that is not longer, or else the shortest.
        func serving(_ wanted: Int) -> Int? {
            switch self {
            case .none: nil
            case .within(let range): min(max(wanted, range.lowerBound), range.upperBound)
            case .oneOf(let list): list.first { $0 <= wanted } ?? list.last
            }
        }
    }

    /// The table of a receiver.
    ///
    /// - Parameter isNativeUSB: The receiver's own USB port, not a converter: what needs a serial line to wake it must not be used there.
    static func of(_ chip: ReceiverChip, protocolNumber: Double? = nil, isNativeUSB: Bool = false) -> CommandTable {
        switch chip.family {
        case .ubloxMessages: ubloxMessages(chip, protocolNumber, isNativeUSB: isNativeUSB)
        case .ubloxKeys: ubloxKeys(chip, isNativeUSB: isNativeUSB)
        case .mediatek: mediatek
        case .airoha: airoha
        case .quectel: quectel
        case .casic: casic
        case .sirf: sirf
        case .teseo: teseo
        case .generic: CommandTable(family: .generic)
        }
    }
}

/// The formatters of the sentences that a receiver sends.
typealias HeardSentences = Set<String>

/// One way of putting a receiver to rest, with the way back.
struct SleepMethod: Sendable, Equatable {
    /// What it is, for people and for the state directory.
    enum Name: String, Sendable, Equatable {
        /// u-blox: the whole receiver sleeps until an edge on its line (UBX-RXM-PMREQ).
        case ubloxStandby
        /// u-blox: the engine is stopped, the port lives (UBX-CFG-RST 8).
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

    /// What ends it.
    enum Waking: Sendable, Equatable {
        /// Bytes on the line, of which the first is lost; commands are heard half a second later ([UB M9N 3.11.2.3.1]).
        case byte([UInt8])
        /// The commands in ``resume`` alone.
        case command
        /// Its timer alone.
        case timer
    }

    /// What it is.
    var name: Name
    /// The command, given the seconds until the receiver may wake by itself; nil for none.
    var enter: @Sendable (Int?) -> Command
    /// What ends it.
    var waking: Waking
    /// Written after waking.
    var resume: [Command] = []
    /// Seconds its timer takes; nil for a sleep that lasts until it is ended.
    var timer: ClosedRange<Int>?
    /// The receiver has forgotten its settings when it wakes.
    var losesSettings = false
    /// What is drawn meanwhile.
    var state = PowerState.standby
    /// How long it may go on talking after the command.
    var settling = Instant.Span.seconds(6)

    static func == (a: SleepMethod, b: SleepMethod) -> Bool { a.name == b.name }
}
