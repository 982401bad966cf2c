/// The type `State` of `io.sextant.Manager`.
package struct StateMessage: Codable, Sendable, Equatable {
    /// Why the state cannot be read or written.
    package enum Cause: String, Codable, Sendable, CaseIterable {
        case full, unwritable, device, busy, damaged, newer, refused
        /// Other users could replace files in the state directory.
        case exposed
    }

    /// The type `StateProblem` of `io.sextant.Manager`.
    package struct Problem: Codable, Sendable, Equatable {
        package var cause: Cause
        /// The failed action and its reason.
        package var reason: String
        /// How to fix it.
        package var remedy: String

        /// Creates a problem.
        package init(_ cause: Cause, reason: String, remedy: String) {
            self.cause = cause
            self.reason = reason
            self.remedy = remedy
        }
    }

    /// The type `ReplacedDatabase` of `io.sextant.Manager`.
    package struct Replaced: Codable, Sendable, Equatable {
        /// Where the damaged database is now.
        package var path: String
        /// UTC at which it was renamed, by the host's clock.
        package var date: String

        /// Creates the description of a database that was replaced.
        package init(path: String, date: String) { (self.path, self.date) = (path, date) }
    }

    /// Free space in the file system of the state directory in bytes. Absent: unknown.
    package var freeBytes: Int?
    /// Absent: the state can be read and written.
    package var problem: Problem?
    /// Whether no program gets the location, because the permissions cannot be read.
    package var permissionsUnreadable: Bool?
    /// The newest database that was replaced and not deleted since. Absent if there is none.
    package var replaced: Replaced?

    /// Creates the description of a state without problems.
    package init() {}
}
