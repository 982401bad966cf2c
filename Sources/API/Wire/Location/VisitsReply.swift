import Positioning
import Varlink

/// The parameters of `io.sextant.Location.Visits`.
package struct VisitsParameters: Codable, Sendable, Equatable {
    /// Visits that ended before this time are left out. Absent: none.
    package var since: String?
    /// Visits that began at this time or later are left out. Absent: none.
    package var until: String?
    /// The end of the previous page. Absent: the first page.
    package var after: String?
    /// The maximum number of visits, 1 to 100. Absent: 100.
    package var limit: Int?

    /// Creates the parameters of a page.
    package init(since: String? = nil, until: String? = nil, after: String? = nil, limit: Int? = nil) {
        self.since = since
        self.until = until
        self.after = after
        self.limit = limit
    }
}

/// The reply to `io.sextant.Location.Visits`.
package struct VisitsReply: Codable, Sendable, Equatable {
    /// The visits, the newest first.
    package var visits: [VisitMessage]
    /// The value of `after` for the next page. Absent on the last one.
    package var next: String?

    /// Creates a page.
    package init(visits: [Visit], next: String?) {
        self.visits = visits.map(VisitMessage.init)
        self.next = next
    }
}

/// The parameters of `io.sextant.Location.ForgetVisits`.
package struct ForgetVisitsParameters: Codable, Sendable, Equatable {
    /// Only visits that began before this time are erased. Absent: all.
    package var before: String?

    /// Creates a request.
    package init(before: String? = nil) { self.before = before }
}

/// The reply to `io.sextant.Location.ForgetVisits`.
package struct ForgetVisitsReply: Codable, Sendable, Equatable {
    /// The number of erased visits.
    package var visits: Int

    /// Creates a reply.
    package init(visits: Int) { self.visits = visits }
}

/// The error `io.sextant.Location.PersistenceUnavailable`.
package struct VisitsUnavailableError: Sendable, Equatable {
    /// The reason and how to fix it.
    package var reason: String

    /// Creates the error for a reason.
    package init(reason: String) { self.reason = reason }

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        VarlinkError(
            name: Interface.location.name(of: "PersistenceUnavailable"), parameters: ["reason": .string(reason)])
    }
}
