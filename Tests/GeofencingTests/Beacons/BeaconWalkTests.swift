import Chronology
import Glibc
import Positioning
import TestSupport
import Testing

@testable import Geofencing

/// A walk past ten beacons with fading: what conditions report, and how far away beacons appear.
/// The figures are printed: `make test FILTER=BeaconWalkTests`.
///
/// The loss follows ITU-R P.1238 with an exponent of 2.0 to 3.0 per beacon; shadowing of 4 to 8 dB
/// decorrelates over 2 m of way (M. Gudmundson, Electronics Letters 27, 1991); and each
/// advertisement fades by itself (Rayleigh). One below -95 dBm is lost, so one is received with a
/// probability of p = exp(-10 ^ ((-95 - mean) / 10)), where the mean includes the shadowing.
///
/// `docs/decisions/0021` has the measure, which was fixed before the rule was chosen:
/// - An entry is false if p was below 0.1 in each of the last 10 s, an exit if p is 0.5 or more.
///   Both are, too, if the device was never more than 5 m away from the place of the exit between.
/// - A visit begins at a p of 0.5 and ends after 30 s below 0.1. Its entry is timed from its
///   beginning; one before counts as 0 s. It is missed if p was 0.5 or more for 10 s in a row.
@Suite struct BeaconWalkTests {
    private static let power = -59.0
    private static let sensitivity = -95.0

    /// When reception pauses for 9 s in 10, while ``BeaconMonitor`` allows it.
    enum Pauses: String, CaseIterable {
        case never, atRest, always
    }

    private struct Visit {
        var began: Double
        /// Seconds until the entry.
        var delay: Double?
        /// Whether it began while the condition was satisfied since the visit before.
        var continues: Bool
        /// Whether it lasted long enough to be missed.
        var isLong = false
    }

    private struct Beacon {
        var identity: BeaconIdentity
        var position: Double
        var exponent: Double
        var deviation: Double
        var shadow = 0.0
        /// The probabilities of reception in the last 10 s.
        var chances: [Double] = []
        var visit: Visit?
        var lastInRange = 0.0
        var isSatisfied = false
        /// Whether the condition was entered since the last visit.
        var isEarly = false
        /// The place of the last exit, and how far away from it the device was since.
        var exit: (place: Double, farthest: Double)?
        var exitWasFalse = false

        func distance(from place: Double) -> Double { hypot(place - position, 2) }

        /// The strength in dBm without fading.
        func mean(at place: Double) -> Double {
            BeaconWalkTests.power - 10 * exponent * log10(distance(from: place)) + shadow
        }
    }

    private struct Figures {
        var hours = 0.0
        var falseEvents = 0
        /// False by p at an entry and at an exit, and pairs of events at one place.
        var falseEntries = 0
        var falseExits = 0
        var repeats = 0
        /// The seconds until each entry of a visit, and the distance in metres of each entry.
        var delays: [Double] = []
        var distances: [Double] = []
        var exits = 0
        var nearExits = 0
        var missed = 0
        /// Visits that are not timed: they began in the stay of the visit before, or were short and
        /// not entered.
        var continued = 0
        var short = 0
        /// Seconds with reception, and at rest.
        var received = 0
        var restReceived = 0
        var rest = 0
        var held = 0
        var readings = 0

        static func percent(_ part: Int, of whole: Int) -> Double { 100 * Double(part) / Double(max(whole, 1)) }

        static func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

        var falsePerHour: Double { Double(falseEvents) / hours }
        var promptPercent: Double { Self.percent(delays.count { $0 <= 10 }, of: delays.count) }
        var heldPercent: Double { Self.percent(held, of: readings) }

