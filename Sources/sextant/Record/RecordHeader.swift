import Chronology
import Delivery
import Wire

/// The lines at the head of a capture that say where it comes from, as `Captures` reads them.
struct RecordHeader: Equatable {
    /// What the recording is called.
    var title: String
    /// What the receiver says of itself, newest last.
    var says: [String] = []
    /// What its port says it is.
    var product: String?
    /// What this machine took for UTC when the recording began.
    var hostDate: UTCTime
    /// The receiver's own first date.
    var receiverDate: UTCTime?
    /// A position of the recording, degrees.
    var place: (latitude: Double, longitude: Double)?
    /// Whether the place is told as it is; else to a whole degree.
    var isExact = false
    /// Bits per second; nil for a port without a line.
    var baud: Int?

    /// A host that says it is earlier than the program's own release has no clock, and the receiver is believed. Any other host is believed
    /// over the receiver, whose week may have rolled over.
    private static let earliestHost = UTCTime(rfc3339: SextantVersion.released)
    /// Texts of a receiver that still make a line.
    private static let mostTexts = 6

    /// The header with its line ends.
    var text: String {
        let hasClock = RecordHeader.earliestHost.map { hostDate >= $0 } ?? true
        let date = hasClock ? hostDate : receiverDate ?? hostDate
        let entries = [
            ("Name", title), ("Chipset", chipset), ("Date", date.description), ("Location", location),
            ("Baud", baud.map(String.init) ?? "none"), ("Recorded-with", "sextant \(SextantVersion.current)"),
        ]
        return entries.map { "# \($0): \(Columns.harmless($1))\n" }.joined()
    }

    /// "ttyACM0-20261121T072202Z.nmea"
    static func fileName(device: String, at time: UTCTime) -> String {
        let stamp = time.description.prefix(19).filter { $0 != "-" && $0 != ":" }
        return "\(device)-\(stamp)Z.nmea"
    }

    private var chipset: String {
        let own = says.suffix(RecordHeader.mostTexts).joined(separator: "; ")
        return own.isEmpty ? product ?? "unknown" : own
    }

    private var location: String {
        guard let place else { return "unknown" }
        let decimals = isExact ? 6 : 0
        return "\(Fixed.text(place.latitude, decimals)), \(Fixed.text(place.longitude, decimals))" + (isExact ? "" : " (to a degree)")
    }

    static func == (a: RecordHeader, b: RecordHeader) -> Bool { a.text == b.text }
}
