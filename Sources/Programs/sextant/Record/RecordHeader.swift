import Chronology
import Locator
import SextantAPI
import SystemCalls

/// The header lines of a capture that describe its origin, in the format that `Captures` reads.
struct RecordHeader: Equatable {
    /// The name of the recording.
    var title: String
    /// The texts that the receiver sent about itself, newest last.
    var receiverTexts: [String] = []
    /// The product name of the port.
    var product: String?
    /// The host's UTC at the start of the recording.
    var hostDate: UTCTime
    /// The receiver's own date.
    var receiverDate: UTCTime?
    /// A position of the recording in degrees.
    var place: (latitude: Double, longitude: Double)?
    /// Whether the header gives the place unrounded; else rounded to a whole degree.
    var isExact = false
    /// The baud rate in bits per second; nil for a port without baud rate.
    var baud: Int?

    /// The earliest plausible host time: this program's release date. Before it the host has no
    /// valid clock, and the receiver's date is used. Otherwise the host's date is used, because the
    /// receiver's GPS week may have rolled over.
    private static let earliestPlausibleHostDate = UTCTime(rfc3339: SextantVersion.releaseDate)
    /// The maximum number of receiver texts in the header.
    private static let maxTexts = 6

    /// The header, including line ends.
    var text: String {
        let hasClock = RecordHeader.earliestPlausibleHostDate.map { hostDate >= $0 } ?? true
        let date = hasClock ? hostDate : receiverDate ?? hostDate
        let entries = [
            ("Name", title), ("Chipset", chipset), ("Date", date.description), ("Location", location),
            ("Baud", baud.map(String.init) ?? "none"), ("Recorded-with", "sextant \(SextantVersion.current)"),
        ]
        return entries.map { "# \($0): \(TerminalText.sanitized($1))\n" }.joined()
    }

    /// Returns a file name such as "ttyACM0-20261121T072202Z.nmea".
    static func fileName(device: String, at time: UTCTime) -> String {
        let stamp = time.description.prefix(19).filter { $0 != "-" && $0 != ":" }
        return "\(device)-\(stamp)Z.nmea"
    }

    private var chipset: String {
        let reported = receiverTexts.suffix(RecordHeader.maxTexts).joined(separator: "; ")
        return reported.isEmpty ? product ?? "unknown" : reported
    }

    private var location: String {
        guard let place else { return "unknown" }
        let decimals = isExact ? 6 : 0
        return
            "\(DecimalText.text(place.latitude, decimals: decimals)), "
            + "\(DecimalText.text(place.longitude, decimals: decimals))"
            + (isExact ? "" : " (rounded to a degree)")
    }

    static func == (a: RecordHeader, b: RecordHeader) -> Bool { a.text == b.text }
}
