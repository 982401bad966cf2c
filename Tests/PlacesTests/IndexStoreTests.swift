import Chronology
import Geodesy
import Glibc
import Places
import SQLite
import SextantServiceAPI
import TestSupport
import Testing
import Varlink

/// Indexed items of several programs in one file.
@Suite struct IndexStoreTests {
    private static let now = UTCTime(milliseconds: 1_800_000_000_000)
    private let scratch: Scratch
    private let store: IndexStore

    init() throws {
        scratch = try Scratch()
        store = IndexStore(path: scratch("index.db"))
    }

    private func item(
        _ identifier: String, _ title: String = "Latte", domain: String = "", expiry: UTCTime? = nil,
        _ attributes: [String: JSONValue] = [:], thumbnail: [UInt8] = []
    ) throws -> IndexedItem {
        try IndexedItem(
            identifier: identifier, domain: domain, expiry: expiry,
            attributes: attributes.merging(["title": .string(title)]) { own, _ in own }, thumbnail: thumbnail)
    }

    @discardableResult
    private func change(
        of program: String = "a", in space: String = "", user: UInt32 = 1, at now: UTCTime = now,
        _ body: (inout IndexChange) throws -> Void
    ) throws -> Int {
        var change = IndexChange()
        try body(&change)
        return try store.apply(change, to: space, of: program, user: user, at: now)
    }

    private func found(
        of program: String? = "a", at now: UTCTime = now, _ body: (inout IndexSearch) throws -> Void = { _ in }
    ) throws -> [String] {
        var search = IndexSearch()
        try body(&search)
        return try store.search(search, of: program, at: now).items.map(\.item.identifier)
    }

    @Test func `words of titles come before other words, then the newest item`() throws {
        try change {
            $0.items = [
                try item("1", "Café au lait"), try item("2", "Tea", ["contentDescription": "from the café"]),
                try item("3", "Café Noir"), try item("4", "Water", ["keywords": ["coffee", "Café"]]),
            ]
        }
        #expect(try found { $0.words = ["cafe"] } == ["3", "1", "4", "2"])
        #expect(try found { $0.words = ["caf", "noir"] } == ["3"])
        #expect(try found { $0.words = ["the", "tea"] } == ["2"])
        #expect(try found { $0.words = ["p1"] } == [], "the word of the program is no word of an item")
        #expect(try found() == ["4", "3", "2", "1"])
        #expect(try found { $0.query = try IndexQuery("title == 'caf*'cd", at: Self.now) } == ["3", "1"])
        #expect(try found { $0.query = try IndexQuery("keywords == '*off*'", at: Self.now) } == ["4"])
    }

    @Test func `a search continues where the last one has ended`() throws {
        try change { $0.items = try (0..<25).map { try item("\($0)", $0 < 5 ? "Latte" : "Tea", ["kind": "latte"]) } }
        var search = IndexSearch()
        search.words = ["latte"]
        search.limit = 4
        var all: [String] = []
        repeat {
            let result = try store.search(search, of: "a", at: Self.now)
            all += result.items.map(\.item.identifier)
            search.after = result.next
            #expect(result.next.map { IndexSearch.Cursor($0.description) == $0 } ?? true)
        } while search.after != nil
        #expect(all == (0..<5).reversed().map { "\($0)" } + (5..<25).reversed().map { "\($0)" })
    }

    @Test func `a search without words reads 2,000 items and then says where it continues`() throws {
        for start in stride(from: 0, to: 5000, by: 500) {
            try change { $0.items = try (start..<start + 500).map { try item("\($0)", "Item \($0)") } }
        }
        var search = IndexSearch()
        search.query = try IndexQuery("title == '*m 7'", at: Self.now)
        var (calls, all) = (0, [String]())
        repeat {
            let result = try store.search(search, of: "a", at: Self.now)
            all += result.items.map(\.item.identifier)
            search.after = result.next
            calls += 1
        } while search.after != nil
        #expect(all == ["7"] && calls == 3)
    }

