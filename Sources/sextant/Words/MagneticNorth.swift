import Chronology
import Geodesy
import Wire

/// Where a compass points at a position, by the World Magnetic Model. Made here and not in the service: it follows from what the service says,
/// and costs nothing where nobody asks.
struct MagneticNorth: Equatable {
    /// Degrees from true north to magnetic north, east positive.
    var declination: Double
    /// Degrees clockwise from magnetic north, 0 ..< 360.
    var course: Double?

    /// Nil without a date, outside the years of the model (2025 to 2029), and near the magnetic poles.
    init?(_ location: LocationMessage) {
        guard let place = Coordinate(latitude: location.latitude, longitude: location.longitude),
            let year = location.timestamp.flatMap({ UTCTime(rfc3339: $0) })?.decimalYear,
            let field = MagneticField(at: place, height: location.ellipsoidalAltitude ?? location.altitude ?? 0, year: year),
            let declination = field.declination
        else { return nil }
        self.declination = declination
        course = location.course.map { course in
            let turned = (course - declination).truncatingRemainder(dividingBy: 360)
            return turned < 0 ? turned + 360 : turned
        }
    }

    /// "declination 3.6° E"
    var words: String { "declination \(Fixed.text(declination.magnitude, 1))° \(declination < 0 ? "W" : "E")" }

    /// "251° magnetic"; nil without a course.
    var courseWords: String? {
        course.map { "\(Fixed.text($0.rounded().truncatingRemainder(dividingBy: 360), 0))° magnetic" }
    }
}

/// A reply of the service with what follows from its position: `magneticDeclination` and `magneticCourse`, in degrees, beside its own members.
struct WithMagneticNorth<Reply: Encodable>: Encodable {
    var reply: Reply
    var north: MagneticNorth?

    private enum Members: String, CodingKey {
        case magneticDeclination, magneticCourse
    }

    init(_ reply: Reply, _ location: LocationMessage?) {
        self.reply = reply
        north = location.flatMap(MagneticNorth.init)
    }

    func encode(to encoder: any Encoder) throws {
        try reply.encode(to: encoder)
        var members = encoder.container(keyedBy: Members.self)
        try members.encodeIfPresent(north.map { hundredths($0.declination) }, forKey: .magneticDeclination)
        try members.encodeIfPresent(north?.course.map { hundredths($0) }, forKey: .magneticCourse)
    }

    private func hundredths(_ degrees: Double) -> Double { (degrees * 100).rounded() / 100 }
}
