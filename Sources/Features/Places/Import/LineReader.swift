import Geodesy
import Glibc
import SystemCalls

/// The lines of a file, read in parts.
struct LineReader: ~Copyable {
    /// The length of a line in bytes, at most. The longest of GeoNames has 15 kB.
    static let maxLength = 1 << 20

    private var source: ByteReader
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasEnded = false
    /// The number of the last line that was read; the first is 1.
    private(set) var number = 0
    /// Whether the last line that was read is UTF-8.
    private(set) var isUTF8 = true

    /// Creates a reader for the file that `source` has opened.
    init(_ source: consuming ByteReader) { self.source = source }

    /// The number of bytes that were read from the file.
    var position: Int64 { source.position }

    /// Returns the next line without its end and without a byte order mark; nil at the end of the
    /// file. Invalid UTF-8 is replaced, see ``isUTF8``.
    ///
    /// - Throws: `SystemError` with EFBIG for a line above ``maxLength``.
    mutating func next() throws(SystemError) -> String? {
        guard let range = try nextRange() else { return nil }
        number += 1
        var content = buffer[range]
        if content.last == 13 { content = content.dropLast() }
        if number == 1, content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
        let text = String(validating: content, as: UTF8.self)
        isUTF8 = text != nil
        return text ?? String(decoding: content, as: UTF8.self)
    }

    private mutating func nextRange() throws(SystemError) -> Range<Int>? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 10) {
                defer { start = end + 1 }
                return start..<end
            }
            guard !hasEnded else {
                guard start < buffer.count else { return nil }
                defer { start = buffer.count }
                return start..<buffer.count
            }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            guard buffer.count <= LineReader.maxLength else {
                throw SystemError(code: EFBIG, operation: "reading line \(number + 1) of \(source.path)")
            }
            hasEnded = try !source.read(into: &buffer)
        }
    }
}

/// The bytes of a file, read in parts.
struct ByteReader: ~Copyable {
    let path: String
    private let file: FileDescriptor
    private var part = [UInt8](repeating: 0, count: 65_536)
    private(set) var position: Int64 = 0

    init(_ path: String) throws(SystemError) {
        // Swift 6.2, which builds the arm64 packages, fails for a throw in a partial value.
        self.init(
            path, FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) }))
    }

    private init(_ path: String, _ file: consuming FileDescriptor) {
        self.path = path
        self.file = file
    }

    /// Appends the next bytes; returns false at the end of the file.
    mutating func read(into buffer: inout [UInt8]) throws(SystemError) -> Bool {
        let count = try systemCall("reading \(path)") { Glibc.read(file.number, &part, part.count) }
        position += Int64(count)
        buffer.append(contentsOf: part.prefix(count))
        return count > 0
    }
}

/// The header of comma-separated values: the names of the columns.
struct ValuesHeader: Equatable {
    private let columns: [String: Int]
    private let count: Int

    /// Parses a header. Returns nil if a required column is missing.
    init?(_ line: String) {
        guard let names = ValuesHeader.fields(of: line) else { return nil }
        count = names.count
        columns = Dictionary(names.enumerated().map { ($1.lowercased(), $0) }) { first, _ in first }
        guard ["name", "latitude", "longitude"].allSatisfy({ columns[$0] != nil }) else { return nil }
    }

    /// Parses a line. Returns nil if it is invalid.
    func place(_ line: String) -> (place: Place, aliases: String)? {
        guard let fields = ValuesHeader.fields(of: line), fields.count == count else { return nil }
        func field(_ name: String) -> String { columns[name].map { fields[$0] } ?? "" }
        let population = field("population").isEmpty ? 0 : Int64(field("population"))
        guard !field("name").isEmpty, let latitude = Double(field("latitude")),
            let longitude = Double(field("longitude")),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let population, (0...100_000_000).contains(population)
        else { return nil }
        let place = Place(
            name: field("name"), coordinate: coordinate, kind: field("kind").isEmpty ? Place.usualKind : field("kind"),
            country: field("country"), division: field("admin1"), population: population,
            timeZone: field("timezone"))
        return (place, field("aliases"))
    }

    /// The fields of a line (RFC 4180, within one line); nil if a quotation mark is missing.
    static func fields(of line: String) -> [String]? {
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var bytes = Array(line.utf8)[...]
        while let byte = bytes.popFirst() {
            switch (byte, isQuoted) {
            case (UInt8(ascii: "\""), true) where bytes.first == UInt8(ascii: "\""):
                bytes = bytes.dropFirst()
                field.append(byte)
            case (UInt8(ascii: "\""), true): isQuoted = false
            case (UInt8(ascii: "\""), false) where field.isEmpty: isQuoted = true
            case (UInt8(ascii: ","), false):
                fields.append(String(decoding: field, as: UTF8.self))
                field = []
            default: field.append(byte)
            }
        }
        guard !isQuoted else { return nil }
        return fields + [String(decoding: field, as: UTF8.self)]
    }
}
