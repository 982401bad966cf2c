import SQLite

/// One stored visit of a user.
package struct VisitRow: Sendable, Equatable {
    /// The number of the visit; a later one has a higher number. 0: not stored yet.
    package var number: Int64
    /// The user whose programs learnt of the visit.
    package var user: UInt32
    /// The arrival in milliseconds since 1970 by the receiver's time; nil if no date was known.
    package var arrival: Int64?
    /// The departure in the same way; nil also while the visit is open.
    package var departure: Int64?
    /// Degrees north and east, WGS-84.
    package var (latitude, longitude): (Double, Double)
    /// The 68 % radius in metres.
    package var radius: Double
    /// Whether the device was at the place when the row was written.
    package var isOpen: Bool

    package init(
        number: Int64 = 0, user: UInt32, arrival: Int64?, departure: Int64? = nil, latitude: Double, longitude: Double,
        radius: Double, isOpen: Bool
    ) {
        self.number = number
        self.user = user
        self.arrival = arrival
        self.departure = departure
        (self.latitude, self.longitude) = (latitude, longitude)
        self.radius = radius
        self.isOpen = isOpen
    }

    /// The maximum number of visits of one user. A visit has 0.1 kB.
    package static let maxPerUser = 5000
}

/// The stored visits.
package struct VisitHistory {
    private static let columns = "number, user, arrival, departure, latitude, longitude, radius, is_open"

    private let database: Database

    /// Creates the history in an open database.
    package init(_ database: Database) { self.database = database }

    package func openVisit(of user: UInt32) throws(StoreError) -> VisitRow? {
        let statement = try database.prepare(
            "SELECT \(VisitHistory.columns) FROM visit WHERE user = ?1 AND is_open ORDER BY number DESC LIMIT 1",
            for: "reading visits from")
        return try statement.first(.integer(Int64(user)), read: VisitHistory.row)
    }

    /// Returns visits of a user, the newest first.
    ///
    /// - Parameters:
    ///   - number: Only visits with lower numbers are returned.
    ///   - range: The time in milliseconds since 1970. Visits without a usable date are returned
    ///     too.
    package func rows(
        of user: UInt32, before number: Int64 = .max, in range: Range<Int64> = .min..<(.max), limit: Int
    ) throws(StoreError) -> [VisitRow] {
        let statement = try database.prepare(
            """
            SELECT \(VisitHistory.columns) FROM visit WHERE user = ?1 AND number < ?2
            AND (is_open OR coalesce(departure, arrival, ?3) >= ?3) AND coalesce(arrival < ?4, 1)
            ORDER BY number DESC LIMIT ?5
            """, for: "reading visits from")
        return try statement.rows(
            .integer(Int64(user)), .integer(number), .integer(range.lowerBound), .integer(range.upperBound),
            .integer(Int64(limit)), read: VisitHistory.row)
    }

    /// Stores arrivals and departures in this order, and deletes the oldest visits beyond the
    /// limit.
    ///
    /// An arrival ends an earlier open visit of its user, at an unknown time. A departure without
    /// its arrival is not stored: the visit was erased.
    ///
    /// - Parameter expiry: Visits that ended before this are deleted, in milliseconds since 1970;
    ///   nil if no reliable time is known.
    package func record(_ changes: [VisitRow], expiry: Int64?) throws(StoreError) {
        try database.transaction("writing visits to") { () throws(StoreError) in
            for change in changes { try record(change) }
            for user in Set(changes.map(\.user)) {
                try database.prepare(
                    """
                    DELETE FROM visit WHERE user = ?1 AND number <= (SELECT number FROM visit
                    WHERE user = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
                    """, for: "writing visits to"
                ).run(.integer(Int64(user)), .integer(Int64(VisitRow.maxPerUser)))
            }
            if let expiry { try expire(before: expiry) }
        }
    }

    /// Ends the open visits of a user at an unknown time.
    package func endVisits(of user: UInt32) throws(StoreError) {
        try database.prepare(
            "UPDATE visit SET is_open = 0 WHERE user = ?1 AND is_open", for: "writing visits to"
        ).run(.integer(Int64(user)))
    }

    /// Stores one arrival or departure. An arrival that is recorded again after a kill continues
    /// the last visit, and keeps its departure until a later one.
    private func record(_ change: VisitRow) throws(StoreError) {
        try database.prepare(
            """
            UPDATE visit SET departure = coalesce(?3, departure), latitude = ?4, longitude = ?5, radius = ?6,
            is_open = ?7
            WHERE user = ?1 AND (is_open AND arrival IS ?2
            OR ?7 AND arrival = ?2 AND number = (SELECT max(number) FROM visit WHERE user = ?1))
            """, for: "writing visits to"
        ).run(
            .integer(Int64(change.user)), .integer(change.arrival), .integer(change.departure), .real(change.latitude),
            .real(change.longitude), .real(change.radius), .integer(change.isOpen ? 1 : 0))
        guard change.isOpen, database.changes == 0 else { return }
        try endVisits(of: change.user)
        try database.prepare(
            """
            INSERT INTO visit (user, arrival, departure, latitude, longitude, radius, is_open)
            VALUES (?1, ?2, NULL, ?3, ?4, ?5, 1)
            """, for: "writing visits to"
        ).run(
            .integer(Int64(change.user)), .integer(change.arrival), .real(change.latitude), .real(change.longitude),
            .real(change.radius))
    }

    /// Deletes the visits that ended before a moment. One without a usable date goes with a later
    /// one of its user.
    private func expire(before expiry: Int64) throws(StoreError) {
        let expired = "NOT is_open AND coalesce(departure, arrival) < ?1"
        try database.prepare(
            """
            DELETE FROM visit WHERE \(expired) OR NOT is_open AND arrival IS NULL AND departure IS NULL
            AND number < (SELECT max(number) FROM visit AS later WHERE later.user = visit.user AND \(expired))
            """, for: "writing visits to"
        ).run(.integer(expiry))
    }

    /// Deletes visits, and overwrites what the file and its log contained of them.
    ///
    /// - Parameters:
    ///   - user: The user whose visits are deleted; nil for all.
    ///   - moment: Visits that began at it or later stay, in milliseconds since 1970.
    /// - Returns: The number of visits that were deleted.
    package func erase(of user: UInt32?, before moment: Int64 = .max) throws(StoreError) -> Int {
        let count = try database.transaction("erasing visits in") { () throws(StoreError) in
            try database.prepare(
                "DELETE FROM visit WHERE coalesce(user = ?1, 1) AND coalesce(arrival < ?2, 1)",
                for: "erasing visits in"
            ).run(.integer(user.map { Int64($0) }), .integer(moment))
            return database.changes
        }
        try database.overwriteLog("erasing visits in")
        return count
    }

    private static func row(_ statement: borrowing Statement) -> VisitRow {
        VisitRow(
            number: statement.integer(0), user: UInt32(clamping: statement.integer(1)),
            arrival: statement.integerIfAny(2), departure: statement.integerIfAny(3), latitude: statement.real(4),
            longitude: statement.real(5), radius: statement.real(6), isOpen: statement.integer(7) != 0)
    }
}
