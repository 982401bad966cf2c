import Chronology
import Geodesy
import SextantAPI
import Varlink

/// A heading as text.
enum HeadingLine {
    /// Returns a reply as one line, its time first, or why there is no heading.
    static func text(_ reply: HeadingUpdate) -> String {
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

/// The direction of magnetic north at a position, from the World Magnetic Model. The client
/// computes it, not the service: it follows from the location and costs nothing unless requested.
struct MagneticNorth: Equatable {
    /// The angle in degrees from true north to magnetic north, east positive.
    var declination: Double
    /// The course in degrees clockwise from magnetic north, 0 ..< 360.
    var course: Double?

    /// Returns nil without a date, outside the years of the model (2025 to 2029), and near the
    /// magnetic poles.
    init?(_ location: Location) {
        guard let place = Coordinate(latitude: location.latitude, longitude: location.longitude),
            let year = location.timestamp?.decimalYear,
            let field = MagneticField(
                at: place, height: location.ellipsoidalAltitude ?? location.altitude ?? 0, year: year),
            let declination = field.declination
        else { return nil }
        self.declination = declination
        course = location.course.map { course in
            let turned = (course - declination).truncatingRemainder(dividingBy: 360)
            return turned < 0 ? turned + 360 : turned
        }
    }

    /// A text such as "declination 3.6° E".
    var displayText: String {
        "declination \(DecimalText.text(declination.magnitude, decimals: 1))° \(declination < 0 ? "W" : "E")"
    }

    /// A text such as "251° magnetic"; nil without a course.
    var courseText: String? {
        course.map { "\(DecimalText.text($0.rounded().truncatingRemainder(dividingBy: 360), decimals: 0))° magnetic" }
    }
}

extension Message {
    /// Returns the members with two values computed from the position of the message:
    /// `magneticDeclination` and `magneticCourse`, in degrees.
    func withMagneticNorth(of location: Location?) -> [String: JSONValue] {
        func hundredths(_ degrees: Double) -> JSONValue { .double((degrees * 100).rounded() / 100) }
        let north = location.flatMap(MagneticNorth.init)
        var members = members
        members["magneticDeclination"] = north.map { hundredths($0.declination) }
        members["magneticCourse"] = north?.course.map { hundredths($0) }
        return members
    }
}
