import Chronology
import Testing

@testable import Geofencing

/// Conditions on beacons, driven by drawings of time: one character per second from 1 on. A digit
/// is the number of advertisements of the beacon, "." none.
@Suite struct BeaconMonitorTests {
    private static let start = UTCTime(milliseconds: 1_800_000_000_000)
    private static let beacon = BeaconIdentity("\(BeaconFormatTests.text)/1/2")

    /// Returns "second kind" of each event of a condition on all beacons with the UUID.
    private func events(
        _ drawing: String, assuming: ConditionState = .unknown, dwell: Double? = nil, expiry: Double? = nil,
        from snapshot: ConditionSnapshot? = nil, clock: UTCTime? = Self.start, isScanned: Bool = true
    ) throws -> [String] {
        let beacon = try #require(Self.beacon)
        var monitor = BeaconMonitor()
        var events: [ConditionEvent] = []
        var found: [String] = []
        let condition = FenceCondition(
            .beacon(BeaconIdentity(uuid: beacon.uuid)), assuming: assuming, dwell: dwell.map { .seconds($0) },
            expiry: expiry.map { Self.start.advanced(by: .seconds($0)) })
        let id = ConditionID(1)
        monitor.setClock(clock, at: .zero)
        if isScanned { monitor.setScan(true, at: .zero) }
        monitor.add(
            GeofenceEngine.Entry(id: id, condition: condition, snapshot: snapshot),
            BeaconIdentity(uuid: beacon.uuid), at: .zero)
        for (index, character) in drawing.enumerated() {
            let now = Instant.zero + .seconds(Double(index + 1))
            monitor.tick(at: now, into: &events)
            if let count = character.wholeNumberValue {
                let sighting = BeaconSighting(BeaconAdvertisement(beacon, power: -59), strength: -95, count: count)
                monitor.record([sighting], at: now, into: &events)
            }
            for event in events {
                #expect(event.condition == id && event.location == nil)
                #expect(event.kind == .expired || event.date == clock?.advanced(by: now - .zero))
                let wasSatisfied = [.entered, .left, .dwelt].contains(event.kind) || event.state == .satisfied
                if snapshot == nil, wasSatisfied { #expect(event.beacon == beacon) }
                found.append("\(index + 1) \(event.kind)")
            }
            events = []
            if !monitor.takeDeterminations().isEmpty { found.append("\(index + 1) silent") }
        }
        return found
    }

    private static func pause(_ seconds: Int) -> String { String(repeating: ".", count: seconds) }

    @Test func `three advertisements within 10 s satisfy a condition, two do not`() throws {
        #expect(try events("1.1......1") == ["10 determined"])
        #expect(try events("1.1........1.1") == [])
        #expect(try events("3") == ["1 determined"])
        #expect(try events("1...1........") == [])
    }

    @Test func `a return within 300 s needs advertisements that are 5 s apart`() throws {
        let left = "3" + Self.pause(30)
        #expect(try events(left + "333333") == ["1 determined", "31 left", "37 entered"])
        #expect(try events(left + "33333" + Self.pause(10) + "33333") == ["1 determined", "31 left"])
        #expect(try events(left + Self.pause(298) + "3") == ["1 determined", "31 left"])
        #expect(try events(left + Self.pause(299) + "3") == ["1 determined", "31 left", "331 entered"])
    }

    @Test func `each return soon doubles the absence, up to 240 s and until 300 s without a long gap`() throws {
        let back = String(repeating: "3", count: 6)
        let first = "3" + Self.pause(30) + back + Self.pause(60)
        #expect(try events(first) == ["1 determined", "31 left", "37 entered", "97 left"])
        let third = first + back + Self.pause(120) + back + Self.pause(240) + back + Self.pause(240)
        #expect(
            try events(third).suffix(7)
                == ["97 left", "103 entered", "223 left", "229 entered", "469 left", "475 entered", "715 left"])
        let stay = String(repeating: "3", count: 306)
        #expect(try events("3" + Self.pause(30) + stay + Self.pause(30)).suffix(2) == ["37 entered", "367 left"])
        let away = Self.pause(30 + 330)
        let later = try events("3" + Self.pause(30) + back + away + "3" + Self.pause(30))
        #expect(later.suffix(2) == ["398 entered", "428 left"])
    }

    @Test func `events have no date, and nothing expires, while the clock is not set`() throws {
        #expect(try events("3" + Self.pause(30), expiry: 3, clock: nil) == ["1 determined", "31 left"])
    }

