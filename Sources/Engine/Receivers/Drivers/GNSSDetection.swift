import Chronology
import NMEA

/// Detects whether a port carries the NMEA of a GNSS receiver, and not of a compass, an echo
/// sounder or an AIS receiver.
///
/// Detection needs two sentences with valid checksums, each from a GNSS talker and about position
/// or satellites. A single one could be a coincidence: some devices echo data that another program
/// wrote to them.
package struct GNSSDetection: Sendable, Hashable {
    /// The number of sentences needed.
    package static let needed = 2

    /// The talkers of GNSS receivers: NMEA 0183 4.11, older and Chinese variants, and Quectel's PQ.
    static let talkers: Set<String> = ["GP", "GL", "GA", "GB", "GQ", "GI", "GN", "BD", "QZ", "PQ"]
    /// The formatters of sentences about position or satellites.
    static let formatters: Set<String> = ["GGA", "RMC", "GLL", "GNS", "GSA", "GSV"]
    /// Proprietary position sentences: a receiver may be set to send nothing else. PASHR is not
    /// included, because motion sensors report attitude with it.
    static let proprietary: Set<String> = ["PUBX", "PTNL", "PSTI", "PQTMPVT", "PQTMGPS", "PGRMF"]

    private var seen = 0

    /// Creates a detector without sentences.
    package init() {}

    /// Whether the port has shown GNSS NMEA.
    package var isConfirmed: Bool { seen >= Self.needed }

    /// Processes a sentence with a valid checksum.
    ///
    /// - Parameter address: The text between `$` and the first comma: "GNGGA".
    /// - Returns: ``isConfirmed``.
    @discardableResult
    package mutating func accept(address: String) -> Bool {
        guard !isConfirmed, (4...7).contains(address.utf8.count) else { return isConfirmed }
        if Self.proprietary.contains(address) { seen += 1 }
        if Self.isOfReceiver(address) { seen += 1 }
        return isConfirmed
    }

    /// Returns whether an address is that of a receiver's standard sentence about position or
    /// satellites.
    static func isOfReceiver(_ address: String) -> Bool {
        address.utf8.count == 5 && talkers.contains(String(address.prefix(2)))
            && formatters.contains(String(address.suffix(3)))
    }

    /// Processes a sentence with the address as ASCII bytes.
    @discardableResult
    package mutating func accept(address: some Collection<UInt8>) -> Bool {
        guard !isConfirmed, (4...7).contains(address.count) else { return isConfirmed }
        return accept(address: String(decoding: address, as: UTF8.self))
    }
}

/// Reads a port with an unknown device until it detects GNSS NMEA or its time is up.
struct ConverterDetection {
    /// The time limit, counted from the first byte. It covers two rounds over all baud rates at 1.2
    /// s each, for a receiver that reports every 2 s. Silence starts no timer, because a receiver
    /// may be switched on later.
    static let timeout = Instant.Span.seconds(60)

    private var firstReceived: Instant?
    private var stream = SentenceStream()
    private var detection = GNSSDetection()

    var isConfirmed: Bool { detection.isConfirmed }
    var deadline: Instant? { isConfirmed ? nil : firstReceived.map { $0 + ConverterDetection.timeout } }

    /// Processes bytes and returns the number of valid sentences.
    ///
    /// - Parameter onFrame: Receives the body of each accepted sentence. A proprietary one always
    ///   had a valid checksum.
    mutating func receive(_ bytes: RawSpan, at now: Instant, onFrame: ((RawSpan) -> Void)?) -> Int {
        firstReceived = firstReceived ?? now
        var sentences = 0
        var detection = detection
        stream.push(bytes, onFrame: onFrame) { address, _ in
            sentences += 1
            _ = detection.accept(address: address.description)
        }
        self.detection = detection
        return sentences
    }
}
