import Chronology
import NMEA
import Receivers

/// Reads a port with an unknown device until it detects GNSS NMEA or its time is up.
struct ConverterDetection {
    /// The time limit, counted from the first byte. It covers two rounds over all baud rates at 1.2
    /// s each, for a receiver that reports every 2 s. Silence starts no timer, because a receiver
    /// may be switched on later.
    static let timeout = Instant.Span.seconds(60)

    private var firstHeard: Instant?
    private var stream = SentenceStream()
    private var proof = GNSSDetection()

    var isConfirmed: Bool { proof.isConfirmed }
    var deadline: Instant? { isConfirmed ? nil : firstHeard.map { $0 + ConverterDetection.timeout } }

    /// Processes bytes and returns the number of valid sentences.
    ///
    /// - Parameter onFrame: Receives the body of each sentence with a valid checksum.
    mutating func receive(_ bytes: RawSpan, at now: Instant, onFrame: ((RawSpan) -> Void)?) -> Int {
        firstHeard = firstHeard ?? now
        var sentences = 0
        var proof = proof
        stream.push(bytes, onFrame: onFrame) { address, _ in
            sentences += 1
            _ = proof.accept(address: address.description)
        }
        self.proof = proof
        return sentences
    }
}
