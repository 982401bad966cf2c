import SQLite

/// The stored track, in a file of its own: it may grow to ``maxSize``, and the permissions and
/// monitors must not wait until that is checked.
///
/// Every operation is one transaction: when it returns, its changes are on disk.
package struct TrackTable {
    /// The size of the file in bytes beyond which the oldest points are deleted.
    package static let maxSize: Int64 = 60 << 20
    /// The maximum number of points in a piece to which further ones are added.
    private static let maxCount = 64
    /// The number of the oldest pieces that are deleted at a time.
    private static let removedAtOnce: Int64 = 64

    /// The SQL of each version of the schema. Released versions never change.
    package static let schema = [
        """
        CREATE TABLE piece (number INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL, last INTEGER NOT NULL,
            count INTEGER NOT NULL, points BLOB NOT NULL) STRICT;
        CREATE INDEX piece_by_first ON piece (first);
        CREATE INDEX piece_by_last ON piece (last);
        """
    ]

    /// The place of a point: the number of its piece, and its index there.
    package struct Place: Sendable, Equatable {
        package var (piece, index): (Int64, Int)

        package init(piece: Int64 = 0, index: Int = 0) { (self.piece, self.index) = (piece, index) }
    }

    private let database: Database
    private let maxSize: Int64

    /// Creates the track in an open database.
    package init(_ database: Database, maxSize: Int64 = TrackTable.maxSize) {
        (self.database, self.maxSize) = (database, maxSize)
    }

    /// Appends points, and deletes the oldest ones beyond the size.
    ///
    /// - Parameter expiry: Points before this are deleted, in milliseconds since 1970; nil if no
    ///   reliable time is known.
    package func append(_ points: [TrackRow], expiry: Int64?) throws(StoreError) {
        guard !points.isEmpty else { return }
        try database.transaction("writing the track to") { () throws(StoreError) in
            let open = try openPiece(with: points.count)
            let all = (open?.points ?? []) + points
            let times = all.map(\.time)
            try database.prepare(
                "REPLACE INTO piece (number, first, last, count, points) VALUES (?1, ?2, ?3, ?4, ?5)",
                for: "writing the track to"
            ).run(
                .integer(open?.number), .integer(times.min()), .integer(times.max()), .integer(Int64(all.count)),
                .bytes(TrackPiece.bytes(all)))
            if let expiry { try deletePieces(before: expiry) }
            let pages = try database.integer("PRAGMA page_count", for: "writing the track to")
            let free = try database.integer("PRAGMA freelist_count", for: "writing the track to")
            let size = try database.integer("PRAGMA page_size", for: "writing the track to")
            guard (pages - free) * size > maxSize else { return }
            try database.prepare(
                "DELETE FROM piece WHERE number IN (SELECT number FROM piece ORDER BY number LIMIT ?1)",
                for: "writing the track to"
            ).run(.integer(TrackTable.removedAtOnce))
        }
    }

    /// Deletes old points, in milliseconds since 1970, when no new ones are written.
    package func expire(before expiry: Int64) throws(StoreError) {
        try database.transaction("erasing the track in") { () throws(StoreError) in try deletePieces(before: expiry) }
    }

    private func deletePieces(before expiry: Int64) throws(StoreError) {
        try database.prepare("DELETE FROM piece WHERE last < ?1", for: "writing the track to").run(.integer(expiry))
    }

    /// Returns the last piece if it has space for points: few are written at a time.
    private func openPiece(with count: Int) throws(StoreError) -> (number: Int64, points: [TrackRow])? {
        let select = try database.prepare(
            "SELECT number, points FROM piece WHERE count <= ?1 AND number = (SELECT max(number) FROM piece)",
            for: "writing the track to")
        return try select.first(.integer(Int64(TrackTable.maxCount - count))) { row in
            (row.integer(0), row.withBytes(1) { TrackPiece.points($0) })
        }
    }

    /// Returns points in the order of recording, and the place at which the next page begins; nil
    /// after the last one.
    ///
    /// - Parameters:
    ///   - start: The place of the first point.
    ///   - range: The time in milliseconds since 1970.
    package func points(
        from start: Place, in range: Range<Int64>, limit: Int
    ) throws(StoreError) -> (points: [TrackRow], next: Place?) {
        // The indexes know the numbers, so that the other pieces are not read.
        let select = try database.prepare(
            """
            SELECT number, points FROM piece WHERE number BETWEEN
                max(?1, coalesce((SELECT min(number) FROM piece WHERE last >= ?2), 0))
                AND (SELECT max(number) FROM piece WHERE first < ?3)
            AND +last >= ?2 AND +first < ?3 ORDER BY number
            """, for: "reading the track from")
        try select.bind(.integer(start.piece), .integer(range.lowerBound), .integer(range.upperBound))
        var found: [TrackRow] = []
        while try select.step() {
            let number = select.integer(0)
            let piece = select.withBytes(1) { TrackPiece.points($0) }
            for index in piece.indices where number > start.piece || index >= start.index {
                guard range.contains(piece[index].time) else { continue }
                guard found.count < limit else { return (found, Place(piece: number, index: index)) }
                found.append(piece[index])
            }
        }
        return (found, nil)
    }

    /// Deletes the track, and overwrites what the file and its log contained of it. Returns the
    /// number of points.
    package func erase() throws(StoreError) -> Int {
        let count = try database.transaction("erasing the track in") { () throws(StoreError) in
            let count = try database.integer("SELECT coalesce(sum(count), 0) FROM piece", for: "erasing the track in")
            try database.execute("DELETE FROM piece", for: "erasing the track in")
            return Int(count)
        }
        try database.overwriteLog("erasing the track in")
        return count
    }
}
