import Chronology
import Geodesy
import Places
import TestSupport
import Testing

/// Own places of several programs and users in one file.
@Suite struct OwnPlaceStoreTests {
    private static let now = UTCTime(milliseconds: 1_800_000_000_000)
    private let scratch: Scratch
    private let store: OwnPlaceStore

    init() throws {
        scratch = try Scratch()
        store = OwnPlaceStore(path: scratch("own-places.db"))
    }

    private func place(_ identifier: String, domain: String = "") throws -> OwnPlace {
        try OwnPlace(
            identifier: identifier, domain: domain, name: "Home",
            coordinate: try #require(Coordinate(latitude: 51, longitude: 5)), radius: 100, keywords: [], expiry: nil)
    }

    private func identifiers(of program: String) throws -> [String] {
        try store.places(of: program, at: OwnPlaceStoreTests.now).map(\.identifier)
    }

    @Test func `a program removes its own places only`() throws {
        for program in ["1000:a.service", "1000:b.service"] {
            try store.put(
                [place("home"), place("work", domain: "work")], of: program, user: 1000, at: OwnPlaceStoreTests.now)
        }
        let now = OwnPlaceStoreTests.now
        #expect(try store.removeAll(of: "1000:a.service", domain: "work", at: now) == 1)
        #expect(try store.remove(["work"], of: "1000:a.service", at: now) == 0)
        #expect(try identifiers(of: "1000:a.service") == ["home"])
        #expect(try identifiers(of: "1000:b.service") == ["home", "work"])
        #expect(try store.removeAll(of: "1000:a.service", domain: nil, at: now) == 1)
        #expect(try identifiers(of: "1000:b.service") == ["home", "work"])
    }

    @Test func `the programs of a user have at most 5,000 places`() throws {
        let places = try (0..<OwnPlaceStore.maxPerProgram).map { try place("\($0)") }
        let now = OwnPlaceStoreTests.now
        for program in ["a", "b"] { try store.put(places, of: program, user: 1000, at: now) }
        #expect(throws: OwnPlaceStore.Refusal.tooMany(limit: OwnPlaceStore.maxPerUser)) {
            try store.put(places, of: "c", user: 1000, at: now)
        }
        #expect(try identifiers(of: "c").isEmpty)
        try store.put(places, of: "c", user: 1001, at: now)
        try store.put(Array(places.prefix(1000)), of: "d", user: 1000, at: now)
        #expect(try identifiers(of: "d").count == 1000)
    }
}
