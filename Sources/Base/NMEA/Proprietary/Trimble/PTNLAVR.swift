/// Direction of the vector between two antennas (`PTNL,AVR`; Trimble SPSx51 and R750 manuals). Tilt
/// and length are not decoded.
///
/// `PTNL,VHD` is not decoded: its vector may begin at a base station far from the vehicle.
public struct PTNLAVR: Sendable {
    /// UTC of the vector.
    public var time: TimeOfDay?
    /// Degrees clockwise from true north, -180 to 360.
    @Reported public var yaw: Double?
    /// Trimble's quality code: 0 none, 1 autonomous, 2 RTK float, 3 RTK fixed, 4 DGPS.
    public var quality: UInt8?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        yaw = reader.decimal(body)
        // "Yaw", then the tilt or the roll with their names, and the length.
        reader.skip(body, count: 6)
        guard !reader.atEnd(body) else { return nil }
        quality = reader.byte(body)
    }
}