    @Test func `a condition expires while nobody scans`() throws {
        #expect(try events("33333", expiry: 3, isScanned: false) == ["3 expired"])
    }

    @Test func `a clock that is set later gives the date and the expiry`() throws {
        let beacon = try #require(Self.beacon)
        var monitor = BeaconMonitor()
        var events: [ConditionEvent] = []
        let condition = FenceCondition(.beacon(beacon), expiry: Self.start)
        monitor.setScan(true, at: .zero)
        monitor.add(GeofenceEngine.Entry(id: ConditionID(1), condition: condition), beacon, at: .zero)
        monitor.setClock(Self.start.advanced(by: .seconds(-5)), at: .zero + .seconds(10))
        #expect(monitor.deadline == .zero + .seconds(15) && monitor.wanted == [beacon])
        monitor.tick(at: .zero + .seconds(15), into: &events)
        #expect(events.map(\.kind) == [.expired] && events.first?.date == Self.start && monitor.wanted == [])
    }

    @Test func `a beacon that goes is left although others stay`() throws {
        let beacon = try #require(Self.beacon)
        let other = BeaconIdentity(uuid: beacon.uuid, major: 9)
        var monitor = BeaconMonitor()
        var events: [ConditionEvent] = []
        monitor.setScan(true, at: .zero)
        for (number, identity) in [(Int64(1), beacon), (2, other)] {
            let entry = GeofenceEngine.Entry(
                id: ConditionID(number), condition: FenceCondition(.beacon(identity)))
            monitor.add(entry, identity, at: .zero)
        }
        for second in 1...31 {
            let now = Instant.zero + .seconds(Double(second))
            monitor.tick(at: now, into: &events)
            let sent = (second == 1 ? [beacon, other] : [other]).map { BeaconAdvertisement($0, power: -59) }
            monitor.record(sent.map { BeaconSighting($0, strength: -70, count: 3) }, at: now, into: &events)
        }
        #expect(events.map(\.kind) == [.determined, .determined, .left])
        #expect(events.last?.condition == ConditionID(1))
    }

    @Test func `a sleep of the host that ends shortly after a deadline ends nothing`() throws {
        let beacon = try #require(Self.beacon)
        var monitor = BeaconMonitor()
        var events: [ConditionEvent] = []
        monitor.setScan(true, at: .zero)
        monitor.add(
            GeofenceEngine.Entry(id: ConditionID(1), condition: FenceCondition(.beacon(beacon))), beacon, at: .zero)
        let sighting = BeaconSighting(BeaconAdvertisement(beacon, power: -59), strength: -70, count: 3)
        monitor.record([sighting], at: .zero, into: &events)
        // The host sleeps from 5 s to 32 s: the daemon says so.
        monitor.setScan(true, at: .zero + .seconds(32))
        monitor.tick(at: .zero + .seconds(32), into: &events)
        monitor.tick(at: .zero + .seconds(61), into: &events)
        #expect(events.map(\.kind) == [.determined])
        monitor.tick(at: .zero + .seconds(62), into: &events)
        #expect(events.map(\.kind) == [.determined, .left])
    }

    @Test func `a beacon that is received again after a sleep of 60 s causes no event, and needs no spread`() throws {
        let beacon = try #require(Self.beacon)
        for isTimerFirst in [true, false] {
            var monitor = BeaconMonitor()
            var events: [ConditionEvent] = []
            monitor.setScan(true, at: .zero)
            monitor.add(
                GeofenceEngine.Entry(id: ConditionID(1), condition: FenceCondition(.beacon(beacon))), beacon, at: .zero)
            var sighting = BeaconSighting(BeaconAdvertisement(beacon, power: -59), strength: -70, count: 3)
            monitor.record([sighting], at: .zero + .seconds(1), into: &events)
            let woken = Instant.zero + .seconds(61)
            if isTimerFirst { monitor.tick(at: woken, into: &events) }
            sighting.count = 1
            monitor.record([sighting], at: woken, into: &events)
            #expect(monitor.table.present(beacon, at: woken)?.last == woken)
            for seconds in [12.0, 21, 29] { monitor.tick(at: woken + .seconds(seconds), into: &events) }
            #expect(events.map(\.kind) == [.determined])
            monitor.tick(at: woken + .seconds(30), into: &events)
            #expect(events.map(\.kind) == [.determined, .left])
        }
    }

