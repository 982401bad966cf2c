import Chronology

/// A use of the location by a program, without its time: who, for what, how exactly, and why.
package struct LocationUse: Sendable, Hashable {
    package var program: ProgramID
    package var kind: UseKind
    /// The accuracy of the location that the program gets.
    package var accuracy: AccuracyAuthorization
    /// What allows it, as in ``PermissionVerdict/decidedBy``; at most ``maxTextLength`` bytes.
    package var decidedBy: String

    /// The maximum length of ``decidedBy`` in bytes. It contains the path of a file, and each
    /// record has a copy.
    package static let maxTextLength = 200

    /// Creates a use that a verdict allows.
    package init(_ program: ProgramID, _ kind: UseKind, by verdict: PermissionVerdict) {
        self.init(program, kind, verdict.accuracy, decidedBy: verdict.decidedBy)
    }

    /// Creates a use. A longer text is cut.
    package init(_ program: ProgramID, _ kind: UseKind, _ accuracy: AccuracyAuthorization, decidedBy: String) {
        self.program = program
        self.kind = kind
        self.accuracy = accuracy
        self.decidedBy =
            decidedBy.utf8.count <= LocationUse.maxTextLength
            ? decidedBy : String(decoding: decidedBy.utf8.prefix(LocationUse.maxTextLength - 3), as: UTF8.self)
    }
}

/// One period of use, as it is stored and shown.
package struct UseRecord: Sendable, Equatable {
    /// Whether the use has ended.
    package typealias State = UseState

    /// The number of the record. A later one has a higher number, whatever the host's clock was.
    package var number: Int64
    package var use: LocationUse
    /// The start by the host's clock; nil if the clock was not set.
    package var from: UTCTime?
    /// The duration, which does not depend on the host's clock.
    package var duration: Instant.Span
    /// The number of updates, locations, visits or events that the program got.
    package var updates: Int
    package var state: State

    package init(
        number: Int64, _ use: LocationUse, from: UTCTime?, duration: Instant.Span, updates: Int, state: State
    ) {
        self.number = number
        self.use = use
        self.from = from
        self.duration = duration
        self.updates = updates
        self.state = state
    }

    /// The end by the host's clock, for an interrupted use the last known moment of it; nil while
    /// the use is open, or if the clock was not set.
    package var to: UTCTime? { state == .open ? nil : from?.advanced(by: duration) }
}

/// A program that gets the location now.
package struct ProgramInUse: Sendable, Equatable {
    package var program: ProgramID
    /// The best accuracy of its uses.
    package var accuracy: AccuracyAuthorization
    /// When it began by the host's clock; nil if the clock is not set.
    package var since: UTCTime?
    /// What it uses the location for, in the order of ``UseKind``.
    package var kinds: [UseKind]

    package init(_ program: ProgramID, accuracy: AccuracyAuthorization, since: UTCTime?, kinds: [UseKind]) {
        self.program = program
        self.accuracy = accuracy
        self.since = since
        self.kinds = kinds
    }
}

/// Something that uses the location for as long as it is open.
package enum UseClient: Sendable, Hashable {
    /// The request of a connection, by a number that is unique for the lifetime of the process.
    case session(Int)
    /// The monitored conditions of a program.
    case monitors(ProgramID)
}
