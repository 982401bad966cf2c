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
/// advertisement fades by itself (Rayleigh). One below -95 dBm is lost.
@Suite struct BeaconWalkTests {
    private static let power = -59.0
    private static let sensitivity = -95.0
    /// An exit is false within this distance in metres. An entry is false beyond the distance at
    /// which the mean strength, without shadowing and fading, is that of the sensitivity: 16 to
    /// 63 m.
    private static let nearby = 5.0

    /// When reception pauses for 9 s in 10, while ``BeaconMonitor`` allows it.
    enum Pauses: String {
        case never, atRest, always
    }

    private struct Beacon {
        var identity: BeaconIdentity
        var position: Double
        var exponent: Double
        var deviation: Double
        var shadow = 0.0
        /// When the device came into range, until the entry.
        var approached: Double?
        var isInRange = false
        var wasNearby = false
        var isSatisfied = false

        func distance(from place: Double) -> Double { hypot(place - position, 2) }

        /// The strength in dBm without shadowing and fading.
        func mean(at place: Double) -> Double {
            BeaconWalkTests.power - 10 * exponent * log10(distance(from: place))
        }
    }

    private struct Figures {
        var hours = 0.0
        var events = 0
        var falseEvents = 0
        var entries: [Double] = []
        /// Visits of the range without an entry, and those of them that came nearby.
        var missed = 0
        var missedNearby = 0
        /// Seconds with reception.
        var received = 0
        var held = 0
        var readings = 0
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
            figures.hours = hours
            for second in 1...Int(hours * 3600) {
                move()
                let now = Instant.zero + .seconds(Double(second))
                let mayPause = pauses == .always || pauses == .atRest && speed == 0
                let listens = !mayPause || second % 10 == 0 || monitor.needsContinuousScan(at: now)
                if listens { figures.received += 1 }
                var events: [ConditionEvent] = []
                monitor.tick(at: now, into: &events)
                monitor.record(heard(in: second, listens: listens), at: now, into: &events)
                for event in events { count(event) }
                for index in beacons.indices { observe(index, at: Double(second)) }
                for reading in monitor.readings(of: nil, at: now) { count(reading) }
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

        /// The advertisements of a second.
        private mutating func heard(in second: Int, listens: Bool) -> [BeaconSighting] {
            let count = interval < 1 ? Int(1 / interval) : second % Int(interval) == 0 ? 1 : 0
            var sightings: [BeaconSighting] = []
            for index in beacons.indices {
                let correlation = exp(-abs(speed) / 2)
                beacons[index].shadow *= correlation
                beacons[index].shadow +=
                    normal() * beacons[index].deviation * (1 - correlation * correlation).squareRoot()
                let mean = beacons[index].mean(at: place) + beacons[index].shadow
                let heard = (0..<(listens ? count : 0)).map { _ in
                    mean + 10 * log10(-log(Double.random(in: 1e-12..<1, using: &generator)))
                }.filter { $0 >= BeaconWalkTests.sensitivity }.sorted()
                guard !heard.isEmpty else { continue }
                let beacon = BeaconAdvertisement(beacons[index].identity, power: Int(BeaconWalkTests.power))
                sightings.append(BeaconSighting(beacon, strength: heard[heard.count / 2], count: heard.count))
            }
            return sightings
        }

        private mutating func count(_ event: ConditionEvent) {
            let index = Int(event.condition.rawValue)
            let beacon = beacons[index]
            beacons[index].isSatisfied = event.state == .satisfied
            figures.events += 1
            let isFalse =
                event.state == .satisfied
                ? beacon.mean(at: place) < BeaconWalkTests.sensitivity
                : beacon.distance(from: place) < BeaconWalkTests.nearby
            if isFalse { figures.falseEvents += 1 }
        }

        private mutating func observe(_ index: Int, at second: Double) {
            let isInRange = beacons[index].mean(at: place) >= BeaconWalkTests.sensitivity
            if isInRange, !beacons[index].isInRange {
                (beacons[index].approached, beacons[index].wasNearby) = (second, false)
            }
            beacons[index].isInRange = isInRange
            if beacons[index].distance(from: place) < BeaconWalkTests.nearby { beacons[index].wasNearby = true }
            guard let since = beacons[index].approached else { return }
            if beacons[index].isSatisfied {
                figures.entries.append(second - since)
                beacons[index].approached = nil
            } else if !isInRange {
                figures.missed += 1
                if beacons[index].wasNearby { figures.missedNearby += 1 }
                beacons[index].approached = nil
            }
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

    @Test(arguments: [
        (0.1, Pauses.never), (0.1, .atRest), (0.1, .always), (1, .never), (1, .atRest), (1, .always),
    ])
    func `false events come at most once in 5 h, and half of the entries within 20 s`(
        interval: Double, pauses: Pauses
    ) throws {
        var total = Figures()
        for seed in 1...8 as ClosedRange<UInt64> {
            var walk = try Walk(seed: seed, interval: interval, pauses: pauses)
            walk.run(hours: 5)
            let one = walk.figures
            total.hours += one.hours
            total.events += one.events
            total.falseEvents += one.falseEvents
            total.entries += one.entries
            total.missed += one.missed
            total.missedNearby += one.missedNearby
            total.received += one.received
            total.held += one.held
            total.readings += one.readings
        }
        let sorted = total.entries.sorted()
        let median = sorted[sorted.count / 2]
        func percent(_ part: Int, of whole: Int) -> Double {
            (1000 * Double(part) / Double(max(whole, 1))).rounded() / 10
        }
        let held = percent(total.held, of: total.readings)
        let missedNearby = percent(total.missedNearby, of: sorted.count + total.missed)
        print(
            "beacons every \(interval) s, pauses \(pauses.rawValue): \(total.hours) h, reception in "
                + "\(percent(total.received, of: Int(total.hours * 3600))) %, \(total.events) events, "
                + "\(total.falseEvents) of them false, "
                + "\(sorted.count) entries, within 10 s \(percent(sorted.count { $0 <= 10 }, of: sorted.count)) %, "
                + "median \(median) s, 90 % \(sorted[sorted.count * 9 / 10]) s; visits without an entry: "
                + "\(total.missed), nearby \(total.missedNearby) (\(missedNearby) %); distance held in \(held) %")
        // The aim is 0.1 an hour, which is not met: docs/beacons.md has the figures.
        #expect(Double(total.falseEvents) <= 0.2 * total.hours)
        // The way from the edge of the range to 5 m lasts 8 to 45 s.
        #expect(median <= 20 && missedNearby <= 17)
        #expect((63...78).contains(held))
    }
}
