import Chronology
import Permission
import Varlink

/// The parameters of `io.sextant.Permission.GetUsage`.
package struct GetUsageParameters: Codable, Sendable, Equatable {
    /// The only program, in text form. Absent: all programs that the caller may see.
    package var program: String?
    /// The end of the previous page. Absent: the first page.
    package var after: String?
    /// The maximum number of records, 1 to 100. Absent: 100.
    package var limit: Int?

    /// Creates the parameters of a page.
    package init(program: String? = nil, after: String? = nil, limit: Int? = nil) {
        self.program = program
        self.after = after
        self.limit = limit
    }
}

/// The reply to `io.sextant.Permission.GetUsage`.
package struct GetUsageReply: Codable, Sendable, Equatable {
    /// The records, the newest first.
    package var records: [UsageMessage]
    /// The value of `after` for the next page. Absent on the last one.
    package var next: String?

    /// Creates a page.
    package init(records: [UsageMessage], next: String? = nil) {
        self.records = records
        self.next = next
    }
}

/// The type `Use` of `io.sextant.Permission`.
package struct UsageMessage: Codable, Sendable, Equatable {
    /// The program in text form.
    package var program: String
    /// The identifier of a desktop program, Flatpak or snap.
    package var application: String?
    /// What the program used the location for.
    package var kind: UseKind
    /// The accuracy that it got.
    package var accuracy: AccuracyAuthorization
    /// What allowed it, as text.
    package var decidedBy: String
    /// Whether the use has ended.
    package var state: UseRecord.State
    /// UTC of the start by the host's clock. Absent if the clock was not set.
    package var from: String?
    /// UTC of the end. Absent while the use is open.
    package var to: String?
    /// The duration in seconds.
    package var seconds: Double
    /// The number of updates, locations, visits or events.
    package var updates: Int

    /// Creates the message for a record.
    package init(_ record: UseRecord) {
        program = record.use.program.description
        application = record.use.program.application
        kind = record.use.kind
        accuracy = record.use.accuracy
        decidedBy = record.use.decidedBy
        state = record.state
        from = record.from?.description
        to = record.to?.description
        seconds = WireRounding.thousandths(record.duration.seconds)
        updates = record.updates
    }
}

extension UseKind: Codable {}
extension UseRecord.State: Codable {}

/// The reply to `io.sextant.Permission.Forget`.
package struct ForgetReply: Codable, Sendable, Equatable {
    /// The number of erased records of use.
    package var uses: Int
    /// The number of erased positions.
    package var positions: Int
    /// The number of erased visits.
    package var visits: Int

    /// Creates a reply.
    package init(uses: Int, positions: Int, visits: Int) {
        self.uses = uses
        self.positions = positions
        self.visits = visits
    }
}
