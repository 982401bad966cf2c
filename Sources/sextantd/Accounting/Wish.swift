import Chronology
import Locator
import Receivers
import Wire

/// What a client has asked for and not closed, for those who want to know who keeps a receiver on.
struct Wish {
    /// What for, on the wire.
    let purpose: PurposeName
    let program: Program
    /// The receiver it asks for, by name or port.
    let receiver: String?
    /// The whole wish of a stream.
    let stream: StreamRequest?
    /// When it asked.
    let at: Instant
    /// The same by the host's clock.
    let date: UTCTime

    /// In the accounts; nil for what costs the receivers nothing.
    var consumer: Consumer? { Purpose(rawValue: purpose.rawValue).map { .program(program, $0) } }
}