        func print(_ title: String) {
            let sorted = delays.sorted()
            let shares = [10.0, 30, 60].map { limit in
                "\(Self.text(Self.percent(distances.count { $0 <= limit }, of: distances.count))) %"
            }
            Swift.print(
                "\(title): \(hours) h, reception \(Self.text(Self.percent(received, of: Int(hours * 3600)))) %, "
                    + "at rest \(Self.text(Self.percent(restReceived, of: rest))) %, "
                    + "false events \(falsePerHour) an hour (entries \(falseEntries), exits \(falseExits), "
                    + "pairs at one place \(repeats)); visits with an entry \(sorted.count), within 10 s "
                    + "\(Self.text(promptPercent)) %, median \(sorted[sorted.count / 2]) s, 90 % "
                    + "\(sorted[sorted.count * 9 / 10]) s, missed \(missed), continued \(continued), "
                    + "short without an entry \(short); entries \(distances.count), "
                    + "within 10, 30, 60 m \(shares.joined(separator: ", ")); exits \(exits), within 5 m \(nearExits); "
                    + "distance held in \(Self.text(heldPercent)) %")
        }
    }

    /// A walk up and down a way of 800 m with ten beacons at its side, with a rest now and then.
    private struct Walk {
        var generator: SeededGenerator
        var monitor = BeaconMonitor()
        var beacons: [Beacon] = []
        var figures = Figures()
        var place = 0.0
        var speed = 1.3
        var leg = 0
        /// Seconds between two advertisements of a beacon.
        let interval: Double
        let pauses: Pauses

        init(seed: UInt64, interval: Double, pauses: Pauses) throws {
            generator = SeededGenerator(seed)
            self.interval = interval
            self.pauses = pauses
            let uuid = try #require(BeaconUUID(BeaconFormatTests.text))
            monitor.setScan(true, at: .zero)
            for number in 0..<10 {
                let identity = BeaconIdentity(uuid: uuid, major: 1, minor: UInt16(number))
                beacons.append(
                    Beacon(
                        identity: identity, position: 40 + Double(number) * 80,
                        exponent: Double.random(in: 2...3, using: &generator),
                        deviation: Double.random(in: 4...8, using: &generator)))
                let entry = GeofenceEngine.Entry(
                    id: ConditionID(Int64(number)), condition: FenceCondition(.beacon(identity)))
                monitor.add(entry, identity, at: .zero)
            }
        }

        mutating func run(hours: Double) {
            figures.hours += hours
            for second in 1...Int(hours * 3600) {
                move()
                let now = Instant.zero + .seconds(Double(second))
                let mayPause = pauses == .always || pauses == .atRest && speed == 0
                let listens = !mayPause || second % 10 == 0 || monitor.needsContinuousScan(at: now)
                if listens { figures.received += 1 }
                if speed == 0 {
                    figures.rest += 1
                    figures.restReceived += listens ? 1 : 0
                }
                var events: [ConditionEvent] = []
                let heard = heard(in: second)
                monitor.record(listens ? heard : [], at: now, into: &events)
                monitor.tick(at: now, into: &events)
                for index in beacons.indices { visit(index, at: Double(second)) }
                for event in events { count(event, at: Double(second)) }
                if second % 5 == 0 { for reading in monitor.readings(of: nil, at: now) { count(reading) } }
            }
        }

        private mutating func move() {
            if leg == 0 {
                leg = Int.random(in: 20...300, using: &generator)
                speed = [0, 1.3, 1.3, -1.3, -1.3][Int.random(in: 0..<5, using: &generator)]
            }
            leg -= 1
            place += speed
            if place < 0 || place > 800 { (place, speed) = (min(max(place, 0), 800), -speed) }
        }

