import Positioning
import SextantAPI

/// A heading as text.
enum HeadingLine {
    /// Returns a reply as one line, its time first, or why there is no heading.
    static func text(_ reply: WatchHeadingReply) -> String {
        guard let heading = reply.heading else {
            let headline = reply.permission.isEmpty ? "the daemon gives no reason" : reply.permission.headline
            return "no heading: \(reply.detail.map(ProgramFormatter.sentence) ?? headline)"
        }
        let parts = [
            directions(heading), variation(heading), heading.source.displayText,
            heading.simulated == true ? "simulated" : nil, heading.receiver,
        ]
        return (heading.timestamp.map { TimeText.moment($0) + " " } ?? "")
            + parts.compactMap { $0 }.joined(separator: " · ")
    }

    /// Returns the directions, such as "218.8° SW true, 216.2° magnetic ±0.6°".
    static func directions(_ heading: Heading) -> String {
        let trueText = heading.trueHeading.map { "\(degrees($0))° \(AngleText.compassPoint($0)) true" }
        let magneticText = heading.magneticHeading.map { "\(degrees($0))° magnetic" }
        let accuracy = heading.headingAccuracy.map { " ±\(DecimalText.text($0, decimals: 1))°" } ?? ""
        return [trueText, magneticText].compactMap { $0 }.joined(separator: ", ") + accuracy
    }

    private static func variation(_ heading: Heading) -> String? {
        heading.variation.map { variation in
            let source = heading.variationSource.map { " (\($0.displayText))" } ?? ""
            let size = DecimalText.text(variation.magnitude, decimals: 1)
            return "variation \(size)° \(variation < 0 ? "W" : "E")" + source
        }
    }

    /// Returns an angle with one decimal, below 360.
    private static func degrees(_ angle: Double) -> String {
        DecimalText.text(((angle * 10).rounded() / 10).truncatingRemainder(dividingBy: 360), decimals: 1)
    }
}

extension HeadingSource: DisplayTextConvertible {
    /// The source of the heading as text.
    var displayText: String {
        switch self {
        case .inertial: "inertial system"
        case .dualAntenna: "two antennas"
        case .ths: "compass (THS)"
        case .hdt: "compass (HDT)"
        case .hdg: "magnetic compass (HDG)"
        case .hdm: "magnetic compass (HDM)"
        case .vhw: "compass (VHW)"
        case .course: "course over ground"
        case .unknown: "unknown source"
        }
    }
}

extension VariationSource: DisplayTextConvertible {
    /// The source of the variation as text.
    var displayText: String {
        switch self {
        case .hdg: "HDG"
        case .rmc: "RMC"
        case .model: "World Magnetic Model"
        case .unknown: rawValue
        }
    }
}
