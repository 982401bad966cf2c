/// Whether what comes from a port is the NMEA of a GNSS receiver, and not of a compass, an echo sounder or an AIS receiver.
///
/// Proven by two sentences with good checksums, each from a GNSS talker and about position or satellites. One could be a coincidence: a
/// device that echoes what some other program once wrote to it.
public struct GNSSProof: Sendable, Hashable {
    /// Sentences that make a proof.
    public static let needed = 2

    /// Talkers of GNSS receivers: NMEA 0183 4.11, its older and its Chinese forms, and Quectel's PQ.
    static let talkers: Set<String> = ["GP", "GL", "GA", "GB", "GQ", "GI", "GN", "BD", "QZ", "PQ"]
    /// Sentences about position or satellites.
    static let formatters: Set<String> = ["GGA", "RMC", "GLL", "GNS", "GSA", "GSV"]
    /// Makers' own sentences of position: a receiver may be set to send nothing else. Not PASHR, by which motion sensors tell attitude.
    static let proprietary: Set<String> = ["PUBX", "PTNL", "PSTI", "PQTMPVT", "PQTMGPS", "PGRMF"]

    private var seen = 0

    /// Nothing shown so far.
    public init() {}

    /// Whether the port has shown GNSS NMEA.
    public var isProven: Bool { seen >= Self.needed }

    /// A sentence with a good checksum was read.
    ///
    /// - Parameter address: what stands between `$` and the first comma: "GNGGA".
    /// - Returns: ``isProven``.
    @discardableResult
    public mutating func accept(address: String) -> Bool {
        guard !isProven, (4...7).contains(address.utf8.count) else { return isProven }
        if Self.proprietary.contains(address) { seen += 1 }
        guard address.utf8.count == 5 else { return isProven }
        if Self.talkers.contains(String(address.prefix(2))), Self.formatters.contains(String(address.suffix(3))) { seen += 1 }
        return isProven
    }

    /// The same with the address as bytes of ASCII.
    @discardableResult
    public mutating func accept(address: some Collection<UInt8>) -> Bool {
        guard !isProven, (4...7).contains(address.count) else { return isProven }
        return accept(address: String(decoding: address, as: UTF8.self))
    }
}