    @Test func `the nearest items come first, within a radius only those`() throws {
        let places = [("far", 53.0), ("near", 51.1), ("here", 51.0)]
        try change {
            $0.items =
                try places.map { try item($0.0, ["latitude": .double($0.1), "longitude": 5]) } + [try item("none")]
        }
        let here = Coordinate(latitude: 51, longitude: 5)
        #expect(try found { $0.near = here } == ["here", "near", "far", "none"])
        #expect(try found { ($0.near, $0.radius) = (here, 20_000) } == ["here", "near"])
        #expect(try found { ($0.near, $0.limit) = (here, 1) } == ["here"])
        for start in stride(from: 0, to: 2500, by: 500) {
            let east: [String: JSONValue] = ["latitude": 51, "longitude": -179.5]
            try change { $0.items = try (start..<start + 500).map { try item("\($0)", east) } }
        }
        #expect(try found { ($0.near, $0.limit) = (here, 2) } == ["here", "near"], "also behind 2,500 newer items")
        #expect(try found { ($0.near, $0.limit, $0.words) = (here, 1, ["latte"]) } == ["here"])
        let west = Coordinate(latitude: 51, longitude: 179.9)
        #expect(try found { ($0.near, $0.radius, $0.limit) = (west, 50_000, 1) }.count == 1, "across the antimeridian")
    }

    private func item(_ identifier: String, _ attributes: [String: JSONValue]) throws -> IndexedItem {
        try item(identifier, "Latte", attributes)
    }

    @Test func `a domain is removed with those in it, and no other`() throws {
        let domains = ["orders", "orders.2026", "orders.2026.may", "orders2", "order", "Orders", ""]
        try change { $0.items = try domains.map { try item($0 + "-", domain: $0) } }
        #expect(try change { $0.domains = ["orders"] } == 3)
        #expect(Set(try found()) == ["orders2-", "order-", "Orders-", "-"])
        #expect(try change { $0.domains = [""] } == 0, "an item without a domain is in none")
        #expect(try change { $0.identifiers = ["-", "nothing"] } == 1)
    }

    /// Tidies until nothing is left; returns how often.
    private func tidy(at now: UTCTime = now) throws -> Int {
        var count = 0
        while store.isUntidy, count < 1000 {
            try store.tidy(at: now)
            count += 1
        }
        return count
    }

    @Test func `a domain is removed by its own index, in two ranges`() throws {
        do {
            let store = IndexStore(path: scratch("plan.db"))
            var change = IndexChange()
            change.items = [try item("1", domain: "a")]
            _ = try store.apply(change, to: "", of: "a", user: 1, at: Self.now)
        }
        let database = try Database(readingOnly: scratch("plan.db"))
        for (removal, index) in zip(IndexStore.removals, ["(owner=? AND space=?)", "domain=?)", "domain<?)"]) {
            let plan = try database.prepare("EXPLAIN QUERY PLAN SELECT 1 FROM \(removal)", for: "reading")
            #expect(try plan.step())
            #expect(plan.text(3).hasPrefix("SEARCH item USING ") && plan.text(3).hasSuffix(index), "\(plan.text(3))")
        }
    }

    @Test func `what is removed is gone at once, and is erased in parts with its words`() throws {
        for start in [0, 400] {
            try change { $0.items = try (start..<start + 400).map { try item("\($0)", "Zebrafinch", domain: "d.e") } }
        }
        try change(of: "b") { $0.items = [try item("b")] }
        #expect(try tidy() == 0, "nothing has expired")
        #expect(try change { ($0.domains, $0.items) = (["d"], [try item("7", "Tea")]) } == 800)
        #expect(try change { ($0.domains, $0.identifiers) = (["d"], ["798"]) } == 0, "nothing is removed twice")
        #expect(try found() == ["7"] && found { $0.words = ["zebrafinch"] } == [])
        #expect(try found(of: nil) == ["7", "b"])
        // The change above erased 50 of 800: fifteen times 50, once nothing, then the words.
        #expect(try tidy() >= 17)
        let bytes = try ["", "-wal"].flatMap { try PackageFiles.read(scratch("index.db\($0)")) }
        #expect(!String(decoding: bytes, as: UTF8.self).lowercased().contains("ebrafinch"))
        #expect(try found() == ["7"] && found(of: "b") { $0.words = ["latte"] } == ["b"])
        #expect(try change { $0.removesAll = true } == 1)
        #expect(try change { $0.items = [try item("7")] } == 0)
        #expect(try found() == ["7"])
    }

