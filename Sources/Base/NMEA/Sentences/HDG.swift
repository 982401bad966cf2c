/// Heading of a magnetic compass (NMEA 0183 HDG). It replaces HDM.
public struct HDG: Sendable {
    /// Degrees clockwise from the north that the sensor shows, before its deviation is added.
    @Reported public var sensorHeading: Double?
    /// Degrees that the magnetism of the vehicle turns the sensor, east positive.
    @Reported public var deviation: Double?
    /// Degrees from true north to magnetic north, east positive.
    @Reported public var variation: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        sensorHeading = reader.decimal(body)
        deviation = reader.angle(body, negativeLetter: UInt8(ascii: "W"))
        variation = reader.angle(body, negativeLetter: UInt8(ascii: "W"))
    }

    /// Degrees clockwise from magnetic north. Without a deviation that of the sensor, because most
    /// compasses correct it themselves and leave the field empty.
    public var magneticHeading: Double? { sensorHeading.map { $0 + (deviation ?? 0) } }
}

extension FieldReader {
    /// Parses a number and the letter of its direction; nil if the number is empty.
    mutating func angle(_ body: RawSpan, negativeLetter: UInt8) -> Double? {
        let size = decimal(body)
        return letter(body) == negativeLetter ? size.map { -$0 } : size
    }
}
