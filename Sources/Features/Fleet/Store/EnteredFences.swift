import SQLite

/// The fences whose entry was reported, and whose exit was not: for a server, the device is there.
///
/// Home Assistant ignores positions between `enter` and `leave`. So an exit that limits withhold is
/// kept, without its time and place, and reported with the first position that limits allow.
package final class EnteredFences {
    /// The table; `withheld` is nil, or the exit.
    static let schema = "CREATE TABLE entry (fence TEXT PRIMARY KEY, name TEXT NOT NULL, withheld BLOB) WITHOUT ROWID;"

    private static let limit: Int64 = 10_000

    private let database: Database
    private var fences: Set<String> = []
    /// The fences, without those whose exit was withheld.
    package private(set) var names: [FenceName] = []
    package private(set) var hasWithheld = false

    init(_ database: Database) throws(StoreError) {
        self.database = database
        try read()
    }

    /// Returns whether an entry into the fence of an event was reported.
    package func contains(_ event: FleetEvent) -> Bool { fences.contains(event.fence) }

    /// Records that an entry will be reported.
    package func add(_ event: FleetEvent) throws(StoreError) {
        try database.prepare(
            """
            INSERT INTO entry (fence, name) SELECT ?1, ?2 WHERE (SELECT count(*) FROM entry) < ?3
            ON CONFLICT (fence) DO UPDATE SET withheld = NULL
            """, for: "writing to"
        ).run(.text(event.fence), .text(event.identifier), .integer(EnteredFences.limit))
        try read()
    }

    /// Records that an exit was reported.
    package func remove(_ event: FleetEvent) throws(StoreError) {
        try database.prepare("DELETE FROM entry WHERE fence = ?1", for: "writing to").run(.text(event.fence))
        try read()
    }

    /// Forgets all fences.
    package func removeAll() throws(StoreError) {
        guard !fences.isEmpty else { return }
        try database.execute("DELETE FROM entry", for: "writing to")
        try read()
    }

    /// Records an event that is not reported. Without an entry that was reported, nothing is kept.
    package func withhold(_ event: FleetEvent) throws(StoreError) {
        var exit = event
        (exit.place, exit.accuracy) = (nil, nil)
        try database.prepare("UPDATE entry SET withheld = ?2 WHERE fence = ?1", for: "writing to")
            .run(.text(event.fence), event.kind == .leave ? .bytes(exit.stored) : .null)
        try read()
    }

    /// Returns the exits that were withheld, as if they happened at a position.
    package func withheldExits(at point: FleetPoint) throws(StoreError) -> [FleetEvent] {
        guard hasWithheld else { return [] }
        let statement = try database.prepare(
            "SELECT withheld FROM entry WHERE withheld IS NOT NULL ORDER BY fence", for: "reading")
        return try statement.rows { row in
            guard var exit = FleetEvent(stored: row.withBytes(0) { Array($0) }) else { return nil }
            exit.time = point.time
            (exit.place, exit.accuracy) = (point.coordinate, point.accuracy)
            return exit
        }
    }

    private func read() throws(StoreError) {
        fences = []
        names = []
        hasWithheld = false
        let statement = try database.prepare(
            "SELECT name, withheld IS NULL, fence FROM entry ORDER BY fence", for: "reading")
        while try statement.step() {
            fences.insert(statement.text(2))
            guard statement.integer(1) == 1 else {
                hasWithheld = true
                continue
            }
            // A name of a monitor has no slash.
            let identifier = statement.text(0)
            let monitor = statement.text(2).utf8.dropLast(identifier.utf8.count + 1)
            names.append(FenceName(identifier, of: String(decoding: monitor, as: UTF8.self)))
        }
    }
}

extension FleetEvent {
    fileprivate var fence: String { "\(monitor)/\(identifier)" }
}
