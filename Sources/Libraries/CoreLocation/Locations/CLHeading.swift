import Foundation

/// A component of the geomagnetic vector in microteslas.
public typealias CLHeadingComponentValue = Double

/// The least change of the heading in degrees that is reported: every change.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

/// The direction of the device.
open class CLHeading: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What a heading consists of.
    struct Content: Sendable {
        var magnetic: CLLocationDirection
        var `true`: CLLocationDirection
        var accuracy: CLLocationDirection
        var timestamp: Date
    }

    let content: Content

    init(content: Content) {
        self.content = content
    }

    /// Creates a heading that is not valid, for tests that subclass it.
    public override init() {
        content = Content(magnetic: 0, true: -1, accuracy: -1, timestamp: Date())
    }

    /// Degrees clockwise from magnetic north.
    open var magneticHeading: CLLocationDirection { content.magnetic }
    /// Degrees clockwise from true north. Negative: unknown.
    open var trueHeading: CLLocationDirection { content.true }
    /// The uncertainty in degrees, 68 %. Negative: the heading is not valid.
    open var headingAccuracy: CLLocationDirection { content.accuracy }
    /// Always 0: receivers do not report the geomagnetic vector.
    open var x: CLHeadingComponentValue { 0 }
    /// Always 0: receivers do not report the geomagnetic vector.
    open var y: CLHeadingComponentValue { 0 }
    /// Always 0: receivers do not report the geomagnetic vector.
    open var z: CLHeadingComponentValue { 0 }
    /// The time of the heading.
    open var timestamp: Date { content.timestamp }

    /// The headings, accuracy and time as text.
    open override var description: String {
        "magneticHeading \(magneticHeading) trueHeading \(trueHeading) accuracy \(headingAccuracy) @ \(timestamp)"
    }

    /// Returns the heading itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Headings can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the heading into an archive with keys.
    open func encode(with coder: NSCoder) {
        coder.encode(magneticHeading, forKey: "magneticHeading")
        coder.encode(trueHeading, forKey: "trueHeading")
        coder.encode(headingAccuracy, forKey: "headingAccuracy")
        coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
    }

    /// Reads a heading from an archive.
    public required init?(coder: NSCoder) {
        content = Content(
            magnetic: coder.decodeDouble(forKey: "magneticHeading"), true: coder.decodeDouble(forKey: "trueHeading"),
            accuracy: coder.decodeDouble(forKey: "headingAccuracy"),
            timestamp: Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "timestamp")))
    }
}
