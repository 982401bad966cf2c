import Chronology
import NMEA
import Receivers

/// Listens to a port behind which anything may be, until it has shown GNSS NMEA or its time is up.
struct ConverterProof {
    /// From the first byte on: long enough for every speed of two rounds of the hunt, at 1.2 s each, with a receiver that reports every
    /// 2 s. Silence proves nothing, and a receiver may be switched on later.
    static let patience = Instant.Span.seconds(60)

    private var firstHeard: Instant?
    private var stream = SentenceStream()
    private var proof = GNSSProof()

    var isProven: Bool { proof.isProven }
    var deadline: Instant? { isProven ? nil : firstHeard.map { $0 + ConverterProof.patience } }

    /// Takes bytes in; returns how many good sentences they held.
    mutating func take(_ bytes: RawSpan, at now: Instant) -> Int {
        firstHeard = firstHeard ?? now
        var sentences = 0
        var proof = proof
        stream.push(bytes) { address, _ in
            sentences += 1
            _ = proof.accept(address: address.description)
        }
        self.proof = proof
        return sentences
    }
}
