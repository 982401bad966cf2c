import Chronology
import Glibc

@_exported import enum SextantAPI.BeaconZone

/// The beacons that were received lately: which are present, and how far away they are.
///
/// A beacon is present after ``entryCount`` advertisements within ``entryTime``, and absent when
/// none has arrived for ``absence``. One that returns soon must be received for longer: so a beacon
/// at the edge of reception is reported less often. The strength decides nothing
/// (`docs/decisions/0021`).
public struct BeaconTable: Sendable {
    /// The number of advertisements within ``entryTime`` that make a beacon present.
    public static let entryCount = 3
    /// The time within which these advertisements must arrive.
    public static let entryTime = Instant.Span.seconds(10)
    /// How long after its absence a beacon returns soon, and how far apart the first and the last
    /// of its advertisements must be then.
    static let returning = (time: Instant.Span.seconds(300), spread: Instant.Span.seconds(5))
    /// The default of ``absence``.
    public static let defaultAbsence = Instant.Span.seconds(30)
    /// The time over which distances are estimated.
    static let rangeTime = Instant.Span.seconds(5)
    /// The maximum number of beacons. Beyond it the one that was received longest ago is forgotten,
    /// strangers first.
    public static let capacity = 256
    /// The maximum number of sightings of a beacon that are kept, one a second.
    private static let maxSightings = 32

    private struct Entry: Sendable {
        var power: Int?
        var sightings: [(at: Instant, strength: Double?, count: Int)] = []
        var isPresent = false
        /// When the beacon became absent; nil if it never was.
        var lost: Instant?
        var zone = BeaconZone.unknown

        var last: Instant? { sightings.last?.at }

        /// The median strength since an instant; nil without a sighting.
        func strength(since start: Instant) -> Double? {
            let recent = sightings.filter { $0.at >= start }.compactMap(\.strength).sorted()
            return recent.isEmpty ? nil : (recent[recent.count / 2] + recent[(recent.count - 1) / 2]) / 2
        }

        /// Returns whether the beacon becomes present with its last advertisement.
        func mayEnter(at now: Instant) -> Bool {
            guard let first = sightings.first, sightings.reduce(0, { $0 + $1.count }) >= BeaconTable.entryCount else {
                return false
            }
            let returns = lost.map { now - $0 < BeaconTable.returning.time } ?? false
            return !returns || now - first.at >= BeaconTable.returning.spread
        }
    }

    /// The time without an advertisement after which a beacon is absent.
    public var absence = BeaconTable.defaultAbsence
    private var entries: [BeaconIdentity: Entry] = [:]

    /// Creates a table without beacons.
    public init() {}

    /// Forgets all beacons.
    public mutating func removeAll() { entries = [:] }

    /// Records advertisements of a beacon.
    ///
    /// - Parameter isWanted: Whether a beacon is not to be displaced by strangers.
    public mutating func record(
        _ sighting: BeaconSighting, at now: Instant, keeping isWanted: (BeaconIdentity) -> Bool = { _ in false }
    ) {
        let identity = sighting.beacon.identity
        var entry = entries[identity] ?? Entry()
        if let last = entry.last, now - last >= absence, entry.isPresent {
            (entry.isPresent, entry.lost) = (false, last + absence)
        }
        entry.sightings.removeAll { now - $0.at > BeaconTable.entryTime }
        entry.power = sighting.beacon.power
        if entry.sightings.count >= BeaconTable.maxSightings { entry.sightings.removeFirst() }
        entry.sightings.append((now, sighting.strength, min(max(sighting.count, 1), 1000)))
        if entry.mayEnter(at: now) { entry.isPresent = true }
        entries[identity] = entry
        guard entries.count > BeaconTable.capacity else { return }
        let ranks = entries.map { (isWanted($0.key) ? 1 : 0, $0.value.last ?? now, $0.key) }
        if let oldest = ranks.min(by: <) { entries[oldest.2] = nil }
    }

