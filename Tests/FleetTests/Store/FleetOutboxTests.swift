import Chronology
import Fleet
import Geodesy
import Glibc
import Permission
import SQLite
import TestSupport
import Testing

/// The outbox across restarts, acknowledgements and a full disk.
@Suite struct FleetOutboxTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(capacity: Int = 1000) throws -> FleetOutbox {
        try FleetOutbox(
            path: scratch("outbox.db"), tolerance: 25, capacity: capacity, hostTime: UTCTime(milliseconds: 0))
    }

    private func point(_ second: Int, east: Double = 0) throws -> FleetPoint {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        let place = start.moved(by: 20 * Double(second), bearing: 0).moved(by: abs(east), bearing: east < 0 ? 270 : 90)
        return FleetPoint(place, at: UTCTime(milliseconds: 1_800_000_000_000 + Int64(second) * 1000), accuracy: 3)
    }

    private func event(_ second: Int) throws -> FleetEvent {
        FleetEvent(.enter, of: "depot", in: "fleet", at: try point(second).time)
    }

    /// Sends everything in order and acknowledges it.
    private func drain(_ outbox: FleetOutbox) throws -> [Int64] {
        var order = SendOrder()
        var sent: [Int64] = []
        var now = Instant.zero
        while outbox.pointCount + outbox.eventCount > 0 {
            let step = order.next(
                try outbox.queue(), pointsInFlight: outbox.pointsInFlight, eventsInFlight: outbox.eventsInFlightCount,
                at: now)
            switch step {
            case .send(let number):
                sent.append(try #require(try outbox.take(number)).sequence)
                try outbox.acknowledge(number, at: now)
            case .sendTrack: Issue.record("a batch without the option")
            case .wait(let until): now = try #require(until)
            }
        }
        return sent
    }

    @Test func `numbers grow across restarts, and unacknowledged records are sent again with theirs`() throws {
        var first: [Int64] = []
        do {
            let outbox = try open()
            for second in 0..<3 { #expect(try outbox.add(point(second), at: .zero) != nil) }
            try outbox.add(event(3), key: "a")
            try outbox.commit()
            first = [3, 4, 1, 2]
            _ = try outbox.take(1)
        }
        let outbox = try open()
        #expect(outbox.pointCount == 3 && outbox.eventCount == 1)
        #expect(try outbox.add(point(2), at: .zero) == nil)
        #expect(try drain(outbox) == first)
        #expect(try outbox.add(point(9), at: .zero) != nil)
        #expect(try #require(try outbox.queue().newestPoint) > 4)
    }

    @Test func `a point that a full disk has refused is written half a minute later`() throws {
        do {
            let outbox = try open()
            try outbox.add(point(1), at: .zero)
            let disk = FaultyDisk(scratch.path)
            disk.fail(.write, at: 0, count: .max, error: ENOSPC)
            let due = try #require(outbox.deadline)
            #expect(throws: StoreError.self) { try outbox.tick(at: due) }
            #expect(disk.heal())
            // Another point neither causes the next attempt nor changes its time.
            #expect(outbox.deadline == due + FleetOutbox.commitInterval)
            try outbox.add(point(2), at: due)
            #expect(outbox.deadline == due + FleetOutbox.commitInterval)
            try outbox.tick(at: due + FleetOutbox.commitInterval)
            #expect(outbox.deadline == nil)
        }
        #expect(try drain(try open()).sorted() == [1, 2])
    }

    @Test func `after a kill, a position that was reported is not reported with another number`() throws {
        do {
            let outbox = try open()
            try outbox.add(point(1), at: .zero)
            #expect(try drain(outbox) == [1])
        }
        let outbox = try open()
        #expect(try outbox.add(point(1), at: .zero) == nil)
        #expect(try outbox.add(point(2), at: .zero) != nil)
    }

    @Test func `while a backlog is sent, acknowledged positions are deleted before the interval ends`() throws {
        do {
            let outbox = try open(capacity: 10_000)
            for second in 0..<5000 { try outbox.add(point(second), at: .zero) }
            try outbox.commit()
            for _ in 0..<50 {
                for (sequence, _) in try outbox.takeTrack(limit: 100) { try outbox.acknowledge(sequence, at: .zero) }
                try outbox.tick(at: .zero)
            }
            #expect(outbox.pointCount == 0)
        }
        // As after a kill: nothing was closed.
        #expect(try open(capacity: 10_000).pointCount == 1000)
    }

    @Test func `after an orderly end, the first new position is reported`() throws {
        do {
            let outbox = try open()
            try outbox.add(point(1), at: .zero)
            try outbox.close()
        }
        #expect(try open().add(point(2), at: .zero) != nil)
    }

    @Test func `a requested position has a number of its own, and the track is complete`() throws {
        let outbox = try open()
        #expect(try outbox.add(point(1), at: .zero) == 1)
        #expect(try outbox.addRequested(point(1), at: .zero) == nil)
        #expect(try outbox.addRequested(point(9), at: .zero) == 2)
        #expect(try outbox.addRequested(point(9), at: .zero) == nil)
        #expect(try outbox.isWaiting(2) && outbox.queue().newestPoint == 2)
        // The daemon sends parts of the track late.
        #expect(try outbox.add(point(8), at: .zero) == 3)
        #expect(try outbox.add(point(9), at: .zero) == nil)
        #expect(try outbox.add(point(10), at: .zero) == 4)
        _ = try outbox.take(2)
        #expect(try !outbox.isWaiting(2))
        try outbox.acknowledge(2, at: .zero)
        #expect(try !outbox.isWaiting(2) && outbox.pointCount == 3)
    }

    @Test func `the present position is reported on request, even where the device rests`() throws {
        let queue = try ReportQueue(try open(), filter: ReportFilter(), tolerance: 25, minute: { _ in 0 })
        for second in [0, 1] {
            try queue.add(FleetPoint(try point(0).coordinate, at: try point(second).time, accuracy: 3), at: .zero)
        }
        let present = FleetPoint(try point(0).coordinate, at: try point(5).time, accuracy: 3)
        let record = try #require(try queue.addRequested(present, at: .zero))
        #expect(record == FleetRecord(3, .point(present)))
        // A second request in the same second gets the same record.
        #expect(try queue.addRequested(present, at: .zero) == record)
        #expect(queue.outbox.pointCount == 3)
    }

    @Test func `an event is on disk at once, and a repeated one is added once`() throws {
        do {
            let outbox = try open()
            #expect(try outbox.add(event(1), key: "a"))
            #expect(try !outbox.add(event(1), key: "a"))
        }
        let outbox = try open()
        #expect(outbox.eventCount == 1)
        #expect(try !outbox.add(event(1), key: "a"))
    }

    @Test func `an event that repeats after 900 others is added once`() throws {
        let outbox = try open()
        for second in 0...900 { #expect(try outbox.add(event(second), key: "\(second)")) }
        #expect(try !outbox.add(event(0), key: "0"))
    }

    @Test func `a point that was acknowledged after it was written is not sent again after a restart`() throws {
        do {
            let outbox = try open()
            for second in 1...3 { try outbox.add(point(second), at: .zero) }
            try outbox.commit()
            for number in [3, 1] as [Int64] {
                _ = try outbox.take(number)
                try outbox.acknowledge(number, at: .zero)
            }
            try outbox.commit()
        }
        let outbox = try open()
        #expect(outbox.pointCount == 1)
        #expect(try drain(outbox) == [2])
    }

    @Test func `while the disk cannot be written, points in flight are not removed from memory`() throws {
        let outbox = try open()
        for second in 0..<9999 { try outbox.add(point(second), at: .zero) }
        let inFlight = try (1...4).map { try #require(try outbox.take($0)).sequence }
        for second in 9999..<10_002 { try outbox.add(point(second), at: .zero) }
        #expect(outbox.pointCount < 6000)
        outbox.connectionEnded()
        #expect(try inFlight.map { try outbox.take($0)?.sequence } == inFlight)
    }

    @Test func `a point that is acknowledged within 30 seconds is never written`() throws {
        let outbox = try open()
        try outbox.add(point(1), at: .zero)
        #expect(outbox.deadline == .zero + .seconds(30))
        #expect(try drain(outbox) == [1])
        #expect(outbox.deadline == nil)
    }

    @Test func `after the end of a connection, records in flight are sent again`() throws {
        let outbox = try open()
        for second in 0..<3 { try outbox.add(point(second), at: .zero) }
        try outbox.commit()
        _ = try outbox.take(3)
        _ = try outbox.take(1)
        try outbox.acknowledge(3, at: .zero)
        outbox.connectionEnded()
        #expect(try drain(outbox) == [1, 2])
    }

    @Test func `a record that was set aside waits for all others, but its events keep their order`() throws {
        let outbox = try open()
        for second in 0..<3 { try outbox.add(point(second), at: .zero) }
        try outbox.commit()
        for second in 3..<5 { try outbox.add(event(second), key: "\(second)") }
        try outbox.add(point(5), at: .zero)
        _ = try outbox.take(4)
        outbox.setAside(4)
        var queue = try outbox.queue()
        #expect(queue.oldestEvent == nil && queue.oldestPoint == 1 && queue.newestPoint == 6)
        for number in [6, 1, 2, 3] as [Int64] {
            _ = try outbox.take(number)
            try outbox.acknowledge(number, at: .zero)
        }
        #expect(try outbox.queue() == SendOrder.Queue(newestTime: point(5).time))
        outbox.setAside(4, isLast: true)
        #expect(try outbox.queue().oldestEvent == 4)
        outbox.setAside(nil)
        #expect(try drain(outbox) == [4, 5])
        for second in 6..<9 { try outbox.add(point(second), at: .zero) }
        try outbox.commit()
        let first = try #require(try outbox.takeTrack(limit: 1).first).sequence
        outbox.setAside(first, isLast: true)
        queue = try outbox.queue()
        #expect(queue.oldestPoint == first + 1 && queue.newestPoint == first + 2)
        #expect(try drain(outbox) == [first + 2, first + 1, first])
    }

    @Test func `a full outbox coarsens the track and keeps all events`() throws {
        let outbox = try open(capacity: 200)
        for second in 0..<1000 {
            try outbox.add(point(second, east: second % 2 == 0 ? 40 : -40), at: .zero)
            if second % 100 == 0 { try outbox.add(event(second), key: "\(second)") }
            if second % 50 == 0 { try outbox.commit() }
        }
        try outbox.commit()
        #expect(outbox.pointCount <= 200 && outbox.pointCount > 20)
        #expect(outbox.eventCount == 10)
        #expect(outbox.coarseTolerance > 50)
        let sent = try drain(outbox)
        #expect(sent.dropFirst(11) == sent.dropFirst(11).sorted()[...])
    }

    @Test func `a batch has the oldest positions on disk and in memory, without those in flight`() throws {
        let outbox = try open()
        for second in 0..<4 { try outbox.add(point(second), at: .zero) }
        try outbox.commit()
        for second in 4..<8 { try outbox.add(point(second), at: .zero) }
        _ = try outbox.take(8)
        _ = try outbox.take(2)
        #expect(try outbox.takeTrack(limit: 4).map(\.sequence) == [1, 3, 4, 5])
        #expect(try outbox.takeTrack(limit: 100).map(\.sequence) == [6, 7])
        #expect(try outbox.takeTrack(limit: 100).isEmpty)
        outbox.connectionEnded()
        #expect(try outbox.takeTrack(limit: 100).map(\.sequence) == Array(1...8))
    }

    @Test func `an exit that was withheld is reported at the next position, across restarts`() throws {
        let enter = try event(1)
        var leave = FleetEvent(.leave, of: "depot", in: "fleet", at: try point(2).time, place: try point(2).coordinate)
        leave.fenceCreated = 7
        do {
            let entries = try open().entered
            try entries.add(enter)
            #expect(
                entries.names == [FenceName("depot", of: "fleet")] && !entries.hasWithheld && entries.contains(leave))
            try entries.withhold(leave)
            #expect(entries.names.isEmpty && entries.hasWithheld && entries.contains(leave))
        }
        let entries = try open().entered
        let later = try point(900)
        let exits = try entries.withheldExits(at: later)
        var expected = leave
        expected.time = later.time
        expected.place = later.coordinate
        expected.accuracy = later.accuracy
        #expect(exits == [expected])
        try entries.remove(expected)
        #expect(!entries.hasWithheld && entries.names.isEmpty)
    }

    @Test func `of a stay without a reported entry nothing is kept, and a return ends the wait`() throws {
        let outbox = try open()
        let entries = outbox.entered
        let enter = try event(1)
        let leave = FleetEvent(.leave, of: "depot", in: "fleet", at: try point(2).time)
        try entries.withhold(enter)
        try entries.withhold(leave)
        #expect(!entries.hasWithheld && !entries.contains(leave))
        try entries.add(enter)
        try entries.withhold(leave)
        try entries.withhold(enter)
        #expect(!entries.hasWithheld && entries.names == [FenceName("depot", of: "fleet")])
        try entries.withhold(leave)
        try entries.removeAll()
        #expect(try entries.withheldExits(at: point(3)).isEmpty)
    }

    @Test func `limits that are new at a start apply to records that wait`() throws {
        let scratch = try Scratch()
        let secret = ReducedSecret()
        func waiting(_ filter: ReportFilter, addingAt start: Int64? = nil) throws -> [Int] {
            let outbox = try FleetOutbox(path: scratch("outbox.db"), tolerance: 25, hostTime: UTCTime(milliseconds: 0))
            try outbox.apply(filter) { _ in 0 }
            if let start {
                for (index, latitude) in [10.0, 20, 30].enumerated() {
                    let place = try #require(Coordinate(latitude: latitude, longitude: 0))
                    let time = UTCTime(milliseconds: 1_800_000_000_000 + start + Int64(index) * 10_000)
                    try outbox.add(FleetPoint(place, at: time, accuracy: 4), at: .zero)
                    let event = FleetEvent(.enter, of: "e", in: "m", at: time, place: place)
                    try outbox.add(event, key: "\(time)")
                }
            }
            defer { try? outbox.close() }
            return [outbox.pointCount, outbox.eventCount]
        }
        #expect(try waiting(ReportFilter(), addingAt: 0) == [3, 3])
        var quiet = ReportFilter()
        quiet.quietPlaces = [try #require(QuietPlace("20,0,1000"))]
        #expect(try waiting(quiet) == [2, 2])
        #expect(try waiting(ReportFilter()) == [2, 2])
        // Nothing exact is left for a server that gets reduced locations from now on.
        #expect(try waiting(ReportFilter(reducedBy: secret)) == [0, 0])
        #expect(try waiting(ReportFilter(reducedBy: secret), addingAt: 100_000) == [3, 3])
        #expect(try waiting(ReportFilter(reducedBy: secret)) == [3, 3])
    }
}

/// The counts of acknowledged messages.
@Suite struct DeliveriesTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open() throws -> FleetOutbox {
        try FleetOutbox(path: scratch("outbox.db"), tolerance: 25, hostTime: UTCTime(milliseconds: 0))
    }

    @Test func `counts survive a kill after a minute, and need one write`() throws {
        let last = UTCTime(milliseconds: 1_800_000_000_000)
        do {
            let outbox = try open()
            #expect(outbox.deliveries.bytes == MonthlyBytes() && outbox.deliveries.last == nil)
            outbox.count(500, month: 202_611, time: UTCTime(milliseconds: 1), at: .zero)
            outbox.count(388, month: 202_611, time: last, at: .zero + .seconds(59))
            #expect(outbox.deadline == Instant.zero + FleetOutbox.countInterval)
            try outbox.tick(at: .zero + FleetOutbox.countInterval)
            #expect(outbox.deadline == nil)
            // A kill loses this one.
            outbox.count(1, month: 202_611, time: UTCTime(milliseconds: 2), at: .zero + .seconds(61))
        }
        let outbox = try open()
        #expect(outbox.deliveries.bytes == MonthlyBytes(888, month: 202_611) && outbox.deliveries.last == last)
    }
}
