import Chronology
import Glibc
import Logging
import SQLite
import StateStore
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextantd

extension WholeDaemon {
    /// The track that the daemon records.
    @Suite(.needsAdministrator) struct Tracks {
        private static let track = "io.sextant.Location.Track"
        private static let recorder = "\(getuid()):sextantd.service"
        /// The receiver of these tests is in March 2026.
        private static let kept = "[track]\nkeep = \"3650 d\"\n"

        private func run(_ more: String = kept, _ body: (TestDaemon, VirtualPort, inout Drive) throws -> Void) throws {
            try TestDaemon.runWithFix("[receivers]\ndiscover = false\n\(more)", body)
        }

        private func points(_ daemon: TestDaemon) throws -> [JSONValue] {
            try daemon.connect().call(Tracks.track)["points"]?.array ?? []
        }

        @Test func `the track is simplified, and its recorder needs no receiver`() throws {
            try run { daemon, port, drive in
                let client = try daemon.connect()
                let consumers = try client.call("io.sextant.Manager.GetConsumers")["consumers"]?.array ?? []
                let recorder = try #require(consumers.first)
                #expect(consumers.count == 1 && recorder["owner"]?.string == Tracks.recorder)
                #expect(recorder["passive"] == true && recorder["interval"] == nil && recorder["holds"] == false)
                #expect(try client.call("io.sextant.Manager.GetStatus")["status"]?["streams"] == 0)

                // At most a window of a minute is between two points of a straight drive.
                try port.send(drive.next(200))
                try waitUntil("points of the drive") { try points(daemon).count >= 3 }
                let reply = try client.call(Tracks.track)
                let found = reply["points"]?.array ?? []
                #expect(reply["recording"] == true && reply["detail"] == nil)
                #expect(found.count < 20 && found[0]["begins"] == true && found[1]["begins"] == nil)
                let uses = try client.call("io.sextant.Permission.GetUsage")["records"]?.array ?? []
                #expect(uses.contains { $0["program"]?.string == Tracks.recorder && $0["kind"] == "stream" })
            }
        }

        @Test func `what was returned once survives SIGKILL`() throws {
            try run { daemon, port, drive in
                var known: [JSONValue] = []
                for round in 0..<20 {
                    try daemon.waitForReceiver("hasFix", "asleep", "detectingBaudRate")
                    let epochs = drive.count
                    try port.send(drive.next(70))
                    try waitUntil("a point of round \(round)") {
                        let last = try points(daemon).last?["timestamp"]?.string ?? ""
                        return last >= drive.timestamp(epochs)
                    }
                    let found = try points(daemon)
                    #expect(found.prefix(known.count).elementsEqual(known), "round \(round)")
                    known = found
                    daemon.kill()
                    _ = try daemon.process.waitForEnd()
                    try daemon.startAgain()
                }
                #expect(try points(daemon).prefix(known.count).elementsEqual(known) && known.count >= 20)
            }
        }

        @Test func `a denial and the location switch end the recording, and forget erases the track`() throws {
            try run { daemon, port, drive in
                let client = try daemon.connect()
                try port.send(drive.next(5))
                try waitUntil("a point") { try !points(daemon).isEmpty }
                let program: JSONValue = .string(Tracks.recorder)
                try client.call("io.sextant.Permission.Set", ["program": program, "authorization": "denied"])
                let denied = try client.call(Tracks.track)
                #expect(denied["recording"] == false && denied["detail"]?.string?.isEmpty == false)
                let count = denied["points"]?.array?.count
                let stream = try daemon.subscribe()
                try port.send(drive.next(70))
                try stream.untilLocation()
                #expect(try points(daemon).count == count)
                try client.call("io.sextant.Permission.Remove", ["program": program])
                #expect(try client.call(Tracks.track)["recording"] == true)
                for isEnabled in [false, true] {
                    try client.call("io.sextant.Permission.SetEnabled", ["enabled": .bool(isEnabled)])
                    let consumers = try client.call("io.sextant.Manager.GetConsumers")["consumers"]?.array ?? []
                    #expect(consumers.contains { $0["owner"]?.string == Tracks.recorder } == isEnabled)
                }
                let forgotten = try client.call("io.sextant.Permission.Forget")
                #expect(forgotten["points"]?.int ?? 0 >= Int64(count ?? 0))
                #expect(try points(daemon).isEmpty && !Scratch.text(of: daemon.scratch("state/track.db")).isEmpty)
            }
        }

        @Test func `only a program that may know the location at any time reads it, if it is kept`() throws {
            let inUse = "[permissions]\ndefault = \"whenInUse\"\nin_use_without_logind = true\n"
            try run(inUse + Tracks.kept) { daemon, _, _ in
                let failure = try daemon.connect().failure(of: Tracks.track)
                #expect(failure.name == "io.sextant.Location.PermissionDenied")
            }
            try run("") { daemon, port, drive in
                try port.send(drive.next(70))
                let client = try daemon.connect()
                let reply = try client.call(Tracks.track)
                #expect(reply["points"] == [] && reply["recording"] == false)
                #expect(reply["detail"]?.string?.contains("[track]") == true)
                #expect(access(daemon.scratch("state/track.db"), F_OK) != 0)
                for parameters: JSONValue in [
                    ["limit": 0], ["limit": 1001], ["after": "x"], ["after": "1"], ["after": "-1.2"], ["since": "x"],
                ] {
                    let failure = try client.failure(of: Tracks.track, parameters)
                    #expect(failure.name == "org.varlink.service.InvalidParameter", "\(parameters)")
                }
            }
        }
    }
}

