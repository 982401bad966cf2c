/// A measurement of the host's clock.
package struct TimeSample: Equatable, Sendable {
    /// The time of the host's clock, in seconds and nanoseconds since 1970.
    package let seconds: Int64
    /// See ``seconds``.
    package let nanoseconds: Int64
    /// The true time minus that of the clock, in seconds.
    package let offset: Double

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
