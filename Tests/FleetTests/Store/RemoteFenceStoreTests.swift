import Chronology
import Fleet
import Geodesy
import SQLite
import TestSupport
import Testing

@testable import Fleet

/// The fences of servers, which do not depend on the order of destinations.
@Suite struct RemoteFenceStoreTests {
    private let scratch: Scratch
    private let now = UTCTime(milliseconds: 1_800_000_000_000)

    init() throws { scratch = try Scratch() }

    private func open() throws -> RemoteFenceStore { try RemoteFenceStore(path: scratch("fences.db"), hostTime: now) }

    private func fence(_ identifier: String, created: Int64 = 5) throws -> RemoteFence {
        RemoteFence(
            identifier, created: created, center: try #require(Coordinate(latitude: 1, longitude: 2)), radius: 50)
    }

    /// Writes the fences as earlier versions did.
    private func writeOutbox(_ name: String, _ fences: [RemoteFence]) throws -> String {
        let path = scratch(name)
        _ = try FleetOutbox(path: path, tolerance: 25, hostTime: now)
        let database = try DatabaseFile(path: path, schema: FleetOutbox.schema).open(at: now).database
        for fence in fences {
            try database.prepare("INSERT INTO fence VALUES (?1, ?2, 1, 2, 50)", for: "writing to")
                .run(.text(fence.identifier), .integer(fence.created))
        }
        return path
    }

    @Test func `fences are kept over restarts`() throws {
        let fences = [try fence("a"), try fence("b")]
        try open().finish(fences)
        #expect(try open().fences() == fences)
        try open().finish([fences[1]])
        #expect(try open().fences() == [fences[1]])
    }

    @Test func `after a kill between the steps of a change, its fences are known`() throws {
        try open().finish([try fence("a")])
        try open().begin(["b", "a"])
        #expect(try open().unfinished() == ["a", "b"])
        #expect(try open().fences() == [try fence("a")])
        try open().finish([try fence("b")])
        #expect(try open().unfinished().isEmpty)
    }

    @Test func `fences move out of the outboxes of all destinations, also after a kill in between`() throws {
        let first = try writeOutbox("outbox-1.db", [try fence("a", created: 1)])
        let second = try writeOutbox("outbox-2.db", [try fence("a", created: 2), try fence("b", created: 3)])
        let expected = [try fence("a", created: 1), try fence("b", created: 3)]
        #expect(try open().importFences(from: first, hostTime: now) == nil)
        // The process is killed here, and the next one begins again.
        do {
            let store = try open()
            #expect(try store.needsImport())
            for path in [first, second] { #expect(try store.importFences(from: path, hostTime: now) == nil) }
            try store.finishImport()
        }
        #expect(try open().fences() == expected)
        #expect(try !open().needsImport())
        // Nothing is left that could come back.
        let other = try RemoteFenceStore(path: scratch("other.db"), hostTime: now)
        for path in [first, second] { _ = try other.importFences(from: path, hostTime: now) }
        #expect(try other.fences().isEmpty)
    }
}
