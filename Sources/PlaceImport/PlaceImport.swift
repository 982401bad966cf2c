import Geodesy
import Glibc
import PlaceIndex
import Places
import Store
import SystemCalls

/// An import of files of GeoNames into the file of places of a folder.
///
/// It writes a new file and renames it, so that the previous one stays in service until then, also
/// if the import is ended.
package struct PlaceImport: ~Copyable {
    /// An invalid line.
    package struct InvalidLine: Sendable, Equatable {
        /// The path of the file.
        package var path: String
        /// The number of the line; the first is 1.
        package var number: Int
    }

    /// The licence of GeoNames' data.
    package static let licence = "CC BY 4.0"
    /// The text that the licence requires.
    package static let attribution =
        "Contains data from GeoNames (https://www.geonames.org), CC BY 4.0, modified; provided as is"
    /// The number of invalid lines that are reported, at most.
    package static let maxReported = 5

    /// The number of places read.
    package private(set) var rows: Int64 = 0
    /// The number of invalid lines.
    package private(set) var errors: Int64 = 0
    /// The first invalid lines.
    package private(set) var invalidLines: [InvalidLine] = []

    private let folder: PlacesFolder
    private let newFile: String

    /// Prepares an import.
    package init(into folder: PlacesFolder) {
        self.folder = folder
        newFile = "\(folder.file).new"
    }

    /// Imports files, which replace the previous ones.
    ///
    /// - Throws: ``PlacesError/file(_:)`` if a file cannot be read, has an unknown format or
    ///   contains no place, or if the result cannot be written. Then nothing has changed.
    package mutating func run(_ paths: [String]) throws(PlacesError) {
        unlink(newFile)
        do {
            try write(paths)
            try replace()
        } catch {
            unlink(newFile)
            throw (error as? PlacesError) ?? .file("\(error)")
        }
    }

    private mutating func write(_ paths: [String]) throws {
        try makeFolder()
        let database = try Database(creating: newFile)
        try database.execute(PlaceTables.schema, for: "creating")
        try database.execute("BEGIN", for: "writing to")
        var names: [String] = []
        for path in paths {
            try read(path, into: database)
            names.append(path.split(separator: "/").last.map(String.init) ?? path)
        }
        guard rows > 0 else { throw PlacesError.file("the files contain no place: nothing was imported") }
        let source = try database.prepare("INSERT INTO source VALUES (?1, ?2, ?3, ?4, ?5)", for: "writing to")
        try source.run(
            .text(names.joined(separator: ", ")), .text(PlaceImport.licence), .text(PlaceImport.attribution),
            .integer(rows), .integer(errors))
        try database.execute(PlaceTables.index, for: "indexing")
        try database.execute("COMMIT", for: "writing to")
    }

    private mutating func read(_ path: String, into database: Database) throws {
        var lines = try LineReader(path)
        guard let first = try lines.next(), let format = GeoNamesLine.format(of: first) else {
            throw PlacesError.file(
                "\(path) is not a list of places or divisions of GeoNames: it needs 19 or 4 columns separated by tabs "
                    + "(unzip a .zip file first)")
        }
        let place = try database.prepare(PlaceTables.insertion, for: "writing to")
        let division = try database.prepare("INSERT OR REPLACE INTO division VALUES (?1, ?2, ?3)", for: "writing to")
        var line: String? = first
        var number = 0
        while let text = line {
            number += 1
            switch GeoNamesLine(text, format: format) {
            case .place(let id, let value, let ascii, let otherNames):
                rows += 1
                try place.run(
                    .integer(id), .text(value.name), .real(value.coordinate.latitude),
                    .real(value.coordinate.longitude), .text(value.kind), .text(value.country), .text(value.division),
                    .integer(value.population), .text(value.timeZone), .text(ascii), .text(otherNames))
            case .division(let code, let name, let ascii):
                try division.run(.text(code), .text(name), .text(ascii))
            case .ignored: break
            case nil: count(InvalidLine(path: path, number: number))
            }
            line = try lines.next()
        }
    }

    private mutating func count(_ line: InvalidLine) {
        errors += 1
        if invalidLines.count < PlaceImport.maxReported { invalidLines.append(line) }
    }

    private func makeFolder() throws(SystemError) {
        let result = mkdir(folder.path, 0o755)
        guard result == 0 || errno == EEXIST else {
            throw SystemError(code: errno, operation: "creating \(folder.path)")
        }
    }

    /// Writes the new file to disk and renames it.
    private func replace() throws(SystemError) {
        let path = newFile
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        try systemCall("writing \(path)") { fsync(file.number) }
        try systemCall("setting the mode of \(path)") { fchmod(file.number, 0o644) }
        try systemCall("renaming \(path)") { rename(path, folder.file) }
    }
}
