import Positioning
import Varlink
import Wire

/// gpsd's report of the standard deviations of a position (gpsd_json(5), GST). It follows from R68,
/// for receivers that send GST.
struct ErrorStatisticsReport {
    private let location: LocationMessage
    private let device: String?

    /// Creates the report, or nil if the receiver does not send GST.
    init?(_ location: LocationMessage, device: String?) {
        guard location.accuracySource == .gst else { return nil }
        self.location = location
        self.device = device
    }

    func write(to object: inout ObjectWriter) {
        let axis = location.horizontalAccuracy * Confidence.axisDeviation
        object.append("GST", forKey: "class")
        object.append(device, forKey: "device")
        object.append(location.timestamp, forKey: "time")
        object.append(axis, forKey: "lat", places: 3)
        object.append(axis, forKey: "lon", places: 3)
        object.append(location.verticalAccuracy, forKey: "alt", places: 3)
    }
}
