import Chronology
import Glibc

@_exported import enum SextantAPI.BeaconZone

/// The beacons that were received lately: which are present, and how far away they are.
///
/// A beacon is present after ``entryCount`` advertisements within ``entryTime``, and absent when
/// none has arrived for ``absence``. One that returns soon must be received for longer, and is
/// absent later: so a beacon at the edge of reception is reported less often. The strength decides
/// nothing (`docs/decisions/0021`).
public struct BeaconTable: Sendable {
    /// The number of advertisements within ``entryTime`` that make a beacon present.
    public static let entryCount = 3
    /// The time within which these advertisements must arrive.
    public static let entryTime = Instant.Span.seconds(10)
    /// How long after its absence a beacon returns soon, and how far apart the first and the last
    /// of its advertisements must be then.
    static let returning = (time: Instant.Span.seconds(300), spread: Instant.Span.seconds(5))
    /// Each such return doubles the absence of the beacon up to this.
    static let maxAbsence = Instant.Span.seconds(240)
    /// The default of ``absence``.
    public static let defaultAbsence = Instant.Span.seconds(30)
    /// The time over which distances are estimated.
    static let rangeTime = Instant.Span.seconds(5)
    /// The maximum number of beacons. Beyond it one of the lowest rank is forgotten, of these the
    /// one that was received longest ago; see ``BeaconIdentity/rank(where:)``.
    public static let capacity = 256
    /// The maximum number of sightings of a beacon that are kept, one a second.
    private static let maxSightings = 32

    private struct Entry: Sendable {
        var power: Int?
        var sightings: [(at: Instant, strength: Double?, count: Int)] = []
        /// Since when the beacon is present; nil if it is not.
        var entered: Instant?
        /// Since when no gap was as long as the configured absence.
        var steady: Instant?
        /// When the beacon became absent; nil if it never was.
        var lost: Instant?
        /// How often it returned soon since it was steady for 300 s. Beyond 5 nothing is doubled.
        var returns = 0
        var zone = BeaconZone.unknown

        var last: Instant? { sightings.last?.at }

        /// The median strength since an instant; nil without a sighting.
        func strength(since start: Instant) -> Double? {
            let recent = sightings.filter { $0.at >= start }.compactMap(\.strength).sorted()
            return recent.isEmpty ? nil : (recent[recent.count / 2] + recent[(recent.count - 1) / 2]) / 2
        }

        /// Makes the beacon present if its last advertisement does; a steady stay ends returns.
        mutating func enter(at now: Instant) {
            if let steady, now - steady >= BeaconTable.returning.time { returns = 0 }
            guard entered == nil, let first = sightings.first,
                sightings.reduce(0, { $0 + $1.count }) >= BeaconTable.entryCount
            else { return }
            let isReturn = lost.map { now - $0 < BeaconTable.returning.time } ?? false
            guard !isReturn || now - first.at >= BeaconTable.returning.spread else { return }
            (entered, steady) = (now, now)
            returns = isReturn ? min(returns + 1, 5) : 0
        }
    }

    /// The time without an advertisement after which a beacon is absent.
    public var absence = BeaconTable.defaultAbsence
    private var entries: [BeaconIdentity: Entry] = [:]
    /// When reception began, last after a sleep of the host.
    private var resumed: Instant?

    /// Creates a table without beacons.
    public init() {}

    /// Forgets all beacons.
    public mutating func removeAll() { entries = [:] }

    /// Begins reception: the time before, a sleep of the host, makes no beacon absent.
    public mutating func resume(at now: Instant) { resumed = now }

    /// Makes the beacons absent that were not received.
    public mutating func expire(at now: Instant) {
        for (identity, var entry) in entries where entry.entered != nil {
            expire(&entry, at: now)
            entries[identity] = entry
        }
    }

    private func expire(_ entry: inout Entry, at now: Instant) {
        guard entry.entered != nil, let end = end(of: entry), end <= now else { return }
        (entry.entered, entry.lost) = (nil, end)
    }

    /// When a beacon is absent if it is not received any more.
    private func end(of entry: Entry) -> Instant? {
        let own = max(absence, min(absence * (1 << entry.returns), BeaconTable.maxAbsence))
        return entry.last.map { max($0, resumed ?? $0) + own }
    }

    /// Records advertisements of a beacon.
    ///
    /// - Parameter isMeant: Whether a condition means exactly these beacons; see
    ///   ``BeaconIdentity/rank(where:)``.
    public mutating func record(
        _ sighting: BeaconSighting, at now: Instant, where isMeant: (BeaconIdentity) -> Bool = { _ in false }
    ) {
        let identity = sighting.beacon.identity
        var entry = entries[identity] ?? Entry()
        expire(&entry, at: now)
        if let last = entry.last, now - last >= absence { entry.steady = now }
        entry.sightings.removeAll { now - $0.at > BeaconTable.entryTime }
        entry.power = sighting.beacon.power
        if entry.sightings.count >= BeaconTable.maxSightings { entry.sightings.removeFirst() }
        entry.sightings.append((now, sighting.strength, min(max(sighting.count, 1), 1000)))
        entry.enter(at: now)
        entries[identity] = entry
        guard entries.count > BeaconTable.capacity else { return }
        let ranks = entries.map { ($0.key.rank(where: isMeant), $0.value.last ?? now, $0.key) }
        if let oldest = ranks.min(by: <) { entries[oldest.2] = nil }
    }

    /// Returns the strongest present beacon of those that are meant, when one of them was last
    /// received, and when the last of them will be absent; nil if none is present.
    public func present(_ meant: BeaconIdentity, at now: Instant) -> BeaconPresence? {
        var found: (presence: BeaconPresence, strength: Double)?
        for (identity, entry) in entries where entry.entered != nil && meant.contains(identity) {
            guard let last = entry.sightings.last, let end = end(of: entry), now < end else { continue }
            let strength = last.strength ?? -.infinity
            let before = found ?? (BeaconPresence(beacon: identity, last: last.at, end: end), strength)
            let isBetter = (before.strength, identity) <= (strength, before.presence.beacon)
            let presence = BeaconPresence(
                beacon: isBetter ? identity : before.presence.beacon, last: max(before.presence.last, last.at),
                end: max(before.presence.end, end))
            found = (presence, max(before.strength, strength))
        }
        return found?.presence
    }

    /// Returns whether one of the beacons that are meant was received lately and is not present.
    public func isAppearing(_ meant: BeaconIdentity, at now: Instant) -> Bool {
        entries.contains { identity, entry in
            entry.entered == nil && meant.contains(identity)
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

/// A present beacon of those that are meant.
public struct BeaconPresence: Sendable, Equatable {
    /// The strongest of them.
    public var beacon: BeaconIdentity
    /// When one of them was last received.
    public var last: Instant
    /// When all are absent if none is received any more.
    public var end: Instant
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