    /// Returns the strongest present beacon of those that are meant, and when one of them was last
    /// received; nil if none is present.
    public func present(_ meant: BeaconIdentity, at now: Instant) -> (beacon: BeaconIdentity, last: Instant)? {
        var found: (beacon: BeaconIdentity, last: Instant, strength: Double)?
        for (identity, entry) in entries where entry.isPresent && meant.contains(identity) {
            guard let last = entry.sightings.last, now - last.at < absence else { continue }
            let strength = last.strength ?? -.infinity
            let isBetter = found.map { ($0.strength, identity) < (strength, $0.beacon) } ?? true
            let latest = max(found?.last ?? last.at, last.at)
            found = isBetter ? (identity, latest, strength) : found.map { ($0.beacon, latest, $0.strength) }
        }
        return found.map { ($0.beacon, $0.last) }
    }

    /// Returns whether one of the beacons that are meant was received lately and is not present.
    public func isAppearing(_ meant: BeaconIdentity, at now: Instant) -> Bool {
        entries.contains { identity, entry in
            !entry.isPresent && meant.contains(identity)
                && entry.last.map { now - $0 < BeaconTable.entryTime } ?? false
        }
    }

    /// Returns the distances of the beacons that are meant and were received within ``absence``,
    /// nearest first.
    ///
    /// - Parameter meant: Nil for all beacons.
    public mutating func readings(of meant: BeaconIdentity?, at now: Instant) -> [BeaconReading] {
        var readings: [BeaconReading] = []
        for identity in entries.keys where meant?.contains(identity) ?? true {
            guard var entry = entries[identity], let last = entry.last, now - last < absence else { continue }
            let median = entry.strength(since: now - BeaconTable.rangeTime)
            let distance = entry.power.flatMap { power in median.map { PathLoss.distance(strength: $0, power: power) } }
            entry.zone = BeaconZone(distance: distance, before: entry.zone)
            entries[identity] = entry
            readings.append(
                BeaconReading(
                    identity: identity, zone: entry.zone, strength: median,
                    accuracy: distance.map { $0 * PathLoss.accuracyFactor }, last: last))
        }
        return readings.sorted { ($0.accuracy ?? .infinity, $0.identity) < ($1.accuracy ?? .infinity, $1.identity) }
    }
}

extension BeaconZone {
    /// The upper limits of the zones before the last one, in metres.
    private static let limits: [(zone: BeaconZone, distance: Double)] = [(.immediate, 0.5), (.near, 4)]
    /// The factor by which a distance must be beyond a limit to change the zone.
    private static let hysteresis = 1.25

    /// Creates the zone of a distance in metres. Near a limit it stays what it was before.
    init(distance: Double?, before: BeaconZone) {
        self = distance == nil ? .unknown : .far
        guard let distance else { return }
        for (zone, limit) in BeaconZone.limits {
            let wasWithin = before == .immediate || before == zone
            let factor = before == .unknown ? 1 : wasWithin ? BeaconZone.hysteresis : 1 / BeaconZone.hysteresis
            guard distance <= limit * factor else { continue }
            self = zone
            return
        }
    }
}

/// How far away a beacon is.
public struct BeaconReading: Sendable, Equatable {
    /// The beacon.
    public var identity: BeaconIdentity
    /// The distance as a class.
    public var zone: BeaconZone
    /// The median strength of the signal over 5 s in dBm; nil if nothing arrived.
    public var strength: Double?
    /// The distance in metres within which the beacon is with a probability of 68 %; nil if
    /// unknown.
    public var accuracy: Double?
    /// When the last advertisement arrived.
    public var last: Instant
}

/// The loss of a signal with the distance: `strength = power - 10 * exponent * log10(distance)`.
///
/// The exponent is 2 in free space, and 2 to 3 in rooms, with deviations of 4 to 8 dB from walls
/// and bodies (ITU-R P.1238; `docs/beacons.md`).
enum PathLoss {
    static let exponent = 2.5
    /// The deviation in decibels.
    static let deviation = 6.0
    /// The quantile of the normal distribution for a probability of 68 %, on one side.
    private static let quantile = 0.468
    /// The ratio of the distance that holds the true one with a probability of 68 % to the
    /// estimate: the estimate has a factor of `10 ^ (deviation / (10 * exponent))` either way.
    static let accuracyFactor = pow(10, quantile * deviation / (10 * exponent))

    /// Returns the estimated distance in metres, 0.01 to 1000.
    static func distance(strength: Double, power: Int) -> Double {
        let exponent = (Double(power) - strength) / (10 * PathLoss.exponent)
        return pow(10, min(max(exponent, -2), 3))
    }
}