@Suite struct TrackStoreTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let now = Instant.zero + .seconds(100)

    private func point(_ second: Int64) -> TrackRow {
        TrackRow(time: HostClock.utc.milliseconds - 60_000 + second * 1000, latitude: 1, longitude: 2, accuracy: 30)
    }

    @Test func `points wait a minute at most, and are written together`() throws {
        let scratch = try Scratch()
        let store = TrackStore(directory: scratch.path, log: TrackStoreTests.log)
        store.apply(.seconds(86_400), at: now)
        store.add(point(0), at: now)
        store.add(point(1), at: now + .seconds(20))
        #expect(store.deadline == now + .seconds(60) && access(scratch("track.db"), F_OK) != 0)
        store.tick(at: now + .seconds(60))
        #expect(store.deadline == now + .seconds(86_400) && access(scratch("track.db"), F_OK) == 0)
        for second in 2..<66 { store.add(point(Int64(second)), at: now + .seconds(70)) }
        #expect(store.deadline == now + .seconds(86_400), "64 points do not wait")
    }

    @Test func `a shorter time deletes points without new ones, and none erases the track`() throws {
        let scratch = try Scratch()
        let store = TrackStore(directory: scratch.path, log: TrackStoreTests.log)
        store.apply(.seconds(86_400), at: now)
        store.add(point(0), at: now)
        store.save(at: now)
        let count = { try store.points(from: TrackTable.Place(), in: .min..<(.max), limit: 9).points.count }
        #expect(try count() == 1)
        store.apply(.seconds(1), at: now)
        store.tick(at: now + .seconds(600))
        #expect(store.deadline == now + .seconds(600 + 86_400))
        store.apply(.seconds(86_400), at: now)
        #expect(try count() == 0, "it is deleted, not only hidden")
        store.add(point(1), at: now)
        store.save(at: now)
        store.apply(.zero, at: now)
        #expect(store.deadline == nil)
        store.apply(.seconds(86_400), at: now)
        #expect(try count() == 0)
    }

    @Test func `a power cut loses no point that was read, also after failed writes`() throws {
        var count = 0
        for seed in UInt64(0)..<60 {
            var chance = SeededGenerator(seed: seed)
            let (scratch, after) = (try Scratch(), try Scratch())
            let disk = FaultyDisk(scratch.path)
            let store = TrackStore(directory: scratch.path, log: TrackStoreTests.log)
            store.apply(.seconds(86_400), at: now)
            var read: [TrackRow] = []
            var second: Int64 = 0
            for _ in 0..<Int.random(in: 3...12, using: &chance) {
                if Bool.random(using: &chance) {
                    let operation: FaultyDisk.Operation = Bool.random(using: &chance) ? .write : .sync
                    let first = Int.random(in: 0...6, using: &chance)
                    disk.fail(operation, at: first, count: Int.random(in: 1...3, using: &chance))
                }
                for _ in 0..<Int.random(in: 1...90, using: &chance) {
                    store.add(point(second), at: now)
                    second += 1
                }
                read = (try? store.points(from: TrackTable.Place(), in: .min..<(.max), limit: 5000).points) ?? read
            }
            disk.cutPower(copyingTo: after.path) { Int.random(in: 0..<3, using: &chance) == 0 }

            let next = TrackStore(directory: after.path, log: TrackStoreTests.log)
            next.apply(.seconds(86_400), at: now)
            let found = try next.points(from: TrackTable.Place(), in: .min..<(.max), limit: 5000).points
            #expect(found.starts(with: read), "seed \(seed): \(found.count) of \(read.count) points")
            // A file whose first write has failed may be empty.
            let isTorn = Scratch.names(in: after.path).contains { $0.contains("torn") }
            #expect(read.isEmpty || !isTorn, "seed \(seed): \(read.count) points")
            count += read.count
        }
        #expect(count > 6000)
    }

    @Test func `a disk that fails loses nothing that fits into memory`() throws {
        let scratch = try Scratch()
        let file = try scratch.write("", to: "file")
        let store = TrackStore(directory: file, log: TrackStoreTests.log)
        store.apply(.seconds(86_400), at: now)
        for second in 0..<70 { store.add(point(Int64(second)), at: now) }
        let retry = try #require(store.deadline)
        #expect(retry > now)
        unlink(file)
        store.tick(at: retry)
        #expect(store.deadline.map { $0 > now + .seconds(3600) } ?? true)
        let found = try store.points(from: TrackTable.Place(), in: .min..<(.max), limit: 1000).points
        #expect(found.count == 70)
    }

    @Test func `a full disk does not keep the track that is erased`() throws {
        let scratch = try Scratch()
        let disk = FaultyDisk(scratch.path)
        let store = TrackStore(directory: scratch.path, log: TrackStoreTests.log)
        store.apply(.seconds(86_400), at: now)
        store.add(point(0), at: now)
        store.save(at: now)
        disk.fail(.write, at: 0, count: .max, error: ENOSPC)
        #expect(try store.erase() == 0 && scratch.names.isEmpty)
        disk.heal()
        store.add(point(1), at: now)
        #expect(try store.points(from: TrackTable.Place(), in: .min..<(.max), limit: 9).points.count == 1)
        #expect(scratch.names.contains("track.db"))
        disk.fail(.write, at: 0, count: .max)
        store.add(point(2), at: now)
        #expect(throws: StoreError.self) { try store.erase() }
        #expect(store.deadline == now + .seconds(86_400), "no point waits")
    }
}
