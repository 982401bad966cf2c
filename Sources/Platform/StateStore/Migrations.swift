import SQLite

/// The SQL statements that create the tables, oldest first. A released statement never changes;
/// later versions append another.
///
/// The file stores the number of executed statements (`PRAGMA user_version`).
enum Migrations {
    static let all: [String] = [
        // 1: monitors and energy use.
        """
        CREATE TABLE monitor (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            program TEXT NOT NULL,
            name TEXT NOT NULL,
            sequence INTEGER NOT NULL DEFAULT 0,
            UNIQUE (program, name)
        );
        CREATE TABLE condition (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            monitor INTEGER NOT NULL REFERENCES monitor (id) ON DELETE CASCADE,
            identifier TEXT NOT NULL,
            shape BLOB NOT NULL,
            assuming TEXT NOT NULL,
            dwell INTEGER,
            expiry INTEGER,
            metadata TEXT,
            state TEXT NOT NULL,
            since INTEGER,
            dwelt INTEGER NOT NULL DEFAULT 0,
            folded INTEGER NOT NULL DEFAULT 0,
            UNIQUE (monitor, identifier)
        );
        CREATE TABLE event (
            monitor INTEGER NOT NULL REFERENCES monitor (id) ON DELETE CASCADE,
            sequence INTEGER NOT NULL,
            condition INTEGER NOT NULL REFERENCES condition (id) ON DELETE CASCADE,
            kind TEXT NOT NULL, state TEXT NOT NULL, date INTEGER, recorded INTEGER, folded INTEGER NOT NULL,
            margin REAL,
            time INTEGER, latitude REAL, longitude REAL, horizontal_accuracy REAL, accuracy_source TEXT,
            altitude REAL, ellipsoidal_altitude REAL, vertical_accuracy REAL,
            speed REAL, speed_accuracy REAL, course REAL, course_accuracy REAL,
            mode TEXT, quality TEXT, satellites_used INTEGER, hdop REAL,
            PRIMARY KEY (monitor, sequence)
        ) WITHOUT ROWID;
        CREATE INDEX event_of_condition ON event (condition, sequence);
        CREATE TABLE handled (
            condition INTEGER PRIMARY KEY REFERENCES condition (id) ON DELETE CASCADE,
            sequence INTEGER NOT NULL,
            kind TEXT NOT NULL, state TEXT NOT NULL, date INTEGER, recorded INTEGER, folded INTEGER NOT NULL,
            margin REAL,
            time INTEGER, latitude REAL, longitude REAL, horizontal_accuracy REAL, accuracy_source TEXT,
            altitude REAL, ellipsoidal_altitude REAL, vertical_accuracy REAL,
            speed REAL, speed_accuracy REAL, course REAL, course_accuracy REAL,
            mode TEXT, quality TEXT, satellites_used INTEGER, hdop REAL
        );
        CREATE TABLE usage (
            day INTEGER NOT NULL,
            receiver TEXT NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            seconds REAL NOT NULL DEFAULT 0,
            joules REAL NOT NULL DEFAULT 0,
            count INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (day, receiver, kind, name)
        ) WITHOUT ROWID;
        """,
        // 2: the ordinal of a condition among those of its program. NULL: the number of its row. A
        // condition that replaces another takes over the ordinal.
        "ALTER TABLE condition ADD COLUMN ordinal INTEGER;",
        // 3: whether the fix that decided an event is simulated. NULL: it is not.
        """
        ALTER TABLE event ADD COLUMN simulated INTEGER;
        ALTER TABLE handled ADD COLUMN simulated INTEGER;
        """,
        // 4: decisions about programs, leases, and values of the device such as the location
        // switch.
        """
        CREATE TABLE permission (
            program TEXT PRIMARY KEY,
            authorization TEXT NOT NULL,
            accuracy TEXT NOT NULL,
            author TEXT NOT NULL,
            user INTEGER NOT NULL,
            date INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE lease (program TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE device (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL,
            user INTEGER NOT NULL,
            date INTEGER NOT NULL
        ) WITHOUT ROWID;
        """,
        // 5: when a condition was added, by the host's clock. NULL: by an earlier version.
        "ALTER TABLE condition ADD COLUMN added INTEGER;",
        // 6: the record of use.
        """
        CREATE TABLE location_use (
            number INTEGER PRIMARY KEY,
            user INTEGER NOT NULL,
            program TEXT NOT NULL,
            kind TEXT NOT NULL,
            accuracy TEXT NOT NULL,
            decided_by TEXT NOT NULL,
            began INTEGER,
            duration INTEGER NOT NULL,
            updates INTEGER NOT NULL,
            is_open INTEGER NOT NULL
        );
        CREATE INDEX location_use_of_user ON location_use (user, number);
        """,
        // 7: visits, one row for each user whose programs learnt of them.
        """
        CREATE TABLE visit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            user INTEGER NOT NULL,
            arrival INTEGER,
            departure INTEGER,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            radius REAL NOT NULL,
            is_open INTEGER NOT NULL
        );
        CREATE INDEX visit_of_user ON visit (user, number);
        """,
        // 8: the beacon of an event, as UUID/MAJOR/MINOR. NULL: it has none.
        """
        ALTER TABLE event ADD COLUMN beacon TEXT;
        ALTER TABLE handled ADD COLUMN beacon TEXT;
        """,
    ]
}

extension DatabaseFile {
    /// Creates a description of the daemon's database at `path`, which need not exist.
    package init(path: String) { self.init(path: path, schema: Migrations.all) }
}
