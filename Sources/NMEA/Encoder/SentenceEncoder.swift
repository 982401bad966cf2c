import Chronology

/// Writes NMEA 0183 sentences with checksum and line end into a byte buffer.
///
/// This is the counterpart of the decoders: it produces the output of a given receiver model. Each
/// sentence has its own method, in one of the neighbouring files. All methods leave a field empty
/// if its value is unknown.
public struct SentenceEncoder: Sendable {
    /// The sentence format of the receiver model.
    public var layout: SentenceLayout
    /// All sentences since the last call of ``takeBytes()``.
    public var bytes: [UInt8] { writer.bytes }
    var writer = FieldWriter()

    /// Creates an encoder with an empty buffer.
    public init(layout: SentenceLayout) {
        self.layout = layout
    }

    /// Returns the bytes written so far and empties the buffer.
    public mutating func takeBytes() -> [UInt8] { writer.takeBytes() }

    /// Writes a sentence from preformatted fields, such as `PMTK011,MTKGPS`. Drops bytes that would
    /// end the sentence early.
    ///
    /// - Parameter body: The text between `$` and `*`.
    public mutating func sentence(_ body: String) {
        writer.beginSentence(talker: "", formatter: "")
        writer.append(sanitized: body)
        writer.endSentence()
    }
}

// MARK: Fields that several sentences share
extension SentenceEncoder {
    mutating func timeField(_ milliseconds: Int?) {
        writer.appendTime(milliseconds, decimals: layout.timeDecimals)
    }

    /// Writes latitude, N or S, longitude, E or W; writes four empty fields if either coordinate is
    /// unknown.
    mutating func positionFields(_ solution: NavigationSolution) {
        guard let latitude = solution.latitude, let longitude = solution.longitude else {
            return writer.appendEmptyFields(4)
        }
        let decimals = layout.minuteDecimals
        writer.appendAngle(latitude, width: 2, positive: "N", negative: "S", decimals: decimals)
        writer.appendAngle(longitude, width: 3, positive: "E", negative: "W", decimals: decimals)
    }

    mutating func dopField(_ value: Double?) {
        if let value {
            writer.appendField(value, places: layout.dopDecimals)
        } else {
            writer.appendField(layout.unknownDOPText)
        }
    }

    /// Writes a value and its unit.
    mutating func field(_ value: Double?, places: Int, unit: String) {
        writer.appendField(value, places: places)
        writer.appendField(value != nil || layout.writesUnitsOfEmptyValues ? unit : "")
    }

    static let knotsPerMetrePerSecond = 3600.0 / 1852
}
