import Chronology
import Geofencing
import Glibc
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk")) struct FullDiskTests {
    @Test func `a full disk is reported and buffered events are written later`() throws {
        let scratch = try Scratch()
        let disk = try #require(SmallDisk(in: scratch))
        let store = MonitorStore(try DatabaseFile(path: disk("sextant.db")).open(at: Samples.now).database)
        let monitor = try store.openMonitor("home", of: Samples.program)
        let ids = try store.add((0..<8).map { NewCondition("\($0)", Samples.circle($0)) }, to: monitor).map(\.id)
        let ledger = EventLedger(store.events)
        disk.fill()
        var number = 0
        while ledger.writeError == nil, number < 2000 {
            _ = ledger.append(
                [Samples.event(ids[number % 8], margin: Double(number))], recorded: Samples.now, at: .zero)
            number += 1
        }
        #expect(ledger.writeError?.kind == .full)
        #expect(ledger.writeError?.description == "writing events to \(disk("sextant.db")): database or disk is full")
        let written = number - 1
        for _ in 0..<20 {
            _ = ledger.append(
                [Samples.event(ids[number % 8], margin: Double(number))], recorded: Samples.now, at: .zero)
            number += 1
        }
        #expect(ledger.bufferedCount == number - written)
        #expect(try store.monitors()[0].pending == written, "what is there is still to be read")
        #expect(throws: StoreError.self) { try store.openMonitor("other", of: Samples.program) }

        disk.clear()
        #expect(ledger.retry(at: ledger.deadline ?? .zero) == [monitor])
        #expect(ledger.bufferedCount == 0 && ledger.droppedCount == 0 && ledger.writeError == nil)
        let select = try store.database.prepare("SELECT margin FROM event ORDER BY sequence", for: "trying")
        for expected in 0..<number { #expect(try select.step() && select.real(0) == Double(expected)) }
        #expect(try !select.step())
    }

    @Test func `a full disk at the start is reported`() throws {
        let scratch = try Scratch()
        let disk = try #require(SmallDisk(in: scratch))
        let file = DatabaseFile(path: disk("sextant.db"))
        disk.fill()
        let error = #expect(throws: StoreError.self) { try file.open(at: Samples.now) }
        #expect(error?.kind == .full)
        disk.clear()
        do { _ = try MonitorStore(file.open(at: Samples.now).database).openMonitor("home", of: Samples.program) }
        disk.fill()
        let store = MonitorStore(try file.open(at: Samples.now).database)
        #expect(try store.monitors().map(\.name) == ["home"], "existing monitors can be read without space")
    }

    @Test func `a read-only file system is reported and no file is moved`() throws {
        let scratch = try Scratch()
        let disk = try #require(SmallDisk(in: scratch))
        let file = DatabaseFile(path: disk("sextant.db"))
        do { _ = try file.open(at: Samples.now) }
        try #require(disk.setReadOnly(true))
        let error = #expect(throws: StoreError.self) { try file.open(at: Samples.now) }
        #expect(error?.kind == .unwritable)
        try #require(disk.setReadOnly(false))
        #expect(try file.open(at: Samples.now).movedAside == nil)
    }

    @Test func `a file system that becomes read-only while the database is open refuses changes`() throws {
        let scratch = try Scratch()
        let disk = try #require(SmallDisk(in: scratch))
        let store = MonitorStore(try DatabaseFile(path: disk("sextant.db")).open(at: Samples.now).database)
        let monitor = try store.openMonitor("home", of: Samples.program)
        let id = try #require(try store.add([NewCondition("gate", Samples.circle(1))], to: monitor).first?.id)
        let ledger = EventLedger(store.events)
        try #require(disk.cover())
        let refusals = [
            #expect(throws: StoreError.self) { try store.add([NewCondition("yard", Samples.circle(2))], to: monitor) },
            #expect(throws: StoreError.self) { try store.database.beginBatch() },
        ]
        #expect(refusals.allSatisfy { $0?.kind == .unwritable } && !store.database.isInBatch)
        #expect(ledger.append([Samples.event(id)], recorded: Samples.now, at: .zero) == [])
        #expect(ledger.bufferedCount == 1 && ledger.writeError?.kind == .unwritable)
        #expect(try store.monitors().map(\.pending) == [0], "what is there is still read")

        try #require(disk.uncover())
        #expect(ledger.retry(at: ledger.deadline ?? .zero) == [monitor])
        #expect(ledger.bufferedCount == 0 && ledger.writeError == nil)
        try store.database.beginBatch()
        _ = try store.openMonitor("other", of: Samples.program)
        try store.database.finishBatch()
    }

    @Test func `a batch whose file system becomes read-only before its end is uncertain`() throws {
        let scratch = try Scratch()
        let disk = try #require(SmallDisk(in: scratch))
        let store = MonitorStore(try DatabaseFile(path: disk("sextant.db")).open(at: Samples.now).database)
        try store.database.beginBatch()
        _ = try store.openMonitor("home", of: Samples.program)
        try #require(disk.cover())
        let error = #expect(throws: StoreError.self) { try store.database.finishBatch() }
        #expect(error?.kind == .unwritable && !store.database.isInBatch)
        try #require(disk.uncover())
    }

    @Test func `the failure of a batch is known after another batch has succeeded`() throws {
        let scratch = try Scratch()
        let disk = try #require(SmallDisk(in: scratch))
        let store = MonitorStore(try DatabaseFile(path: disk("sextant.db")).open(at: Samples.now).database)
        try store.database.beginBatch()
        _ = try store.openMonitor("home", of: Samples.program)
        try #require(disk.cover())
        #expect(throws: StoreError.self) { try store.database.finishBatch() }
        try #require(disk.uncover())
        try store.database.beginBatch()
        _ = try store.openMonitor("other", of: Samples.program)
        try store.database.finishBatch()
        #expect(store.database.takeBatchFailure()?.kind == .unwritable)
        #expect(store.database.takeBatchFailure() == nil)
    }
}
