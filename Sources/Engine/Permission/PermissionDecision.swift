import Chronology

/// A decision about a program at run time.
package struct PermissionDecision: Sendable, Equatable {
    /// Who decided.
    package enum Author: Sendable, Hashable {
        /// A user who may change permissions, with `sextant grant`.
        case administrator(user: UInt32)
        /// The agent of a user, after asking.
        case agent(user: UInt32)
    }

    package var authorization: AuthorizationChoice
    package var accuracy: AccuracyAuthorization
    package var author: Author
    /// When, by the host's clock.
    package var date: UTCTime

    package init(
        _ authorization: AuthorizationChoice, accuracy: AccuracyAuthorization = .full, by author: Author,
        at date: UTCTime
    ) {
        self.authorization = authorization
        self.accuracy = accuracy
        self.author = author
        self.date = date
    }
}

/// Whether location is switched on for the whole device, and who switched it.
package struct LocationSwitch: Sendable, Equatable {
    package var isOn: Bool
    /// The user who switched it last; `nil` if nobody did.
    package var user: UInt32?
    /// When, by the host's clock.
    package var date: UTCTime?
    /// Why switch and decisions cannot be read, and how to fix it; `nil` if they were read. No
    /// program then gets the location: one that is denied must not get it because the disk failed.
    package var failure: String?

    package init(isOn: Bool = true, user: UInt32? = nil, date: UTCTime? = nil, failure: String? = nil) {
        self.isOn = isOn
        self.user = user
        self.date = date
        self.failure = failure
    }
}
