import Geodesy
import SQLite

/// Finds the region of each place, and gives each region the country of the places in it.
///
/// The gazetteer's codes win over those of the borders: data sets differ about overseas divisions
/// and disputed areas, and the answers then agree with each other.
enum RegionAssignment {
    /// The number of places in a region and the part of them that must agree on its country.
    private static let minPlaces: Int64 = 5
    private static let minAgreement = 0.8

    /// Fills the table `inside` and corrects the countries of `region`.
    static func run(in database: Database) throws {
        try assignPlaces(database)
        try assignCountries(database)
        try database.execute(
            "UPDATE region SET hasPlaces = 1 WHERE id IN (SELECT region FROM inside)", for: "indexing")
    }

    private static func assignPlaces(_ database: Database) throws {
        let parts = try database.prepare(
            """
            SELECT p.shape, r.id, r.kind = 'admin1', b.south, b.north, b.west, b.east
            FROM part AS p JOIN region AS r ON r.id = p.region JOIN box AS b ON b.id = p.id
            WHERE r.kind IN ('country', 'admin1') ORDER BY p.id
            """, for: "reading")
        let near = try database.prepare(
            """
            SELECT g.id, l.latitude, l.longitude FROM position AS g
            JOIN ranked AS k ON k.id = g.id JOIN line AS l ON l.id = k.line
            WHERE g.south >= ?1 AND g.north <= ?2 AND g.west >= ?3 AND g.east <= ?4
            """, for: "reading")
        let insertion = try database.prepare(
            """
            INSERT INTO inside VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE
                SET region = excluded.region, isDivision = excluded.isDivision WHERE excluded.isDivision > isDivision
            """, for: "writing to")
        while try parts.step() {
            // Positions in the index are rounded to 32 bits, some 2 m.
            try near.bind(
                .real(parts.real(3) - 0.001), .real(parts.real(4) + 0.001), .real(parts.real(5) - 0.001),
                .real(parts.real(6) + 0.001))
            while try near.step() {
                guard let point = Coordinate(latitude: near.real(1), longitude: near.real(2)),
                    parts.withBytes(0, { RegionPart.contains(point, $0) })
                else { continue }
                try insertion.run(
                    .integer(near.integer(0)), .integer(parts.integer(1)), .integer(parts.integer(2)))
            }
            near.reset()
        }
    }

    private static func assignCountries(_ database: Database) throws {
        let counts = try database.prepare(
            """
            SELECT i.region, l.country, count(*), r.country FROM inside AS i
            JOIN ranked AS k ON k.id = i.place JOIN line AS l ON l.id = k.line JOIN region AS r ON r.id = i.region
            WHERE l.country <> '' GROUP BY i.region, l.country ORDER BY i.region, count(*) DESC, l.country
            """, for: "reading")
        var regions: [(number: Int64, isNamed: Bool, best: String, most: Int64, total: Int64)] = []
        while try counts.step() {
            let count = counts.integer(2)
            if let last = regions.indices.last, regions[last].number == counts.integer(0) {
                regions[last].total += count
            } else {
                regions.append(
                    (counts.integer(0), !counts.text(3).isEmpty, counts.text(1), count, count))
            }
        }
        let update = try database.prepare("UPDATE region SET country = ?2 WHERE id = ?1", for: "writing to")
        for region in regions {
            let isClear = Double(region.most) >= minAgreement * Double(region.total)
            guard !region.isNamed || region.total >= minPlaces && isClear else { continue }
            try update.run(.integer(region.number), .text(region.best))
        }
    }
}
