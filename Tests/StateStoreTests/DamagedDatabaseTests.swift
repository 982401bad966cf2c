import Chronology
import Geofencing
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite struct DamagedDatabaseTests {
    /// The contents of a store, for comparison.
    private struct Contents: Equatable {
        var records: [StoredCondition]
        var events: [StoredEvent]

        init(_ store: MonitorStore) throws {
            let monitor = try store.openMonitor("home", of: Samples.program)
            records = try store.records(of: monitor, limit: 10_000).records
            events = try store.events.deliverableEvents(of: monitor, limit: 10_000)
        }
    }

    private static func fill(_ store: MonitorStore, _ monitor: MonitorID) throws {
        let ids = try store.add(
            (0..<300).map { NewCondition("place \($0)", Samples.circle($0), metadata: "\"\($0)\"") }, to: monitor
        ).map(
            \.id)
        for start in stride(from: 0, to: 200, by: 20) {
            _ = try store.events.append(
                (start..<start + 20).map { Samples.event(ids[$0], margin: Double($0)) }, recorded: Samples.now)
        }
        _ = try store.events.acknowledge(Array(1...50), of: monitor)
    }

    @Test func `a database with damaged pages is intact or moved aside`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let whole: Contents = try {
            let (store, monitor) = try Samples.store(scratch)
            try DamagedDatabaseTests.fill(store, monitor)
            return try Contents(store)
        }()
        let sound = bytes(of: file.path)
        var (kept, moved) = (0, 0)
        for seed in UInt64(0)..<200 {
            let damaged = Damage.pages(sound, seed: seed)
            write(damaged, to: file.path)
            let (database, movedAside) = try file.open(at: Samples.now)
            if let movedAside {
                moved += 1
                #expect(bytes(of: movedAside.path) == damaged, "seed \(seed): what is moved aside is as it was found")
                #expect(try MonitorStore(database).monitors().isEmpty)
            } else {
                kept += 1
                #expect(try Contents(MonitorStore(database)) == whole, "seed \(seed)")
            }
        }
        print("damaged: of 200 files \(moved) moved aside, \(kept) whole")
        #expect(moved > 100)
    }

    @Test func `flipped bits never trap`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        do {
            let (store, monitor) = try Samples.store(scratch)
            try DamagedDatabaseTests.fill(store, monitor)
        }
        let sound = bytes(of: file.path)
        for seed in UInt64(0)..<200 {
            write(Damage.bits(sound, seed: seed), to: file.path)
            // SQLite has no page checksums: a flipped bit within a text yields another text. Any
            // other damage is an error with a description.
            do {
                let store = MonitorStore(try file.open(at: Samples.now).database)
                _ = try store.selection.unexpired(of: Samples.program, after: ConditionOrdinal(0), limit: 1000)
                _ = try Contents(store)
            } catch let error as StoreError {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test func `a damaged log leaves an ordered prefix of the events`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        let id = try store.add([NewCondition("a", Samples.circle())], to: monitor)[0].id
        for number in 0..<60 {
            _ = try store.events.append([Samples.event(id, margin: Double(number))], recorded: Samples.now)
        }
        let (sound, log) = (bytes(of: scratch("sextant.db")), bytes(of: scratch("sextant.db-wal")))
        let copy = DatabaseFile(path: scratch("copy.db"))
        var lengths: Set<Int> = []
        for seed in UInt64(0)..<200 {
            write(sound, to: copy.path)
            write(Damage.pages(log, seed: seed), to: copy.path + "-wal")
            let (database, movedAside) = try copy.open(at: Samples.now)
            let select = try database.prepare("SELECT sequence, margin FROM event ORDER BY sequence", for: "reading")
            var count = 0
            while try select.step() {
                #expect(select.integer(0) == count + 1 && select.real(1) == Double(count), "seed \(seed)")
                count += 1
            }
            #expect(movedAside == nil || count == 0)
            lengths.insert(count)
        }
        #expect(lengths.count > 10)
    }

    @Test func `an empty file is reported as damaged`() throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        write([], to: file.path)
        #expect(try file.open(at: Samples.now).movedAside?.reason.kind == .damaged)
    }
}

private enum Damage {
    /// Truncates the file, or overwrites or clears whole pages.
    static func pages(_ sound: [UInt8], seed: UInt64) -> [UInt8] {
        var chance = SeededGenerator(seed: seed)
        var damaged = sound
        if seed.isMultiple(of: 4) { return Array(sound.prefix(Int.random(in: 0..<sound.count, using: &chance))) }
        for _ in 0..<Int.random(in: 1...3, using: &chance) {
            let start = Int.random(in: 0..<max(1, sound.count / 4096), using: &chance) * 4096
            for index in start..<min(start + 4096, sound.count) {
                damaged[index] = seed.isMultiple(of: 2) ? 0 : UInt8.random(in: 0...255, using: &chance)
            }
        }
        return damaged
    }

    static func bits(_ sound: [UInt8], seed: UInt64) -> [UInt8] {
        var chance = SeededGenerator(seed: seed)
        var damaged = sound
        for _ in 0..<Int.random(in: 1...64, using: &chance) {
            damaged[Int.random(in: damaged.indices, using: &chance)] ^= 1 << UInt8.random(in: 0...7, using: &chance)
        }
        return damaged
    }
}
