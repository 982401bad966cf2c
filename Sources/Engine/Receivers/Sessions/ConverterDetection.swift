import Chronology
import NMEA

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