    @Test func `30 s without an advertisement end it, and 29 s do not`() throws {
        #expect(try events("3" + Self.pause(28) + "1" + Self.pause(30)) == ["1 determined", "60 left"])
        #expect(
            try events("3" + Self.pause(30) + "11" + Self.pause(3) + "1") == ["1 determined", "31 left", "37 entered"])
    }

    @Test func `a beacon that is not there is determined after 30 s`() throws {
        #expect(try events(Self.pause(30)) == ["30 determined"])
        #expect(try events(Self.pause(31), assuming: .unsatisfied) == ["30 silent"])
        #expect(try events("3", assuming: .satisfied) == ["1 silent"])
    }

    @Test func `a dwell time counts from the entry, once per stay`() throws {
        let stay = "3" + String(repeating: "1", count: 15)
        #expect(try events(stay, dwell: 10) == ["1 determined", "11 dwelt"])
        let twice = stay + Self.pause(30) + stay
        #expect(
            try events(twice, dwell: 10) == ["1 determined", "11 dwelt", "46 left", "52 entered", "62 dwelt"])
    }

    @Test func `an expiry ends a condition by the host's clock`() throws {
        #expect(try events("33333", expiry: 3) == ["1 determined", "3 expired"])
    }

    @Test func `a saved state continues after a restart, with 30 s of grace`() throws {
        let inside = ConditionSnapshot(state: .satisfied)
        #expect(try events(Self.pause(10) + "3" + Self.pause(29), from: inside) == [])
        #expect(try events(Self.pause(30), from: inside) == ["30 left"])
        #expect(try events("3", from: ConditionSnapshot(state: .unsatisfied)) == ["1 entered"])
        #expect(try events("3" + Self.pause(60), from: ConditionSnapshot(state: .unmonitored)) == [])
    }

    @Test func `nothing ends while nobody scans, or while the host sleeps`() throws {
        let beacon = try #require(Self.beacon)
        var monitor = BeaconMonitor()
        var events: [ConditionEvent] = []
        monitor.setScan(true, at: .zero)
        let entry = GeofenceEngine.Entry(id: ConditionID(1), condition: FenceCondition(.beacon(beacon)))
        monitor.add(entry, beacon, at: .zero)
        let sighting = BeaconSighting(BeaconAdvertisement(beacon, power: nil), strength: -70, count: 3)
        monitor.record([sighting], at: .zero, into: &events)
        monitor.setScan(false, at: .zero + .seconds(5))
        #expect(monitor.deadline == nil)
        monitor.setScan(true, at: .zero + .seconds(500))
        // A sleep of an hour, and then the timer.
        let later = Instant.zero + .seconds(4100)
        monitor.tick(at: later, into: &events)
        #expect(events.map(\.kind) == [.determined])
        monitor.tick(at: later + .seconds(31), into: &events)
        #expect(events.map(\.kind) == [.determined, .left])
    }

    @Test func `reception pauses only while every state is certain`() throws {
        let beacon = try #require(Self.beacon)
        var monitor = BeaconMonitor()
        var events: [ConditionEvent] = []
        func continuous(_ seconds: Double) -> Bool { monitor.needsContinuousScan(at: .zero + .seconds(seconds)) }
        #expect(!continuous(0) && monitor.wanted == [])
        monitor.setScan(true, at: .zero)
        let entry = GeofenceEngine.Entry(id: ConditionID(1), condition: FenceCondition(.beacon(beacon)))
        monitor.add(entry, beacon, at: .zero)
        #expect(continuous(0) && monitor.wanted == [beacon])
        var sighting = BeaconSighting(BeaconAdvertisement(beacon, power: -59), strength: -70, count: 3)
        monitor.record([sighting], at: .zero + .seconds(1), into: &events)
        #expect(!continuous(1) && !continuous(12) && continuous(13))
        monitor.tick(at: .zero + .seconds(13), into: &events)
        monitor.tick(at: .zero + .seconds(31), into: &events)
        #expect(!continuous(31) && monitor.deadline == nil)
        sighting.count = 1
        monitor.record([sighting], at: .zero + .seconds(40), into: &events)
        #expect(continuous(41) && !continuous(51))
        // One that stays at the edge of reception does not keep the receiver on.
        var received = 0
        for second in 200..<800 {
            if second % 9 == 0 { monitor.record([sighting], at: .zero + .seconds(Double(second)), into: &events) }
            if continuous(Double(second)) { received += 1 }
        }
        #expect(received <= 310 && received > 200 && events.count == 2)
    }
}

