import Chronology
import SextantAPI

/// Makes measurements of the host's clock from locations.
///
/// The first locations only confirm the date: a receiver may start with the wrong one. Simulated,
/// reduced and fixed locations are never used. The first byte of a burst is preferred to the end of
/// its sentences, and the two do not alternate: they differ by the length of the burst.
package struct TimeSampler {
    /// The number of locations that must agree before the first measurement.
    private static let confirmations = 4
    /// By how many seconds they may differ. The end of a burst varies by less.
    private static let tolerance = 1.0
    /// The number of locations without a first byte after which their ends are used.
    private static let maxLacking = 4

    private var agreeing = 0
    private var lastOffset: Double?
    private var moment = TimeSample.Moment.firstByte
    /// The number of locations since the last one with a first byte.
    private var lacking = 0
    /// Whether the next location is needed soon, because the last one was only a confirmation.
    package private(set) var needsAnother = false

    /// Creates a sampler without locations.
    package init() {}

    /// Forgets the confirmation, after the receiver had no position.
    package mutating func reset() {
        agreeing = 0
        lastOffset = nil
        needsAnother = false
    }

    /// Returns the measurement of a location, or nil if it is not used.
    ///
    /// - Parameters:
    ///   - age: The time since the end of the location's epoch, in seconds.
    ///   - burstAge: The time since the first byte of its burst, if that was observed.
    ///   - seconds: The host's clock when the reply arrived, with `nanoseconds`.
    package mutating func sample(
        _ location: Location, age: Double, burstAge: Double? = nil, seconds: Int64, nanoseconds: Int64
    ) -> TimeSample? {
        needsAnother = false
        guard location.simulationReason == nil, location.quality != .estimated,
            location.quality != .manual,
            location.accuracySource != .reduced, (0...10).contains(age), (0...10).contains(burstAge ?? age),
            let time = location.timestamp
        else {
            return nil
        }
        let host = UTCTime(milliseconds: 0).advanced(
            by: .seconds(Double(seconds)) + Instant.Span(nanoseconds: nanoseconds))
        let wholeOffset = time.span(since: host).seconds
        // The span has a resolution of 1 ms: the rest of the clock's milliseconds is added.
        let offset = wholeOffset - Double(nanoseconds % 1_000_000) / 1e9 + (burstAge ?? age)
        let agrees = lastOffset.map { abs($0 - offset) <= TimeSampler.tolerance } ?? true
        agreeing = agrees ? min(agreeing + 1, TimeSampler.confirmations) : 1
        lastOffset = offset
        lacking = burstAge == nil ? min(lacking + 1, TimeSampler.maxLacking) : 0
        if burstAge != nil { moment = .firstByte }
        if lacking == TimeSampler.maxLacking { moment = .endOfSentences }
        let isUsed = agreeing == TimeSampler.confirmations && (burstAge != nil) == (moment == .firstByte)
        needsAnother = !isUsed
        return isUsed
            ? TimeSample(moment: moment, seconds: seconds, nanoseconds: nanoseconds, offset: offset) : nil
    }
}

extension Location {
    /// Why the roles that change the machine or call another one do not use the location; nil if
    /// they may.
    package var simulationReason: String? {
        guard simulated == true || quality == .simulated else { return nil }
        return "the receiver \(receiver) is simulated, so its locations are not used; connect a real receiver"
    }
}

/// A measurement of the host's clock.
package struct TimeSample: Equatable, Sendable {
    /// With what the time of an epoch is compared.
    package enum Moment: String, Codable, Sendable {
        /// The arrival of the first byte of its burst.
        case firstByte
        /// The end of its sentences, which depends on the number of satellites.
        case endOfSentences
    }

    /// With what the time of the epoch was compared.
    package let moment: Moment
    /// The time of the host's clock, in seconds and nanoseconds since 1970.
    package let seconds: Int64
    /// See ``seconds``.
    package let nanoseconds: Int64
    /// The true time minus that of the clock, in seconds. Before ``corrected(by:)``, the time of
    /// the epoch minus that of the clock at ``moment``, so that the delay is missing.
    package let offset: Double

    /// Creates a measurement.
    package init(moment: Moment, seconds: Int64, nanoseconds: Int64, offset: Double) {
        self.moment = moment
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.offset = offset
    }

    /// Returns the measurement with the true time at ``moment``, which is the delay later than the
    /// epoch.
    package func corrected(by delay: ByteDelay) -> TimeSample {
        TimeSample(moment: moment, seconds: seconds, nanoseconds: nanoseconds, offset: offset + delay.seconds)
    }

    /// The true time, in seconds and nanoseconds since 1970.
    package var clock: (seconds: Int64, nanoseconds: Int64) {
        let whole = offset.rounded(.down)
        let part = nanoseconds + Int64((offset - whole) * 1e9)
        let carry: Int64 = part >= 1_000_000_000 ? 1 : 0
        let sum = seconds.addingReportingOverflow((Int64(exactly: whole) ?? 0) + carry).partialValue
        return (sum, part - carry * 1_000_000_000)
    }

    /// The datagram for a SOCK reference clock of chrony on this machine (refclock_sock.c):
    /// timeval, offset, pulse, leap second, padding, magic number.
    package var datagram: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
        append(Int(clamping: seconds))
        append(Int(clamping: nanoseconds / 1000))
        append(offset.bitPattern)
        append(Int32(0))
        append(Int32(0))
        append(Int32(0))
        append(Int32(0x534f_434b))
        return bytes
    }
}
