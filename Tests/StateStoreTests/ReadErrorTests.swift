import Geofencing
import Glibc
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

/// Tests of errors of the disk while it reads: they are no damage of the file.
@Suite struct ReadErrorTests {
    @Test(arguments: [EIO, ETIMEDOUT, EINVAL])
    func `a read error while a database is opened leaves it in place`(error: Int32) throws {
        let scratch = try Scratch()
        let file = DatabaseFile(path: scratch("sextant.db"))
        let monitor: MonitorID = try {
            let (store, monitor) = try Samples.store(scratch)
            _ = try store.add((0..<200).map { NewCondition("\($0)", Samples.circle($0)) }, to: monitor)
            return monitor
        }()
        let disk = FaultyDisk(scratch.path)
        var (number, failures) = (0, 0)
        repeat {
            disk.fail(.read, at: number, error: error)
            number += 1
            do throws(StoreError) {
                let (database, movedAside) = try file.open(at: Samples.now)
                #expect(movedAside == nil)
                let count = try MonitorStore(database).conditions(of: monitor).count
                #expect(count == 200)
            } catch {
                #expect(error.kind == .device, "read \(number): \(error)")
                failures += 1
            }
        } while disk.heal()
        #expect(failures > 10)
        #expect(Scratch.names(in: scratch.path) == ["sextant.db"])
    }

    @Test func `a read error of an open database is one of the device`() throws {
        let scratch = try Scratch()
        let (store, monitor) = try Samples.store(scratch)
        _ = try store.add((0..<200).map { NewCondition("\($0)", Samples.circle($0)) }, to: monitor)
        let disk = FaultyDisk(scratch.path)
        var number = 0
        repeat {
            store.database.releaseMemory()
            disk.fail(.read, at: number)
            number += 1
            do throws(StoreError) { _ = try store.records(of: monitor, limit: 1000) } catch {
                #expect(error.kind == .device, "read \(number): \(error)")
            }
        } while disk.heal()
        #expect(number > 5)
    }

    @Test func `an acknowledgement whose next event cannot be read is not made`() throws {
        var number = 0
        var hasFailed = true
        while hasFailed {
            let scratch = try Scratch()
            let (store, monitor) = try Samples.store(scratch)
            let id = try store.add([NewCondition("a", Samples.circle())], to: monitor)[0].id
            for kind in [ConditionEvent.Kind.entered, .left] {
                _ = try store.events.append([Samples.event(id, kind)], recorded: Samples.now)
            }
            store.database.releaseMemory()
            let disk = FaultyDisk(scratch.path)
            disk.fail(.read, at: number)
            let first = try? store.events.acknowledge([1], of: monitor)
            hasFailed = disk.heal()
            let done = try first ?? store.events.acknowledge([1], of: monitor)
            #expect(done.count == 1 && done.next.map(\.sequence) == [2], "read \(number)")
            number += 1
        }
        #expect(number > 3)
    }
}
