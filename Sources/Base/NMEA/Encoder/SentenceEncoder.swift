import Chronology

/// Writes NMEA 0183 sentences with checksum and line end into a byte buffer.
///
/// This is the counterpart of the decoders: it produces the output of a given receiver model. Each
/// sentence has its own method, in one of the neighbouring files. All methods leave a field empty
/// if its value is unknown.
public struct SentenceEncoder: Sendable {
    /// The sentence format of the receiver model.
    public var layout: SentenceLayout
    /// The sentences since the last call of ``takeBytes()``. Only the sentence methods use it.
    var writer = SentenceWriter()

    /// Creates an encoder with an empty buffer.
    public init(layout: SentenceLayout) {
        self.layout = layout
    }

    /// Returns the bytes written so far and empties the buffer.
    public mutating func takeBytes() -> [UInt8] {
        writer.takeBytes()
    }

    /// Writes a sentence from preformatted fields, such as `PMTK011,MTKGPS`. Drops bytes that would
    /// end the sentence early.
    ///
    /// - Parameter body: The text between `$` and `*`.
    public mutating func sentence(_ body: String) {
        writer.appendSentence(body)
    }

    /// Returns one sentence from preformatted fields, with checksum and line end; see
    /// ``sentence(_:)``.
    public static func bytes(ofSentence body: String) -> [UInt8] {
        var writer = SentenceWriter()
        writer.appendSentence(body)
        return writer.takeBytes()
    }
}

// Fields whose decimals the layout determines.
extension SentenceEncoder {
    mutating func beginSentence(_ type: String) {
        writer.beginSentence(talker: layout.talker, type: type)
    }

    mutating func appendTime(of solution: NavigationSolution) {
        writer.appendTimeField(solution.time, decimals: layout.timeDecimals)
    }

    /// Appends latitude, N or S, longitude, E or W; appends four empty fields if either coordinate
    /// is unknown.
    mutating func appendPosition(of solution: NavigationSolution) {
        guard let latitude = solution.latitude, let longitude = solution.longitude else {
            return writer.appendEmptyFields(4)
        }
        let decimals = layout.minuteDecimals
        writer.appendAngleFields(latitude, width: 2, hemispheres: ("N", "S"), decimals: decimals)
        writer.appendAngleFields(longitude, width: 3, hemispheres: ("E", "W"), decimals: decimals)
    }

    mutating func appendDOP(_ value: Double?) {
        if let value {
            writer.appendField(value, places: layout.dopDecimals)
        } else {
            writer.appendField(layout.unknownDOPText)
        }
    }

    mutating func appendField(_ value: Double?, places: Int, unit: String) {
        writer.appendField(value, places: places)
        writer.appendField(value != nil || layout.writesUnitsOfEmptyValues ? unit : "")
    }

    static let knotsPerMetrePerSecond = 3600.0 / 1852
}

extension SentenceEncoder {
    /// Writes GST: standard deviations of the position. The fields of the error ellipse stay empty,
    /// as on most receivers.
    ///
    /// - Parameter rangeError: The root mean square of the errors of the ranges in metres; nil if
    ///   it is not known.
    public mutating func gst(_ solution: NavigationSolution, rangeError: Double? = nil) {
        beginSentence("GST")
        appendTime(of: solution)
        writer.appendField(rangeError, places: 1)
        writer.appendEmptyFields(3)
        for error in [solution.latitudeError, solution.longitudeError, solution.altitudeError] {
            writer.appendField(error, places: errorDecimals)
        }
        writer.endSentence()
    }

    /// Writes GBS: expected errors of the position, without a failed satellite.
    public mutating func gbs(_ solution: NavigationSolution) {
        beginSentence("GBS")
        appendTime(of: solution)
        for error in [solution.latitudeError, solution.longitudeError, solution.altitudeError] {
            writer.appendField(error, places: 1)
        }
        writer.appendEmptyFields(4)
        if layout.version.hasSystemIDs { writer.appendEmptyFields(2) }
        writer.endSentence()
    }

