import SQLite

/// Fills the index of names of few letters. Very many places have such a word in one of their
/// names, but few have it as a name.
enum ShortNames {
    /// Reads the places of `place` and fills `short_names`.
    static func run(in database: Database) throws {
        let places = try database.prepare("SELECT id, name, aliases FROM place ORDER BY id", for: "reading")
        let insertion = try database.prepare("INSERT INTO short_names(rowid, t) VALUES (?1, ?2)", for: "writing to")
        while try places.step() {
            var names: [String] = []
            for column: Int32 in [1, 2] {
                places.withBytes(column) { bytes in
                    for name in bytes.split(separator: UInt8(ascii: ",")) where name.count <= maxBytes {
                        let words = PlaceQuery.words(of: String(decoding: name, as: UTF8.self))
                        if PlaceQuery.isShort(words) { names += words }
                    }
                }
            }
            guard !names.isEmpty else { continue }
            try insertion.run(.integer(places.integer(0)), .text(names.joined(separator: " ")))
        }
        try database.execute("INSERT INTO short_names(short_names) VALUES ('optimize')", for: "indexing")
    }

    /// The bytes of a name, at most: three letters with some marks, and punctuation.
    private static let maxBytes = 64
}
