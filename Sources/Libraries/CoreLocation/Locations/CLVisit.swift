import Foundation

/// A stay at one place.
open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What a visit consists of.
    struct Content: Sendable {
        var arrival: Date
        var departure: Date
        var coordinate: CLLocationCoordinate2D
        var horizontalAccuracy: CLLocationAccuracy
    }

    let content: Content

    init(content: Content) {
        self.content = content
    }

    /// Creates a visit without coordinate and dates, for tests that subclass it.
    public override init() {
        content = Content(
            arrival: .distantPast, departure: .distantFuture, coordinate: kCLLocationCoordinate2DInvalid,
            horizontalAccuracy: -1)
    }

    /// The time of the arrival; `distantPast` if not known.
    open var arrivalDate: Date { content.arrival }
    /// The time of the departure; `distantFuture` during the visit.
    open var departureDate: Date { content.departure }
    /// The centre of the place.
    open var coordinate: CLLocationCoordinate2D { content.coordinate }
    /// The radius in metres around it that contained the device with a probability of 68 %.
    open var horizontalAccuracy: CLLocationAccuracy { content.horizontalAccuracy }

    /// Place and times as text.
    open override var description: String {
        "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m from \(arrivalDate) to "
            + "\(departureDate)"
    }

    /// Returns the visit itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Visits can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the visit into an archive with keys.
    open func encode(with coder: NSCoder) {
        coder.encode(arrivalDate.timeIntervalSinceReferenceDate, forKey: "arrivalDate")
        coder.encode(departureDate.timeIntervalSinceReferenceDate, forKey: "departureDate")
        coder.encode(coordinate.latitude, forKey: "latitude")
        coder.encode(coordinate.longitude, forKey: "longitude")
        coder.encode(horizontalAccuracy, forKey: "horizontalAccuracy")
    }

    /// Reads a visit from an archive.
    public required init?(coder: NSCoder) {
        content = Content(
            arrival: Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "arrivalDate")),
            departure: Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "departureDate")),
            coordinate: CLLocationCoordinate2D(
                latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude")),
            horizontalAccuracy: coder.decodeDouble(forKey: "horizontalAccuracy"))
    }
}
