import Chronology
import NMEA

/// The effect of a command on a receiver.
enum ReceiverCommand: Sendable, Equatable {
    /// Sends these bytes, which include the line end.
    case respond([UInt8])
    /// Sets the fix interval in milliseconds.
    case period(Int)
    /// Sets the output interval of these sentences in epochs; 0 disables a sentence. Others stay
    /// unchanged.
    case sentences([SentencePlan.Kind: Int])
    /// Enables or disables power saving between fixes.
    case savePower(Bool)
    /// Sets the dynamic model, in the numbering of the chip family.
    case dynamics(Int)
    /// Puts the receiver to sleep.
    case sleep(SleepRequest)
    /// Stops the engine; the receiver keeps accepting commands.
    case stop
    /// Starts the stopped engine.
    case start
    /// Restarts the receiver with the data that this type of start keeps.
    case restart(EphemerisState.Start)
    /// Gives the receiver the time.
    case time(UTCTime)
    /// Gives the receiver its place.
    case place
    /// Sends the navigation database.
    case dumpDatabase
    /// Gives an entry of a navigation database back, with its number and the time of its data.
    case databaseEntry(Int, UTCTime)
    /// Makes the receiver predict orbits.
    case predictOrbits
    /// Keeps the command processor awake, or lets it sleep (Airoha).
    case keepAwake(Bool)

    /// Returns a response that consists of one sentence.
    static func sentence(_ body: String) -> ReceiverCommand {
        .respond(SentenceEncoder.bytes(ofSentence: body))
    }
}

/// How a receiver sleeps, and what wakes it.
struct SleepRequest: Sendable, Equatable {
    /// Whether bytes on the line wake the receiver.
    var wakesOnInput: Bool
    /// The time after which the receiver wakes by itself; nil if it does not.
    var duration: Instant.Span?
    /// Whether the receiver loses its settings and sends its boot messages on wakeup.
    var losesSettings: Bool
}

/// The address and fields of a proprietary sentence.
struct CommandFields {
    let address: String
    private let fields: [Substring]

    init(_ body: String) {
        let parts = body.split(separator: ",", omittingEmptySubsequences: false)
        address = String(parts.first ?? "")
        fields = Array(parts.dropFirst())
    }

    /// Returns the field at an index; empty if it is missing.
    func text(_ index: Int) -> Substring { index < fields.count ? fields[index] : "" }

    /// Returns the integer in the field at an index; nil if there is none.
    func integer(_ index: Int) -> Int? { Int(text(index)) }

    /// Returns the UTC in six fields from an index on: year, month, day, hour, minute, second.
    func utc(_ index: Int) -> UTCTime? {
        let numbers = (index..<(index + 6)).compactMap(integer)
        guard numbers.count == 6, let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]) else {
            return nil
        }
        let seconds = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
        return UTCTime(date: date, millisecondsOfDay: seconds * 1000)
    }

    /// Returns the number in an address such as `PMTK220`, 0 ... 999.
    func number(after prefix: String) -> Int? {
        guard address.hasPrefix(prefix), address.utf8.count == prefix.utf8.count + 3 else { return nil }
        return Int(address.dropFirst(prefix.count)).flatMap { $0 >= 0 ? $0 : nil }
    }
}