        private mutating func normal() -> Double {
            let (a, b) = (Double.random(in: 1e-12..<1, using: &generator), Double.random(in: 0..<1, using: &generator))
            return (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
        }

        /// The advertisements of a second. They do not depend on the rule.
        private mutating func heard(in second: Int) -> [BeaconSighting] {
            let count = interval < 1 ? Int(1 / interval) : second % Int(interval) == 0 ? 1 : 0
            let correlation = exp(-abs(speed) / 2)
            var sightings: [BeaconSighting] = []
            for index in beacons.indices {
                beacons[index].shadow *= correlation
                beacons[index].shadow +=
                    normal() * beacons[index].deviation * (1 - correlation * correlation).squareRoot()
                let mean = beacons[index].mean(at: place)
                let chance = exp(-pow(10, (BeaconWalkTests.sensitivity - mean) / 10))
                beacons[index].chances.append(chance)
                if beacons[index].chances.count > 10 { beacons[index].chances.removeFirst() }
                // One in a million would only cost time.
                guard chance > 1e-6 else { continue }
                let heard = (0..<count).map { _ in Double.random(in: 1e-12..<1, using: &generator) }
                    .filter { $0 <= chance }.map { mean + 10 * log10(-log($0)) }.sorted()
                guard !heard.isEmpty else { continue }
                let beacon = BeaconAdvertisement(beacons[index].identity, power: Int(BeaconWalkTests.power))
                sightings.append(BeaconSighting(beacon, strength: heard[heard.count / 2], count: heard.count))
            }
            return sightings
        }

        private mutating func visit(_ index: Int, at second: Double) {
            var beacon = beacons[index]
            defer { beacons[index] = beacon }
            if let exit = beacon.exit { beacon.exit?.farthest = max(exit.farthest, abs(place - exit.place)) }
            let chance = beacon.chances.last ?? 0
            if chance >= 0.1 { beacon.lastInRange = second }
            if let visit = beacon.visit, second - beacon.lastInRange >= 30 {
                if visit.continues {
                    figures.continued += 1
                } else if let delay = visit.delay {
                    figures.delays.append(delay)
                } else if visit.isLong {
                    figures.missed += 1
                } else {
                    figures.short += 1
                }
                (beacon.visit, beacon.isEarly) = (nil, false)
            }
            if beacon.visit == nil, chance >= 0.5 {
                beacon.visit = Visit(
                    began: second, delay: beacon.isEarly ? 0 : nil, continues: beacon.isSatisfied && !beacon.isEarly)
            }
            if beacon.chances.count == 10, beacon.chances.allSatisfy({ $0 >= 0.5 }) { beacon.visit?.isLong = true }
        }

        private mutating func count(_ event: ConditionEvent, at second: Double) {
            let index = Int(event.condition.rawValue)
            var beacon = beacons[index]
            defer { beacons[index] = beacon }
            beacon.isSatisfied = event.state == .satisfied
            var isFalse: Bool
            if beacon.isSatisfied {
                isFalse = beacon.chances.allSatisfy { $0 < 0.1 }
                if isFalse { figures.falseEntries += 1 }
                if let exit = beacon.exit, exit.farthest <= 5 {
                    figures.repeats += 1
                    figures.falseEvents += beacon.exitWasFalse ? 0 : 1
                    isFalse = true
                }
                figures.distances.append(beacon.distance(from: place))
                beacon.isEarly = true
                if let visit = beacon.visit, visit.delay == nil { beacon.visit?.delay = second - visit.began }
            } else {
                isFalse = beacon.chances.last ?? 0 >= 0.5
                if isFalse { figures.falseExits += 1 }
                figures.exits += 1
                figures.nearExits += beacon.distance(from: place) <= 5 ? 1 : 0
                beacon.exit = (place, 0)
                beacon.exitWasFalse = isFalse
            }
            if isFalse { figures.falseEvents += 1 }
        }

        private mutating func count(_ reading: BeaconReading) {
            guard let accuracy = reading.accuracy, let number = reading.identity.minor else { return }
            let distance = beacons[Int(number)].distance(from: place)
            // Farther ones are heard only when fading favours them.
            guard distance < 10 else { return }
            figures.readings += 1
            if distance <= accuracy { figures.held += 1 }
        }
    }

