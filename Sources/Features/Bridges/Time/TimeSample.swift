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
    /// The true time minus that of the clock, in seconds.
    package let offset: Double

    /// Creates a measurement.
    package init(moment: Moment, seconds: Int64, nanoseconds: Int64, offset: Double) {
        self.moment = moment
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.offset = offset
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
