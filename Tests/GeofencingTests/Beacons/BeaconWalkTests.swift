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
/// decorrelates over 2 m of way (M. Gudmundson, Electronics Letters 27, 1991); and each advertisement
/// fades by itself (Rayleigh). One below -95 dBm is lost.
@Suite struct BeaconWalkTests {
    private static let power = -59.0
    private static let sensitivity = -95.0
    /// An event is false if it contradicts the strength in dBm without shadowing and fading: a beacon
    /// that is stronger than the first is heard, one that is weaker than the second is not. Between the
    /// two, either is right.
    private static let range = (certain: -80.0, never: -113.0)

    private struct Beacon {
        var identity: BeaconIdentity
        var position: Double
        var exponent: Double
        var deviation: Double
        var shadow = 0.0

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

    private static func normal(_ generator: inout SeededGenerator) -> Double {
        let (a, b) = (Double.random(in: 1e-12..<1, using: &generator), Double.random(in: 0..<1, using: &generator))
        return (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
    }

    /// Walks up and down a way of 800 m with ten beacons at its side, and rests now and then.
    ///
    /// - Parameters:
    ///   - interval: Seconds between two advertisements of a beacon.
    ///   - saves: Whether reception pauses for 9 s in 10 while ``BeaconMonitor`` allows it.
    private func walk(seed: UInt64, hours: Double, interval: Double, saves: Bool) throws -> Figures {
        var generator = SeededGenerator(seed)
        let uuid = try #require(BeaconUUID(BeaconFormatTests.text))
        var monitor = BeaconMonitor()
        monitor.setScan(UTCTime(milliseconds: 0), at: .zero)
        var beacons: [Beacon] = []
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
        var figures = Figures(hours: hours)
        var (place, speed, leg) = (0.0, 1.3, 0)
        var satisfied = [Bool?](repeating: nil, count: 10)
        var approached = [Double?](repeating: nil, count: 10)
        for second in 1...Int(hours * 3600) {
            if leg == 0 {
                leg = Int.random(in: 20...300, using: &generator)
                speed = [0, 1.3, 1.3, -1.3, -1.3][Int.random(in: 0..<5, using: &generator)]
            }
            leg -= 1
            place += speed
            if place < 0 || place > 800 { (place, speed) = (min(max(place, 0), 800), -speed) }
            let now = Instant.zero + .seconds(Double(second))
            let listens = !saves || speed != 0 || second % 10 == 0 || monitor.needsContinuousScan(at: now)
            var sightings: [BeaconSighting] = []
            for index in beacons.indices {
                let correlation = exp(-abs(speed) / 2)
                beacons[index].shadow =
                    beacons[index].shadow * correlation
                    + Self.normal(&generator) * beacons[index].deviation * (1 - correlation * correlation).squareRoot()
                let mean = beacons[index].mean(at: place) + beacons[index].shadow
                let count = interval < 1 ? Int(1 / interval) : second % Int(interval) == 0 ? 1 : 0
                let heard = (0..<(listens ? count : 0)).map { _ in
                    mean + 10 * log10(-log(Double.random(in: 1e-12..<1, using: &generator)))
                }.filter { $0 >= Self.sensitivity }.sorted()
                guard !heard.isEmpty else { continue }
                let beacon = BeaconAdvertisement(beacons[index].identity, power: Int(Self.power))
                sightings.append(BeaconSighting(beacon, strength: heard[heard.count / 2], count: heard.count))
            }
            var events: [ConditionEvent] = []
            monitor.tick(at: now, into: &events)
            monitor.record(sightings, at: now, into: &events)
            for event in events {
                let index = Int(event.condition.rawValue)
                let mean = beacons[index].mean(at: place)
                let isIn = event.state == .satisfied
                figures.events += 1
                if isIn ? mean < Self.range.never : mean > Self.range.certain { figures.falseEvents += 1 }
                satisfied[index] = isIn
            }
            for index in beacons.indices {
                let isNear = beacons[index].mean(at: place) > Self.range.certain
                if !isNear {
                    if approached[index] != nil, satisfied[index] != true { figures.missed += 1 }
                    approached[index] = nil
                } else if approached[index] == nil {
                    approached[index] = Double(second)
                }
                if let since = approached[index], since >= 0, satisfied[index] == true {
                    figures.entries.append(Double(second) - since)
                    approached[index] = -1
                }
            }
            for reading in monitor.readings(of: nil, at: now) {
                guard let accuracy = reading.accuracy, let number = reading.identity.minor else { continue }
                let distance = hypot(place - beacons[Int(number)].position, 2)
                // Farther ones are heard only when fading favours them.
                guard distance < 10 else { continue }
                figures.readings += 1
                if distance <= accuracy { figures.held += 1 }
            }
        }
        return figures
    }

    @Test(arguments: [
        (0.1, false), (0.1, true), (1, false), (1, true),
    ])
    func `entries come within 10 s, and false events at most once in 10 h`(interval: Double, saves: Bool) throws {
        var total = Figures()
        for seed in 1...4 as ClosedRange<UInt64> {
            let one = try walk(seed: seed, hours: 5, interval: interval, saves: saves)
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
                + "\(total.events) events, \(total.falseEvents) of them false, \(sorted.count) entries (\(total.missed) missed), "
                + "99 % within \(late) s, at most \(sorted.last ?? 0) s; "
                + "distance held in \((share * 1000).rounded() / 10) %")
        #expect(Double(total.falseEvents) <= 0.1 * total.hours)
        #expect(late <= 10 && total.missed == 0)
        #expect((0.63...0.78).contains(share))
    }
}
