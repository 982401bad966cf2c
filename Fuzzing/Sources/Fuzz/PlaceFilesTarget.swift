import CLibFuzzer
import Glibc

@testable import Places

/// A file that a user imports: any bytes, read by each reader.
enum PlaceFilesTarget {
    /// Checks that the lines are those of a simple reader, that values are in their ranges, and
    /// that a feature is a part of the file.
    static func run(_ data: UnsafeRawBufferPointer) {
        let bytes = Array(data)
        readLines(bytes)
        readFeatures(bytes)
        guard let catalog = MessageCatalog(bytes) else { return }
        for message in ["", "Germany", String(decoding: bytes.suffix(8), as: UTF8.self)] {
            let translation = catalog.translation(of: message)
            Invariant.check(translation?.isEmpty != true, "an empty translation of \(message)")
        }
    }

    private static func readLines(_ bytes: [UInt8]) {
        let expected = lines(of: bytes)
        let read = withFile(bytes) { path -> [String] in
            guard let file = try? ByteReader(path) else { return [] }
            var reader = LineReader(file)
            var lines: [String] = []
            while let line = try? reader.next() { lines.append(line) }
            Invariant.check(reader.number == lines.count, "\(lines.count) lines have the number \(reader.number)")
            return lines
        }
        Invariant.check(read == expected, "the lines are \(read), not \(expected)")
        var format: ImportFormat?
        let header = expected.lazy.compactMap { ValuesHeader($0) }.first
        for line in expected {
            format = format ?? ImportFormat(line)
            if let format, let parsed = GeoNamesLine(line, format: format) { check(parsed) }
            if let place = header?.place(line)?.place { check(place) }
        }
    }

    /// The lines of a file, found by splitting.
    private static func lines(of bytes: [UInt8]) -> [String] {
        var parts = bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
        if parts.last?.isEmpty == true { parts.removeLast() }
        for index in parts.indices {
            if parts[index].last == 13 { parts[index].removeLast() }
            if index == 0, parts[0].prefix(3) == [0xEF, 0xBB, 0xBF] { parts[0].removeFirst(3) }
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func check(_ line: GeoNamesLine) {
        switch line {
        case .place(let place, _, _, let changed):
            check(place)
            Invariant.check(changed.count <= 10 && place.record > 0, "the line \(line)")
        case .division(let code, let name, _, _): Invariant.check(!code.isEmpty && !name.isEmpty, "\(line)")
        case .country(let code, _, let name, _): Invariant.check(code.utf8.count == 2 && !name.isEmpty, "\(line)")
        case .postal(let code, let country, let place):
            Invariant.check(!code.isEmpty && country.utf8.count == 2 && place.latitude.isFinite, "\(line)")
        case .name(let record, let language, let name, _):
            Invariant.check(record > 0 && (2...3).contains(language.utf8.count) && !name.isEmpty, "\(line)")
        case .ignored: break
        }
    }

    private static func check(_ place: Place) {
        Invariant.check(
            !place.name.isEmpty && abs(place.coordinate.latitude) <= 90 && abs(place.coordinate.longitude) <= 180
                && (0...100_000_000).contains(place.population), "the place \(place)")
    }

    private static func readFeatures(_ bytes: [UInt8]) {
        withFile(bytes) { path in
            guard let file = try? ByteReader(path) else { return }
            var reader = FeatureReader(file)
            var length = 0
            while let feature = try? reader.nextFeature() {
                length += feature.count
                Invariant.check(length <= bytes.count && feature.last == UInt8(ascii: "}"), "the feature \(feature)")
                guard case .success(let region) = RegionFeature.parse(feature, ImportOptions()) else { continue }
                let points = region.polygons.joined().joined()
                Invariant.check(
                    region.polygons.joined().allSatisfy { $0.count >= 3 }
                        && points.allSatisfy { abs($0.latitude) <= 90 && abs($0.longitude) <= 180 }
                        && (region.country.isEmpty || region.country.utf8.count == 2),
                    "the area \(region)")
            }
        }
    }

    /// Runs a closure with the path of a file in memory that has these bytes.
    private static func withFile<Result>(_ bytes: [UInt8], _ body: (String) -> Result) -> Result {
        let file = memfd_create("places", 0)
        defer { close(file) }
        Invariant.check(file >= 0 && write(file, bytes, bytes.count) == bytes.count, "a file is written")
        return body("/proc/self/fd/\(file)")
    }
}
