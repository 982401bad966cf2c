import Glibc
import SQLite
import SextantAPI
import SystemCalls

/// An import of files into the file of places of a folder.
///
/// It writes a new file and renames it, so that the previous one stays in service until then, also
/// if the import is ended.
package struct PlaceImport: ~Copyable {
    /// An invalid line or area.
    package struct InvalidLine: Sendable, Equatable {
        /// The path of the file.
        package var path: String
        /// The number of the line, or of the area in a GeoJSON file; the first is 1.
        package var number: Int
        /// What a valid one has.
        package var rule: String

        /// Where it is, and what to correct.
        package var text: String { "\(path):\(number): invalid: it needs \(rule)" }
    }

    /// The number of invalid lines that are reported, at most.
    package static let maxReported = 5
    /// The number of places, at most. `allCountries.txt` has 13 million, mostly no towns.
    static let maxPlaces: Int64 = 2_000_000

    /// The number of places, after lines with the same record were merged.
    package private(set) var rows: Int64 = 0
    /// The number of invalid lines.
    package private(set) var errors: Int64 = 0
    /// The first invalid lines.
    package private(set) var invalidLines: [InvalidLine] = []

    private let folder: PlacesFolder
    private let newFile: String
    private let options: ImportOptions
    private let progress: (Int64) -> Void

    /// Prepares an import.
    ///
    /// - Parameter progress: Called now and then with the number of bytes read from all files.
    package init(
        into folder: PlacesFolder, options: ImportOptions = ImportOptions(),
        progress: @escaping (Int64) -> Void = { _ in }
    ) {
        self.folder = folder
        self.options = options
        self.progress = progress
        newFile = "\(folder.file).new"
    }

    /// Imports files, which replace the previous ones.
    ///
    /// - Throws: ``PlacesError``. Then nothing has changed, also if a file cannot be read, has an
    ///   unknown format or no licence, or if no file contains a place.
    package mutating func run(_ paths: [String]) throws(PlacesError) {
        do {
            try Directory.make(folder.path)
            let lock = try openFolder()
            guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else { throw PlacesError.importing(folder: folder.path) }
            unlink(newFile)
            defer { unlink(newFile) }
            try write(paths)
            try replace(in: lock)
        } catch let error as SystemError where error.code == EACCES {
            throw .file("\(error); run this command with sudo, or name another folder with SEXTANT_PLACES")
        } catch {
            throw (error as? PlacesError) ?? .file("\(error)")
        }
    }

    private mutating func write(_ paths: [String]) throws {
        var files: [ImportedFile] = []
        for path in paths { files.append(try ImportedFile(path, options)) }
        let database = try Database(creating: newFile)
        try database.execute(PlaceTables.schema, for: "creating")
        try database.execute("BEGIN", for: "writing to")
        var bytes: Int64 = 0
        // What names refer to comes first. The order within a format is the user's.
        for index in files.indices.sorted(by: { (files[$0].format.rawValue, $0) < (files[$1].format.rawValue, $1) }) {
            let earlier = bytes
            let report = progress
            let invalid = try files[index].read(into: database, options) { position in
                bytes = earlier + position
                report(bytes)
            }
            errors += Int64(files[index].source.errors)
            let (path, rule) = (files[index].path, files[index].format.rule)
            invalidLines += invalid.map { InvalidLine(path: path, number: $0, rule: rule) }
        }
        invalidLines = Array(invalidLines.prefix(PlaceImport.maxReported))
        rows = try database.prepare("SELECT count(*) FROM line", for: "reading").first { $0.integer(0) } ?? 0
        guard rows > 0 else {
            let first = invalidLines.first.map { "; \($0.text)" } ?? ""
            throw PlacesError.file("the files contain no place: nothing was imported\(first)")
        }
        try index(database, files.map(\.source))
    }

    private func index(_ database: Database, _ sources: [PlacesSource]) throws {
        let insertion = try database.prepare(
            "INSERT INTO source VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", for: "writing to")
        for source in sources {
            try insertion.run(
                .text(source.name), .text(source.contents), .text(source.licence), .text(source.attribution),
                .text(source.date ?? ""), .integer(Int64(source.rows)), .integer(Int64(source.errors)))
        }
        try database.execute(PlaceTables.rank, for: "indexing")
        try indexPositions(database)
        try RegionAssignment.run(in: database)
        try database.execute(PlaceTables.index, for: "indexing")
        try ShortNames.run(in: database)
        try database.execute("COMMIT; VACUUM", for: "writing to")
    }

    private func indexPositions(_ database: Database) throws {
        let tree = try PackedTree("position", in: database)
        let positions = try database.prepare(PlaceTables.positions, for: "reading")
        while try positions.step() {
            tree.add(positions.integer(0), latitude: positions.real(1), longitude: positions.real(2))
        }
        try tree.write()
    }

    private func openFolder() throws(SystemError) -> FileDescriptor {
        let path = folder.path
        return FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    }

    /// Writes the new file and its name to disk.
    private func replace(in directory: borrowing FileDescriptor) throws(SystemError) {
        let path = newFile
        let number = directory.number
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDWR | O_CLOEXEC) })
        try PlacesChecksum.append(to: file, path: path)
        try systemCall("setting the mode of \(path)") { fchmod(file.number, 0o644) }
        try systemCall("writing \(path)") { fsync(file.number) }
        try systemCall("renaming \(path)") { rename(path, folder.file) }
        try systemCall("writing the folder \(folder.path)") { fsync(number) }
    }
}

/// What the user states about files whose format does not state it.
package struct ImportOptions: Sendable, Equatable {
    package var licence: String?
    /// The text that the licence requires.
    package var attribution: String?
    /// What the areas of a GeoJSON file are.
    package var kind: Region.Kind?
    /// The property of an area with its code: the country's letters, the time zone or the name.
    package var code: String?

    package init(
        licence: String? = nil, attribution: String? = nil, kind: Region.Kind? = nil, code: String? = nil
    ) {
        self.licence = licence
        self.attribution = attribution
        self.kind = kind
        self.code = code
    }
}

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
