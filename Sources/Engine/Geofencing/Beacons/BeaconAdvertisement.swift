/// What a beacon sends: its identity, and the strength of its signal at a known distance.
///
/// Formats: iBeacon (Apple, Proximity Beacon Specification R1), AltBeacon
/// (github.com/AltBeacon/spec), and UID frames of Eddystone (github.com/google/eddystone).
public struct BeaconAdvertisement: Sendable, Equatable {
    /// The company identifier of Apple, under which iBeacons send.
    public static let apple: UInt16 = 0x004C
    /// The 16-bit service UUID of Eddystone.
    public static let eddystone: UInt16 = 0xFEAA
    /// The first bytes of an iBeacon's data, behind the company.
    public static let iBeaconPrefix: [UInt8] = [0x02, 0x15]
    /// The first bytes of an AltBeacon's data, behind the company.
    public static let altBeaconPrefix: [UInt8] = [0xBE, 0xAC]
    /// The loss over the first metre that Eddystone states, in decibels: it sends the power at 0 m.
    private static let firstMetre = 41
    /// The plausible strengths at 1 m in dBm. Others are those of beacons that nobody has
    /// calibrated.
    public static let powers = -100 ... -10
    /// The strength at 1 m in dBm that is sent for a beacon that nobody has measured.
    public static let defaultPower = -59

    /// The beacon.
    public var identity: BeaconIdentity
    /// The strength of the signal at 1 m in dBm; nil if what the beacon states is not plausible.
    public var power: Int?

    /// Creates what a beacon sends. A power that is not plausible is left out.
    public init(_ identity: BeaconIdentity, power: Int?) {
        self.identity = identity
        self.power = power.flatMap { BeaconAdvertisement.powers.contains($0) ? $0 : nil }
    }

    /// Decodes the manufacturer data of an advertisement, behind the company; nil if they are none
    /// of an iBeacon or AltBeacon.
    public init?(company: UInt16, data: [UInt8]) {
        let isIBeacon = company == Self.apple && data.count == 23 && data.starts(with: Self.iBeaconPrefix)
        // The last byte of an AltBeacon is the manufacturer's.
        let isAltBeacon = data.count == 24 && data.starts(with: Self.altBeaconPrefix)
        guard isIBeacon || isAltBeacon, let uuid = BeaconUUID(data[2..<18]) else { return nil }
        let identity = BeaconIdentity(
            uuid: uuid, major: UInt16(data[18]) << 8 | UInt16(data[19]), minor: UInt16(data[20]) << 8 | UInt16(data[21])
        )
        self.init(identity, power: Int(Int8(bitPattern: data[22])))
    }

    /// Decodes the service data of Eddystone; nil if they are no UID frame. Its namespace of 10
    /// bytes and instance of 6 become the UUID.
    public init?(eddystone data: [UInt8]) {
        // Two reserved bytes may follow.
        guard data.count == 18 || data.count == 20, data[0] == 0x00, let uuid = BeaconUUID(data[2..<18]) else {
            return nil
        }
        self.init(BeaconIdentity(uuid: uuid), power: Int(Int8(bitPattern: data[1])) - Self.firstMetre)
    }

    /// The manufacturer data of an iBeacon, behind the company. Absent numbers are 0.
    public var iBeaconData: [UInt8] {
        let numbers = [identity.major ?? 0, identity.minor ?? 0].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let strength = UInt8(bitPattern: Int8(clamping: power ?? Self.defaultPower))
        return Self.iBeaconPrefix + identity.uuid.bytes + numbers + [strength]
    }
}

/// Advertisements of one beacon over a second or less.
public struct BeaconSighting: Sendable, Equatable {
    /// The beacon and its power.
    public var beacon: BeaconAdvertisement
    /// The median strength of the signal in dBm; nil if the adapter does not tell it.
    public var strength: Double?
    /// The number of advertisements, 1 or more.
    public var count: Int

    /// Creates a sighting.
    public init(_ beacon: BeaconAdvertisement, strength: Double?, count: Int = 1) {
        self.beacon = beacon
        self.strength = strength
        self.count = count
    }
}

/// The advertisements since the last report, of at most ``BeaconTable/capacity`` beacons.
public struct ReceivedBeacons: Sendable {
    /// The maximum number of advertisements of one beacon that are counted.
    private static let maxCount = 100

    private var received: [BeaconIdentity: (beacon: BeaconAdvertisement, strengths: [Double?])] = [:]

    /// Creates an empty collection.
    public init() {}

    /// Whether nothing was received.
    public var isEmpty: Bool { received.isEmpty }

    /// Records an advertisement. A beacon of a lower rank leaves its place to one of a higher.
    ///
    /// - Parameters:
    ///   - strength: In dBm; nil if the adapter does not tell it.
    ///   - isMeant: As for ``BeaconIdentity/rank(where:)``.
    public mutating func record(
        _ beacon: BeaconAdvertisement, strength: Double?, where isMeant: (BeaconIdentity) -> Bool
    ) {
        let identity = beacon.identity
        if received[identity] == nil, received.count >= BeaconTable.capacity {
            let lowest = received.keys.map { ($0.rank(where: isMeant), $0) }.min(by: <)
            guard let lowest, lowest.0 < identity.rank(where: isMeant) else { return }
            received[lowest.1] = nil
        }
        var strengths = received[identity]?.strengths ?? []
        if strengths.count < ReceivedBeacons.maxCount { strengths.append(strength) }
        received[identity] = (beacon, strengths)
    }

    /// Returns a sighting of each beacon, in order, and forgets them.
    public mutating func take() -> [BeaconSighting] {
        defer { received = [:] }
        return received.values.sorted { $0.beacon.identity < $1.beacon.identity }.map { one in
            let strengths = one.strengths.compactMap { $0 }.sorted()
            return BeaconSighting(
                one.beacon, strength: strengths.isEmpty ? nil : strengths[strengths.count / 2],
                count: one.strengths.count)
        }
    }
}
