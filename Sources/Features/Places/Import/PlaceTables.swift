import Geodesy
import SQLite

/// The tables of a file of places, and how they are filled.
enum PlaceTables {
    /// Creates the tables. The rows are collected in `line`, because they are stored by population.
    ///
    /// Most answers need rows far apart, and thus as many pages: small ones are read faster. A part
    /// of the index of words fills one. The usual kind of a place is left out.
    static let schema = """
        PRAGMA page_size=4096;
        PRAGMA application_id=\(PlacesFile.applicationID);
        PRAGMA user_version=\(PlacesFile.version);
        CREATE TEMP TABLE line(id INTEGER PRIMARY KEY, name, latitude, longitude, kind, country, division, subdivision,
            population, zone, aliases);
        CREATE TEMP TABLE ranked(id INTEGER PRIMARY KEY, line INTEGER);
        CREATE TEMP TABLE inside(place INTEGER PRIMARY KEY, region INTEGER, isDivision INTEGER);
        CREATE TEMP TABLE collected(record INTEGER, language TEXT, name TEXT, rank INTEGER,
            PRIMARY KEY(record, language)) WITHOUT ROWID;
        CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, latitude INTEGER, longitude INTEGER, kind TEXT,
            country TEXT, division TEXT, subdivision TEXT, population INTEGER, zone INTEGER, region INTEGER,
            record INTEGER, aliases TEXT);
        CREATE TABLE zone(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE country_zone(country TEXT PRIMARY KEY, zone INTEGER) WITHOUT ROWID;
        CREATE TABLE division(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT, record INTEGER, aliases TEXT);
        CREATE TABLE localized(record INTEGER, language TEXT, name TEXT, PRIMARY KEY(record, language)) WITHOUT ROWID;
        CREATE TABLE region(id INTEGER PRIMARY KEY, kind TEXT, country TEXT, name TEXT, hasPlaces INTEGER DEFAULT 0);
        CREATE TABLE part(id INTEGER PRIMARY KEY, region INTEGER, shape BLOB);
        CREATE TABLE postal(id INTEGER PRIMARY KEY, code TEXT, country TEXT);
        CREATE TABLE source(name TEXT, contents TEXT, licence TEXT, attribution TEXT, date TEXT, rows INTEGER,
            errors INTEGER);
        CREATE VIRTUAL TABLE position USING rtree(id, south, north, west, east);
        CREATE VIRTUAL TABLE postal_position USING rtree(id, south, north, west, east);
        CREATE VIRTUAL TABLE box USING rtree(id, south, north, west, east);
        CREATE VIRTUAL TABLE words USING fts5(t, content='', columnsize=0, detail=none, prefix='1 2 3',
            tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* Co'");
        CREATE VIRTUAL TABLE short_names USING fts5(t, content='', columnsize=0, detail=none,
            tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* Co'");
        CREATE VIRTUAL TABLE divisions USING fts5(t, content='', columnsize=0, detail=none,
            tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* Co'");
        """

    /// Adds one place. Of two lines with one id the last counts.
    static let insertPlace = "INSERT OR REPLACE INTO line VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    /// Adds the name of a division or country.
    static let insertDivision = "INSERT OR REPLACE INTO division(code, name, record, aliases) VALUES (?1, ?2, ?3, ?4)"
    /// Adds a name in a language if its record was imported. The highest rank counts, then the
    /// first.
    static let insertName = """
        INSERT INTO collected SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM line WHERE id = ?1)
            OR EXISTS (SELECT 1 FROM division WHERE record = ?1)
        ON CONFLICT DO UPDATE SET name = excluded.name, rank = excluded.rank WHERE excluded.rank > rank
        """

    /// Ranks the places by population. The row number is the rank: a search stops at the largest.
    static let rank = """
        INSERT INTO ranked(line) SELECT id FROM line
            ORDER BY population DESC, id;
        """
    static let positions = """
        SELECT r.id, latitude, longitude FROM ranked AS r JOIN line AS l ON l.id = r.line ORDER BY r.id
        """

    /// Fills the tables from `line` in the order of the rank.
    static let index = """
        INSERT INTO zone(name) SELECT DISTINCT zone FROM line WHERE zone <> '' ORDER BY zone;
        INSERT INTO place SELECT r.id, l.name, round(latitude * \(PlacesFile.stepsPerDegree)),
            round(longitude * \(PlacesFile.stepsPerDegree)), nullif(kind, '\(Place.usualKind)'), country,
            division, subdivision, population, z.id, i.region, max(l.id, 0), aliases
            FROM ranked AS r JOIN line AS l ON l.id = r.line LEFT JOIN inside AS i ON i.place = r.id
            LEFT JOIN zone AS z ON z.name = l.zone ORDER BY r.id;
        INSERT INTO country_zone SELECT country, min(zone) FROM place WHERE country <> '' AND zone IS NOT NULL
            GROUP BY country HAVING min(zone) = max(zone) ORDER BY country;
        INSERT INTO words(rowid, t) SELECT p.id, p.name || ' ' || p.aliases || ' ' || coalesce(
            (SELECT group_concat(c.name, ' ') FROM collected AS c WHERE c.record = p.record), '')
            FROM place AS p ORDER BY p.id;
        INSERT INTO words(words) VALUES ('optimize');
        INSERT INTO divisions(rowid, t) SELECT d.id, substr(d.code, instr(d.code, '.') + 1) || ' ' || d.name || ' '
            || d.aliases || ' ' || coalesce(
            (SELECT group_concat(c.name, ' ') FROM collected AS c WHERE c.record = d.record), '')
            FROM division AS d WHERE d.code NOT LIKE '%.%.%' ORDER BY d.id;
        INSERT INTO localized SELECT record, language, name FROM collected ORDER BY record, language;
        DROP TABLE line;
        DROP TABLE ranked;
        DROP TABLE inside;
        DROP TABLE collected;
        """
}

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
