import Chronology

/// What a command means to a receiver.
enum Order: Sendable, Equatable {
    /// Says that, line end and all.
    case answer([UInt8])
    /// A fix every so many milliseconds.
    case period(Int)
    /// These sentences every so many epochs; 0 for not at all. Others stay as they are.
    case sentences([SentencePlan.Kind: Int])
    /// Saves power between fixes, or does not.
    case savePower(Bool)
    /// What moves, in the make's own numbers.
    case dynamics(Int)
    /// Rests.
    case nap(Nap)
    /// Stops the engine; the line stays alive.
    case stop
    /// Starts it again.
    case start
    /// Starts anew with what is left of its memory.
    case restart(OrbitMemory.Start)
    /// Keeps the ear open, or lets it close (Airoha).
    case keepAwake(Bool)

    /// An answer that is a sentence.
    static func sentence(_ body: String) -> Order {
        let sum = body.utf8.reduce(0) { $0 ^ $1 }
        let digits = Array("0123456789ABCDEF".utf8)
        return .answer([UInt8(ascii: "$")] + body.utf8 + [UInt8(ascii: "*"), digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10])
    }
}

/// How a receiver rests, and what ends it.
struct Nap: Sendable, Equatable {
    /// Bytes on the line end it.
    var endsOnBytes: Bool
    /// It ends by itself after that time; nil for never.
    var duration: Instant.Span?
    /// What was set is forgotten, and the boot messages are said again.
    var forgets: Bool
}