    /// Writes PGRME: Garmin's error estimate as circular error probable (1.1774 standard deviations
    /// of one axis).
    public mutating func pgrme(_ solution: NavigationSolution) {
        let horizontal = solution.latitudeError.map { $0 * 1.1774 }
        let vertical = solution.altitudeError.map { $0 * 0.6745 }
        writer.beginSentence(talker: "P", type: "GRME")
        writer.appendField(horizontal, places: 1)
        writer.appendField("M")
        writer.appendField(vertical, places: 1)
        writer.appendField("M")
        writer.appendField(horizontal.flatMap { h in vertical.map { v in (h * h + v * v).squareRoot() } }, places: 1)
        writer.appendField("M")
        writer.endSentence()
    }

    /// Decimals that match the resolution of the position: a minute with five decimals resolves 2
    /// cm.
    private var errorDecimals: Int { layout.minuteDecimals > 5 ? 3 : layout.minuteDecimals > 4 ? 2 : 1 }
}

extension SentenceEncoder {
    /// Writes ZDA: UTC with a four-digit year.
    public mutating func zda(_ solution: NavigationSolution) {
        beginSentence("ZDA")
        appendTime(of: solution)
        let parts = solution.date?.components
        writer.appendField(parts?.day, width: 2)
        writer.appendField(parts?.month, width: 2)
        writer.appendField(parts?.year, width: 4)
        writer.appendField("00")
        writer.appendField("00")
        writer.endSentence()
    }

    /// Writes DTM: the datum is WGS-84.
    public mutating func dtm() {
        sentence("\(layout.talker)DTM,W84,,0.0,N,0.0,E,0.0,W84")
    }

    /// Writes TXT: a text message.
    ///
    /// - Parameters:
    ///   - text: Printable ASCII. The encoder drops commas and other characters that would break
    ///     the sentence.
    ///   - kind: 0 error, 1 warning, 2 notice, 7 user.
    ///   - talker: Nil for the talker of the layout.
    public mutating func txt(_ text: String, kind: Int = 2, talker: String? = nil) {
        writer.beginSentence(talker: talker ?? layout.talker, type: "TXT")
        writer.appendField(1, width: 2)
        writer.appendField(1, width: 2)
        writer.appendField(kind, width: 2)
        writer.appendField(text.filter { $0 != "," })
        writer.endSentence()
    }

    /// Writes PUBX,00: position, estimated accuracy and velocity in one u-blox sentence.
    public mutating func pubx00(_ solution: NavigationSolution) {
        let hasNoFix = solution.fix == .none
        writer.beginSentence(talker: "P", type: "UBX")
        writer.appendField("00")
        appendTime(of: solution)
        var position = solution
        if hasNoFix { (position.latitude, position.longitude) = (0, 0) }
        appendPosition(of: position)
        writer.appendField(hasNoFix ? 0 : solution.altitude.map { $0 + (solution.geoidSeparation ?? 0) }, places: 3)
        writer.appendField(
            hasNoFix ? "NF" : solution.fix == .autonomous ? "G3" : solution.fix == .estimated ? "DR" : "D3")
        // The accuracy values that a receiver without a fix reports.
        writer.appendField(hasNoFix ? 5_303_316 : solution.horizontalError, places: hasNoFix ? 0 : 1)
        writer.appendField(hasNoFix ? 3_755_313 : solution.altitudeError, places: hasNoFix ? 0 : 1)
        writer.appendField((solution.speed ?? 0) * 3.6, places: 3)
        writer.appendField(solution.course ?? 0, places: 2)
        writer.appendField(-(solution.climb ?? 0), places: 3)
        writer.appendEmptyFields()
        for dop in [solution.hdop, solution.vdop, solution.tdop] { appendDOP(dop) }
        writer.appendField(solution.satellitesUsed)
        writer.appendField(0)
        writer.appendField(0)
        writer.endSentence()
    }
}