@Suite struct BeaconTableTests {
    @Test func `strangers beyond the capacity displace the beacon that was received longest ago`() throws {
        let uuid = try #require(BeaconUUID(BeaconFormatTests.text))
        var table = BeaconTable()
        for number in 0..<1000 {
            let beacon = BeaconIdentity(uuid: uuid, major: UInt16(number))
            table.record(
                BeaconSighting(BeaconAdvertisement(beacon, power: -59), strength: -60, count: 3),
                at: .zero + .seconds(Double(number) / 1000))
        }
        let readings = table.readings(of: nil, at: .zero + .seconds(1))
        #expect(readings.count == BeaconTable.capacity)
        #expect(readings.allSatisfy { $0.identity.major ?? 0 >= 1000 - UInt16(BeaconTable.capacity) })
    }

    @Test func `strangers do not displace a beacon that is meant`() throws {
        let uuid = try #require(BeaconUUID(BeaconFormatTests.text))
        let meant = BeaconIdentity(uuid: uuid, major: 0)
        var table = BeaconTable()
        for number in 0..<1000 {
            let beacon = BeaconAdvertisement(BeaconIdentity(uuid: uuid, major: UInt16(number)), power: -59)
            table.record(BeaconSighting(beacon, strength: -60, count: 3), at: .zero) { $0 == meant }
        }
        #expect(table.readings(of: nil, at: .zero).count == BeaconTable.capacity)
        #expect(table.present(meant, at: .zero)?.beacon == meant)
    }

    @Test func `256 fresh identities of a UUID do not displace the beacon that is meant exactly`() throws {
        let uuid = try #require(BeaconUUID(BeaconFormatTests.text))
        let exact = BeaconIdentity(uuid: uuid, major: 0, minor: 1)
        let meant: Set = [BeaconIdentity(uuid: uuid), exact]
        let fresh = (1...BeaconTable.capacity).map { BeaconIdentity(uuid: uuid, major: UInt16($0), minor: 1) }
        var table = BeaconTable()
        var early = ReceivedBeacons()
        var late = ReceivedBeacons()
        for (second, identity) in ([exact] + fresh).enumerated() {
            let sighting = BeaconSighting(BeaconAdvertisement(identity, power: -59), strength: -60, count: 3)
            table.record(sighting, at: .zero + .milliseconds(Int64(second))) { meant.contains($0) }
            early.record(sighting.beacon, strength: -60) { meant.contains($0) }
        }
        for identity in fresh + [exact] {
            late.record(BeaconAdvertisement(identity, power: -59), strength: nil) { meant.contains($0) }
        }
        #expect(table.present(exact, at: .zero + .seconds(1))?.beacon == exact)
        for var received in [early, late] {
            let sightings = received.take()
            #expect(sightings.count == BeaconTable.capacity && received.isEmpty)
            #expect(sightings.first?.beacon.identity == exact)
        }
        #expect(fresh[0].rank { $0 == fresh[0] } == 3 && fresh[0].rank { _ in false } == 0)
    }

    @Test func `a zone stays near its limit, and is unknown without a plausible power or a signal`() throws {
        let beacon = BeaconIdentity(uuid: try #require(BeaconUUID(BeaconFormatTests.text)))
        var table = BeaconTable()
        var zones: [BeaconZone] = []
        // 0.3 m, 0.6 m, 0.9 m, 3.6 m, 4.4 m, 6 m, 4.4 m, 3 m at 25 dB per decade.
        for (index, strength) in [-46, -53.5, -58, -73, -75, -78.5, -75, -71].enumerated() {
            let now = Instant.zero + .seconds(Double(index) * 6)
            table.record(BeaconSighting(BeaconAdvertisement(beacon, power: -59), strength: strength), at: now)
            zones += table.readings(of: beacon, at: now).map(\.zone)
        }
        #expect(zones == [.immediate, .immediate, .near, .near, .near, .far, .far, .near])
        let last = Instant.zero + .seconds(42)
        #expect(table.readings(of: beacon, at: last + .seconds(6)).map(\.zone) == [.unknown])
        #expect(table.readings(of: beacon, at: last + .seconds(30)) == [])
        table.record(BeaconSighting(BeaconAdvertisement(beacon, power: 0), strength: -40), at: last)
        #expect(table.readings(of: beacon, at: last).map(\.accuracy) == [nil])
        let later = last + .seconds(10)
        table.record(BeaconSighting(BeaconAdvertisement(beacon, power: -59), strength: nil, count: 3), at: later)
        #expect(table.readings(of: beacon, at: later).map(\.zone) == [.unknown])
        #expect(table.present(beacon, at: later)?.beacon == beacon)
    }
}
