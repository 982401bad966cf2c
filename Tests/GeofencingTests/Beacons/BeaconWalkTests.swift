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
    /// An event is false if it contradicts the strength in dBm at the place, with shadowing and
    /// without fading: a beacon that is stronger than the first is heard, one that is weaker than
    /// the second is not. Between the two, either is right.
    private static let range = (certain: -85.0, never: -105.0)
    /// The strength in dBm without shadowing from which a beacon is near: an entry must follow.
    private static let near = -80.0

    private struct Beacon {
        var identity: BeaconIdentity
        var position: Double
        var exponent: Double
        var deviation: Double
        var shadow = 0.0
        /// When the device came near, until the entry.
        var approached: Double?
        var isNear = false
        var isSatisfied = false

        /// The strength in dBm without shadowing and fading.
        func mean(at place: Double) -> Double {
            BeaconWalkTests.power - 10 * exponent * log10(hypot(place - position, 2))
        }
    }

    private struct Figures {
        var hours = 0.0
        var events = 0
        var falseEvents = 0
        var entries: [Double] = []
        var missed = 0
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
        /// Whether reception pauses for 9 s in 10 at rest while ``BeaconMonitor`` allows it.
        let saves: Bool

        init(seed: UInt64, interval: Double, saves: Bool) throws {
            generator = SeededGenerator(seed)
            self.interval = interval
            self.saves = saves
            let uuid = try #require(BeaconUUID(BeaconFormatTests.text))
            monitor.setScan(UTCTime(milliseconds: 0), at: .zero)
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
                let listens = !saves || speed != 0 || second % 10 == 0 || monitor.needsContinuousScan(at: now)
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
            let mean = beacons[index].mean(at: place) + beacons[index].shadow
            beacons[index].isSatisfied = event.state == .satisfied
            figures.events += 1
            let isFalse =
                beacons[index].isSatisfied ? mean < BeaconWalkTests.range.never : mean > BeaconWalkTests.range.certain
            if isFalse { figures.falseEvents += 1 }
        }

        private mutating func observe(_ index: Int, at second: Double) {
            let isNear = beacons[index].mean(at: place) > BeaconWalkTests.near
            if isNear, !beacons[index].isNear { beacons[index].approached = second }
            beacons[index].isNear = isNear
            guard let since = beacons[index].approached else { return }
            if beacons[index].isSatisfied {
                figures.entries.append(second - since)
                beacons[index].approached = nil
            } else if !isNear {
                figures.missed += 1
                beacons[index].approached = nil
            }
        }

        private mutating func count(_ reading: BeaconReading) {
            guard let accuracy = reading.accuracy, let number = reading.identity.minor else { return }
            let distance = hypot(place - beacons[Int(number)].position, 2)
            // Farther ones are heard only when fading favours them.
            guard distance < 10 else { return }
            figures.readings += 1
            if distance <= accuracy { figures.held += 1 }
        }
    }

    @Test(arguments: [
        (0.1, false), (0.1, true), (1, false), (1, true),
    ])
    func `entries come within 10 s, and false events at most once in 10 h`(interval: Double, saves: Bool) throws {
        var total = Figures()
        for seed in 1...4 as ClosedRange<UInt64> {
            var walk = try Walk(seed: seed, interval: interval, saves: saves)
            walk.run(hours: 5)
            let one = walk.figures
            total.hours += one.hours
            total.events += one.events
            total.falseEvents += one.falseEvents
            total.entries += one.entries
            total.missed += one.missed
            total.held += one.held
            total.readings += one.readings
        }
        let sorted = total.entries.sorted()
        let late = sorted[sorted.count * 99 / 100]
        let share = Double(total.held) / Double(max(total.readings, 1))
        print(
            "beacons every \(interval) s, \(saves ? "saving at rest" : "continuous"): \(total.hours) h, "
                + "\(total.events) events, \(total.falseEvents) of them false, "
                + "\(sorted.count) entries (\(total.missed) missed), "
                + "99 % within \(late) s, at most \(sorted.last ?? 0) s; "
                + "distance held in \((share * 1000).rounded() / 10) %")
        #expect(Double(total.falseEvents) <= 0.1 * total.hours)
        #expect(late <= 10 && total.missed == 0)
        #expect((0.63...0.78).contains(share))
    }
}
