/// The UUID of beacons: 16 bytes.
public struct BeaconUUID: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Creates a UUID of 16 bytes; nil if there are more or fewer.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Parses the usual text form, 36 characters of any case; nil for another text.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = parts.joined().compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 32 else { return nil }
        self.init(stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in stride(from: 56, through: 0, by: -8).map { UInt8(half >> UInt64($0) & 0xFF) } }
    }

    /// The usual text form, with capital letters.
    public var description: String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
        return groups.map { digits[$0].joined() }.joined(separator: "-")
    }

    /// Returns whether the bytes of `a` come before those of `b`.
    public static func < (a: BeaconUUID, b: BeaconUUID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

/// One beacon, or the beacons that are meant: all with a UUID, or those with one or both numbers
/// too.
public struct BeaconIdentity: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The UUID. That of an Eddystone beacon has the namespace and the instance, and no numbers.
    public var uuid: BeaconUUID
    /// The first number; nil if the beacon has none, or if every number is meant.
    public var major: UInt16?
    /// The second number, which needs a first one; nil as for ``major``.
    public var minor: UInt16?

    /// Creates an identity. A second number without a first one is left out.
    public init(uuid: BeaconUUID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = major == nil ? nil : minor
    }

    /// Parses `UUID`, `UUID/MAJOR` or `UUID/MAJOR/MINOR`; nil for another text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let uuid = BeaconUUID(String(parts[0])) else { return nil }
        let numbers = parts.dropFirst().map { $0.allSatisfy(\.isNumber) ? UInt16($0) : nil }
        guard numbers.allSatisfy({ $0 != nil }) else { return nil }
        self.init(uuid: uuid, major: numbers.first ?? nil, minor: numbers.count > 1 ? numbers[1] : nil)
    }

    /// The form that is parsed.
    public var description: String {
        ([uuid.description] + [major, minor].compactMap { $0.map(String.init) }).joined(separator: "/")
    }

    /// Returns whether a beacon is one of those that are meant.
    public func contains(_ beacon: BeaconIdentity) -> Bool {
        uuid == beacon.uuid && (major == nil || major == beacon.major) && (minor == nil || minor == beacon.minor)
    }

    /// What means this beacon: itself, and its UUID with fewer numbers.
    public var wider: [BeaconIdentity] {
        var wider = [self]
        if minor != nil { wider.append(BeaconIdentity(uuid: uuid, major: major)) }
        if major != nil { wider.append(BeaconIdentity(uuid: uuid)) }
        return wider
    }

    /// Returns how exactly a beacon is meant: 3 by all that it sends, less for each number that is
    /// left out, and 0 for a stranger.
    public func rank(where isMeant: (BeaconIdentity) -> Bool) -> Int {
        wider.firstIndex(where: isMeant).map { 3 - $0 } ?? 0
    }

    /// Returns whether `a` comes before `b`, in the order of UUID, first and second number.
    public static func < (a: BeaconIdentity, b: BeaconIdentity) -> Bool {
        (a.uuid, a.order) < (b.uuid, b.order)
    }

    private var order: Int { (major.map { Int($0) + 1 } ?? 0) << 17 | (minor.map { Int($0) + 1 } ?? 0) }
}
