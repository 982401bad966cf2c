import Chronology
import Glibc
import SQLite
import TestSupport
import Testing

@testable import StateStore

@Suite struct TrackTableTests {
    /// A drive at 15 m/s with a point each four seconds, as a simplified track has.
    private func drive(_ count: Int, from start: Int64 = 1_790_000_000_000) -> [TrackRow] {
        var random = SeededGenerator(seed: 7)
        return (0..<Int64(count)).map { index in
            let north = Int64.random(in: 0..<2000, using: &random)
            let east = Int64.random(in: 0..<2000, using: &random)
            let altitude = Int64.random(in: 350..<390, using: &random)
            return TrackRow(
                time: start + index * 4000, latitude: 515_000_000 + index * 3600 + north,
                longitude: -1_000_000 + index * 4100 + east, accuracy: Int64.random(in: 25..<45, using: &random),
                altitude: index % 7 == 0 ? nil : altitude, begins: index % 500 == 0)
        }
    }

    private func open(_ scratch: Scratch) throws -> Database {
        try DatabaseFile(path: scratch("track.db"), schema: TrackTable.schema).open(at: UTCTime(milliseconds: 0))
            .database
    }

    @Test func `packed points are the same, and damage ends them`() {
        let points = drive(300)
        let bytes = TrackPiece.bytes(points)
        #expect(bytes.withUnsafeBytes { TrackPiece.points($0) } == points)
        let extreme = [
            TrackRow(time: .max, latitude: .min, longitude: .max, accuracy: .min, altitude: .max, isSimulated: true),
            TrackRow(time: .min, latitude: .max, longitude: .min, accuracy: .max, altitude: nil, begins: true),
            TrackRow(time: 0, latitude: 0, longitude: 0, accuracy: 0, altitude: .min),
        ]
        #expect(TrackPiece.bytes(extreme).withUnsafeBytes { TrackPiece.points($0) } == extreme)
        for end in 0..<bytes.count {
            let rest = bytes.prefix(end).withUnsafeBytes { TrackPiece.points($0) }
            #expect(rest == Array(points.prefix(rest.count)))
        }
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(noise.withUnsafeBytes { TrackPiece.points($0) }.count <= 40)
        }
    }

    @Test func `pages return each point in its time once`() throws {
        let table = TrackTable(try open(try Scratch()))
        let points = drive(1000)
        for start in stride(from: 0, to: 1000, by: 64) {
            try table.append(Array(points[start..<min(start + 64, 1000)]), expiry: nil)
        }
        let range = points[10].time..<points[990].time
        for limit in [1, 63, 64, 100, 5000] {
            var found: [TrackRow] = []
            var place: TrackTable.Place? = TrackTable.Place()
            while let next = place {
                let page = try table.points(from: next, in: range, limit: limit)
                #expect(page.points.count <= limit)
                found += page.points
                place = page.next
            }
            #expect(found == Array(points[10..<990]), "limit \(limit)")
        }
    }

    @Test func `old points expire, and erased ones leave no byte`() throws {
        let scratch = try Scratch()
        let database = try open(scratch)
        let table = TrackTable(database)
        let points = drive(192)
        for start in stride(from: 0, to: 192, by: 64) {
            try table.append(Array(points[start..<start + 64]), expiry: nil)
        }
        try table.append(drive(1, from: points[191].time + 4000), expiry: points[70].time)
        let rest = try table.points(from: TrackTable.Place(), in: .min..<(.max), limit: 1000).points
        #expect(rest.count == 129 && rest[0] == points[64], "the piece with the moment stays")
        let packed = TrackPiece.bytes(Array(points[64..<128]))
        #expect(contains(packed, scratch))
        #expect(try table.erase() == 129)
        #expect(!contains(packed, scratch))
        #expect(try table.points(from: TrackTable.Place(), in: .min..<(.max), limit: 9).points.isEmpty)
    }

    /// Returns whether the file or its log contains bytes.
    private func contains(_ bytes: [UInt8], _ scratch: Scratch) -> Bool {
        ["track.db", "track.db-wal"].contains { name in
            guard let file = fopen(scratch(name), "re") else { return false }
            defer { fclose(file) }
            var content = [UInt8](repeating: 0, count: 1 << 20)
            content.removeLast(content.count - fread(&content, 1, content.count, file))
            return content.indices.contains { content[$0...].starts(with: bytes.prefix(64)) }
        }
    }

    @Test func `100,000 points take at most 3 MB`() throws {
        let scratch = try Scratch()
        let database = try open(scratch)
        let table = TrackTable(database)
        let points = drive(100_000)
        for start in stride(from: 0, to: points.count, by: 5) {
            try table.append(Array(points[start..<min(start + 5, points.count)]), expiry: nil)
        }
        try database.overwriteLog("writing to")
        var status = stat()
        #expect(stat(scratch("track.db"), &status) == 0 && status.st_size <= 3_000_000, "\(status.st_size) bytes")
    }

    @Test func `the oldest points go when the file is full`() throws {
        let table = TrackTable(try open(try Scratch()), maxSize: 1 << 19)
        let points = drive(60_000)
        for start in stride(from: 0, to: points.count, by: 200) {
            try table.append(Array(points[start..<start + 200]), expiry: nil)
        }
        let rest = try table.points(from: TrackTable.Place(), in: .min..<(.max), limit: 1)
        #expect(rest.points[0].time > points[0].time)
        let last = try table.points(from: TrackTable.Place(), in: points[59_999].time..<(.max), limit: 9)
        #expect(last.points == [points[59_999]])
    }
}
