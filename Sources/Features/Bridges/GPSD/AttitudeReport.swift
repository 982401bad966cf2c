import Positioning
import Varlink
import Wire

/// gpsd's report of the direction in which the device points (gpsd_json(5), ATT), for receivers
/// with two antennas or a compass. A course is not one: TPV has it.
struct AttitudeReport {
    private let heading: HeadingMessage
    private let degrees: Double
    private let device: String?

    /// Creates the report, or nil if the direction from true north is not known.
    init?(_ heading: HeadingMessage, device: String?) {
        guard heading.source != .course, let degrees = heading.trueHeading else { return nil }
        self.heading = heading
        self.degrees = degrees
        self.device = device
    }

    func write(to object: inout ObjectWriter) {
        object.append("ATT", forKey: "class")
        object.append(device, forKey: "device")
        object.append(heading.timestamp, forKey: "time")
        object.append(degrees, forKey: "heading", places: 3)
    }
}
