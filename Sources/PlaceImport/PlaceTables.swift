import PlaceIndex

/// The tables of a file of places, and how they are filled.
enum PlaceTables {
    /// Creates the tables. The rows are collected in `line`, because they are stored by importance.
    static let schema = """
        PRAGMA page_size=4096;
        PRAGMA application_id=\(PlacesFile.applicationID);
        PRAGMA user_version=\(PlacesFile.version);
        CREATE TEMP TABLE line(id INTEGER PRIMARY KEY, name, latitude, longitude, kind, country, division, population,
            zone, ascii, aliases);
        CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, latitude REAL, longitude REAL, kind TEXT, country TEXT,
            division TEXT, population INTEGER, zone TEXT, aliases TEXT);
        CREATE TABLE division(code TEXT PRIMARY KEY, name TEXT, ascii TEXT) WITHOUT ROWID;
        CREATE TABLE source(name TEXT, licence TEXT, attribution TEXT, rows INTEGER, errors INTEGER);
        CREATE VIRTUAL TABLE position USING rtree(id, south, north, west, east);
        CREATE VIRTUAL TABLE words USING fts5(t, content='', columnsize=0, detail=none, prefix='1 2 3',
            tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* Co'");
        """

    /// Adds one line. Of two lines with one id the last counts.
    static let insertion = "INSERT OR REPLACE INTO line VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"

    /// Fills the tables from `line`. The row number is the rank: a search stops at the most
    /// important rows. The ASCII name is one of the other names.
    static let index = """
        INSERT INTO place(name, latitude, longitude, kind, country, division, population, zone, aliases)
            SELECT name, latitude, longitude, kind, country, division, population, zone, ascii || ',' || aliases
            FROM line ORDER BY population * CASE kind WHEN 'PPLC' THEN 10 WHEN 'PPLA' THEN 2 ELSE 1 END DESC, id;
        INSERT INTO position SELECT id, latitude, latitude, longitude, longitude FROM place
            ORDER BY CAST(latitude / 2 AS INTEGER), longitude, id;
        INSERT INTO words(rowid, t) SELECT id, name || ' ' || aliases FROM place ORDER BY id;
        UPDATE source SET rows = (SELECT count(*) FROM place);
        DROP TABLE line;
        """
}