    /// Walks of 5 h with eight seeds. Seeds from 100 on were used to choose the rule.
    private static func walks(_ interval: Double, _ pauses: Pauses) async throws -> Figures {
        var figures = Figures()
        for seed in 1...8 as ClosedRange<UInt64> {
            var walk = try Walk(seed: seed, interval: interval, pauses: pauses)
            walk.figures = figures
            walk.run(hours: 5)
            figures = walk.figures
            // Tests that wait get their turn.
            await Task.yield()
        }
        figures.print("beacons every \(interval) s, pauses \(pauses.rawValue)")
        return figures
    }

    /// The aims, in the measure above: 0.1 false events an hour, 95 % of the entries within 10 s,
    /// no visit missed. What is not met is a known issue here, with the bound of the aim.
    @Test(arguments: [0.1, 1])
    func `no visit is missed, but the aim of false events is not met`(interval: Double) async throws {
        let isFast = interval < 1
        let never = try await Self.walks(interval, .never)
        let atRest = try await Self.walks(interval, .atRest)
        let always = try await Self.walks(interval, .always)
        for figures in [never, atRest] {
            #expect(figures.missed == 0)
            if isFast {
                #expect(figures.promptPercent >= 95)
            } else {
                withKnownIssue("one a second: too few arrive") { #expect(figures.promptPercent >= 95) }
            }
        }
        // What is reached must not get worse: measured and 10 %.
        let measured = isFast ? [3.775, 3.575, 3.15] : [0.875, 0.775, 0.7]
        for (figures, measured) in zip([never, atRest, always], measured) {
            #expect((63...78).contains(figures.heldPercent))
            withKnownIssue("faint beacons are reported") { #expect(figures.falsePerHour <= 0.1) }
            #expect(figures.falsePerHour <= measured * 1.1)
        }
        // Who moves, and nobody knows it, waits for the next second of reception.
        #expect(always.promptPercent < atRest.promptPercent && always.promptPercent >= (isFast ? 85 : 40))
        #expect(always.received < atRest.received && atRest.received < never.received)
    }

    /// Returns the events and the share of seconds with reception of 20 h at rest, where each
    /// advertisement arrives with this probability.
    private static func rest(
        _ chance: Double, every interval: Double, seed: UInt64, pauses: Bool
    ) throws -> (events: Int, percent: Double) {
        let seconds = 20 * 3600
        var generator = SeededGenerator(seed)
        var monitor = BeaconMonitor()
        var (events, received): ([ConditionEvent], Int) = ([], 0)
        let identity = BeaconIdentity(uuid: try #require(BeaconUUID(BeaconFormatTests.text)))
        let beacon = BeaconAdvertisement(identity, power: Int(power))
        monitor.setScan(true, at: .zero)
        let condition = FenceCondition(.beacon(identity))
        monitor.add(GeofenceEngine.Entry(id: ConditionID(1), condition: condition), identity, at: .zero)
        for second in 1...seconds {
            let now = Instant.zero + .seconds(Double(second))
            let count = (0..<Int(1 / interval)).count { _ in Double.random(in: 0..<1, using: &generator) < chance }
            monitor.tick(at: now, into: &events)
            guard !pauses || second % 10 == 0 || monitor.needsContinuousScan(at: now) else { continue }
            received += 1
            let sightings = count == 0 ? [] : [BeaconSighting(beacon, strength: sensitivity, count: count)]
            monitor.record(sightings, at: now, into: &events)
        }
        return (events.count { $0.kind != .determined }, Figures.percent(received, of: seconds))
    }

    @Test(arguments: [(0.1, 0.015, [128, 134]), (1, 0.13, [145, 131])])
    func `a beacon at the edge of reception is reported less often at rest`(
        interval: Double, chance: Double, measured: [Int]
    ) throws {
        for (pauses, measured) in zip([false, true], measured) {
            let found = try Self.rest(chance, every: interval, seed: 1, pauses: pauses)
            print(
                "at rest, p \(chance) every \(interval) s, pauses \(pauses): \(found.events) events in 20 h, "
                    + "reception \(Figures.text(found.percent)) %")
            // Measured and 20 %.
            #expect(Double(found.events) <= Double(measured) * 1.2)
        }
    }
}
