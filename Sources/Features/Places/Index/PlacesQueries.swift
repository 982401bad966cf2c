import SQLite

/// The queries of a file of places.
enum PlacesQueries {
    /// The columns of a place.
    private static let columns = """
        p.name, p.latitude, p.longitude, p.kind, p.country, p.division, p.subdivision, p.population, \
        p.zone, p.region, p.record
        """
    /// The indexes of the columns after those of a place.
    static let number: Int32 = 11
    static let aliases: Int32 = 12

    static let candidates = Query("SELECT 1 FROM position WHERE id MATCH candidates() LIMIT 1")
    static let place = Query("SELECT \(columns) FROM place AS p WHERE p.id = ?1")
    static let farPlaces = Query(
        """
        SELECT g.id, p.region FROM position AS g JOIN place AS p ON p.id = g.id
        WHERE g.id MATCH nearest(?1, ?2, ?3)
        """)
    static let hasPlaces = Query("SELECT hasPlaces FROM region WHERE id = ?1")
    static let postalCode = Query(
        """
        SELECT p.code FROM postal_position AS g JOIN postal AS p ON p.id = g.id
        WHERE g.id MATCH nearest(?1, ?2, ?3) AND p.country = ?4 LIMIT 1
        """)
    static let divisionName = Query(
        """
        SELECT coalesce((SELECT l.name FROM localized AS l WHERE l.record = d.record AND l.language = ?2), d.name)
        FROM division AS d WHERE d.code = ?1
        """)
    static let countryZone = Query(
        "SELECT z.name FROM country_zone AS c JOIN zone AS z ON z.id = c.zone WHERE c.country = ?1")
    static let localizedName = Query("SELECT name FROM localized WHERE record = ?1 AND language = ?2")
    static let region = Query("SELECT id, kind, country, name FROM region WHERE id = ?1")
    static let parts = Query(
        """
        SELECT r.id, r.kind, r.country, r.name, p.shape FROM box AS b
        JOIN part AS p ON p.id = b.id JOIN region AS r ON r.id = p.region
        WHERE b.south <= ?1 + ?3 AND b.north >= ?1 - ?3 AND b.west <= ?2 + ?4 AND b.east >= ?2 - ?4 ORDER BY b.id
        """)
    static let zone = Query("SELECT name FROM zone WHERE id = ?1")
    static let beginnings = Query(
        """
        SELECT \(columns), p.id FROM words AS w JOIN place AS p ON p.id = w.rowid
        WHERE words MATCH ?1 ORDER BY w.rowid
        """)
    static let names = Query(
        """
        SELECT \(columns), p.id, p.aliases FROM words AS w JOIN place AS p ON p.id = w.rowid
        WHERE words MATCH ?1 ORDER BY w.rowid
        """)
    static let shortNames = Query(
        """
        SELECT \(columns), p.id, p.aliases FROM short_names AS w JOIN place AS p ON p.id = w.rowid
        WHERE short_names MATCH ?1 ORDER BY w.rowid
        """)
    static let divisions = Query(
        """
        SELECT d.code FROM divisions AS w JOIN division AS d ON d.id = w.rowid
        WHERE divisions MATCH ?1 LIMIT ?2
        """)
}