    @Test func `a refused change erases expired items nevertheless, a mismatched one does not`() throws {
        let later = Self.now.advanced(by: .seconds(60))
        try change { ($0.items, $0.state) = ([try item("1", expiry: later), try item("2")], [1]) }
        #expect(throws: IndexStore.Refusal.stateMismatch) {
            try change(at: later) { ($0.state, $0.expectedState) = ([2], [3]) }
        }
        #expect(try found() == ["2", "1"])
        let image = [UInt8](repeating: 0, count: 49_152)
        let large = try (0..<350).map { try item("l\($0)", thumbnail: image) }
        #expect(throws: IndexStore.Refusal.tooMuchData(limit: IndexStore.maxBytesPerProgram)) {
            try change(at: later) { $0.items = large }
        }
        #expect(try found() == ["2"])
    }

    @Test func `a change erases a limited number of expired items, and the next start goes on`() throws {
        let later = Self.now.advanced(by: .seconds(60))
        try change { $0.items = try (0..<600).map { try item("\($0)", expiry: later) } }
        try change(of: "b", at: later) { $0.state = [] }
        #expect(try found { $0.limit = 1000 }.count == 550)
        #expect(store.isUntidy)
        #expect(try tidy(at: later) == 12)
        #expect(try found() == [])
    }

    @Test func `programs and states count for the bytes of a user, and the file has a size at most`() throws {
        let small = scratch("small.db")
        do {
            let store = IndexStore(path: small, maxPages: 40)
            var state = IndexChange()
            state.state = [1]
            for program in ["a", "b"] { _ = try store.apply(state, to: "s", of: program, user: 1, at: Self.now) }
            _ = try store.apply(state, to: "s", of: "a", user: 1, at: Self.now)
            var change = IndexChange()
            change.items = try (0..<20).map { try item("\($0)", thumbnail: Array(repeating: 0, count: 40_000)) }
            let error = #expect(throws: IndexStore.Refusal.self) {
                try store.apply(change, to: "", of: "a", user: 1, at: Self.now)
            }
            if case .failed(let reason) = error { #expect(reason.kind == .full) } else { Issue.record("\(error)") }
            #expect(try store.state(of: "a", in: "s", at: Self.now) == [1])
        }
        let database = try Database(readingOnly: small)
        #expect(try database.integer("SELECT sum(bytes) FROM owner", for: "reading") == 2 * (1024 + 512))
    }

    @Test func `damage of a closed file is found at a read, and the next call moves it aside`() throws {
        let path = scratch("damaged.db")
        do {
            let store = IndexStore(path: path)
            var change = IndexChange()
            change.items = try (0..<400).map { try item("\($0)", "Latte \($0)") }
            _ = try store.apply(change, to: "", of: "a", user: 1, at: Self.now)
        }
        let size = try PackageFiles.read(path).count
        let file = open(path, O_WRONLY)
        // The schema is at the beginning.
        let noise = [UInt8](repeating: 0xA5, count: size / 2)
        #expect(pwrite(file, noise, noise.count, off_t(size - noise.count)) == noise.count)
        close(file)
        let store = IndexStore(path: path)
        #expect(throws: StoreError.self) { try store.search(IndexSearch(), of: "a", at: Self.now) }
        #expect(try store.search(IndexSearch(), of: "a", at: Self.now).items.isEmpty)
        #expect(store.takeMovedAside() != nil)
    }

    @Test func `programs and indexes are apart, also in removals and states`() throws {
        for program in ["a", "b"] {
            for space in ["", "notes"] {
                try change(of: program, in: space) {
                    $0.items = [try item("1", "Latte \(program)\(space)", domain: "d")]
                    $0.state = Array("\(program)\(space)".utf8)
                }
            }
        }
        #expect(try change(of: "a", in: "notes") { $0.removesAll = true } == 1)
        #expect(try store.state(of: "a", in: "notes", at: Self.now) == nil)
        #expect(try store.state(of: "a", in: "", at: Self.now) == Array("a".utf8))
        #expect(try change(of: "a") { $0.domains = ["d"] } == 1)
        #expect(try found(of: "a") == [])
        #expect(try found(of: "b") { $0.words = ["latte"] } == ["1", "1"])
        #expect(try found(of: "b") { $0.space = "notes" } == ["1"])
        #expect(try found(of: nil) { $0.words = ["latte"] } == ["1", "1"])
        #expect(try found(of: "c") == [])
    }

    @Test func `an item with the same identifier is replaced, with its words and its thumbnail`() throws {
        try change { $0.items = [try item("1", "Latte", thumbnail: [1, 2])] }
        try change { $0.items = [try item("1", "Mocha"), try item("2"), try item("1", "Tea", thumbnail: [3])] }
        #expect(try found { $0.words = ["latte"] } == ["2"])
        #expect(try found { $0.words = ["mocha"] } == [])
        var search = IndexSearch()
        search.words = ["tea"]
        #expect(try store.search(search, of: "a", at: Self.now).items.first?.item.thumbnail == [])
        search.hasThumbnails = true
        #expect(try store.search(search, of: "a", at: Self.now).items.first?.item.thumbnail == [3])
    }

    @Test func `an expired item is not found, and is removed with the next change or start`() throws {
        let later = Self.now.advanced(by: .seconds(60))
        try change { $0.items = [try item("1", expiry: later), try item("2")] }
        #expect(try found() == ["2", "1"])
        #expect(try found(at: later) == ["2"])
        #expect(try found(at: later) { $0.words = ["latte"] } == ["2"])
        // The clock is set back: only an item that was removed is gone.
        #expect(try found() == ["2", "1"])
        try change(of: "b", at: later) { $0.state = [] }
        #expect(try found() == ["2"])
    }

    @Test func `a change beyond a limit changes nothing`() throws {
        let items = try (0..<IndexLimits.items).map { try item("\($0)", "") }
        try change { $0.items = items }
        #expect(throws: IndexStore.Refusal.tooManyItems(limit: IndexLimits.items)) {
            try change { ($0.items, $0.state) = ([try item("more")], [1]) }
        }
        #expect(try store.state(of: "a", in: "", at: Self.now) == nil)
        try change { $0.items = [try item("0")] }
        try change(of: "b") { $0.items = items }
        #expect(throws: IndexStore.Refusal.tooManyItems(limit: IndexStore.maxPerUser)) {
            try change(of: "c") { $0.items = items }
        }
        try change(of: "c", user: 2) { $0.items = items }
        let large = try (0..<350).map { try item("l\($0)", thumbnail: Array(repeating: 0, count: 49_152)) }
        #expect(throws: IndexStore.Refusal.tooMuchData(limit: IndexStore.maxBytesPerProgram)) {
            try change(of: "d", user: 3) { $0.items = large }
        }
        #expect(throws: IndexStore.Refusal.tooManyStates(limit: IndexStore.maxStates)) {
            for number in 0...IndexStore.maxStates { try change(of: "d", in: "\(number)", user: 3) { $0.state = [] } }
        }
    }

    @Test func `the programs of a user have 64 MiB together, and what is removed does not count`() throws {
        let large = try (0..<300).map { try item("\($0)", domain: "d", thumbnail: Array(repeating: 0, count: 49_152)) }
        for program in ["a", "b", "c", "d"] { try change(of: program) { $0.items = large } }
        #expect(throws: IndexStore.Refusal.tooMuchData(limit: IndexStore.maxBytesPerUser)) {
            try change(of: "e") { $0.items = large }
        }
        try change(of: "e", user: 2) { $0.items = large }
        #expect(try change(of: "a") { $0.domains = ["d"] } == 300)
        try change(of: "f") { $0.items = large }
    }

    @Test func `a state is changed only from the expected one`() throws {
        #expect(throws: IndexStore.Refusal.stateMismatch) { try change { $0.expectedState = [1] } }
        try change { ($0.items, $0.state, $0.expectedState) = ([try item("1")], [1], []) }
        #expect(throws: IndexStore.Refusal.stateMismatch) {
            try change { ($0.items, $0.state, $0.expectedState) = ([try item("2")], [2], []) }
        }
        #expect(try found() == ["1"])
        try change { ($0.state, $0.expectedState) = ([2], [1]) }
        #expect(try store.state(of: "a", in: "", at: Self.now) == [2])
    }

    @Test func `an item out of its limits is refused with the limit`() throws {
        let refused: [() throws -> IndexedItem] = [
            { try item("") }, { try item(String(repeating: "x", count: 257)) },
            { try item("a", domain: String(repeating: "x", count: 257)) },
            { try item("a", thumbnail: Array(repeating: 0, count: 49_153)) },
            { try item("a", String(repeating: "x", count: 16_384)) },
            { try item("a", ["latitude": 91, "longitude": 1]) },
            { try item("a", ["latitude": 1]) },
            { try item("a", ["keywords": .array(Array(repeating: "x", count: 65))]) },
            { try item("a", ["title": ["a": 1]]) }, { try item("a", ["keywords": [1]]) }, { try item("a", ["": 1]) },
            { try item("a", Dictionary(uniqueKeysWithValues: (0..<64).map { ("k\($0)", JSONValue.int(1)) })) },
        ]
        for (number, make) in refused.enumerated() {
            #expect(throws: IndexedItem.Invalid.self, "\(number)") { try make() }
        }
    }
}
