import Chronology
import Locator
import Positioning
import SextantAPI
import Varlink

/// gpsd's report of an epoch (gpsd_json(5), TPV). Unknown values are absent.
package struct TPV: Codable, Sendable, Equatable {
    /// Always "TPV".
    package var `class` = "TPV"
    /// The path of the receiver's port.
    package var device: String?
    /// How the position was obtained; absent for satellites alone: 2 differential, 3 and 4 RTK with
    /// fixed and float ambiguities, 5 dead reckoning, 8 simulated, 9 precise.
    package var status: Int?
    /// The fix mode: 1 no fix, 2 two-dimensional, 3 three-dimensional.
    package var mode: Int
    /// The UTC time of the epoch, RFC 3339 with milliseconds.
    package var time: String?
    /// The latitude in degrees.
    package var lat: Double?
    /// The longitude in degrees.
    package var lon: Double?
    /// The altitude in metres above the ellipsoid.
    package var altHAE: Double?
    /// The altitude in metres above mean sea level.
    package var altMSL: Double?
    /// The altitude as earlier versions of gpsd name it: ``altMSL``, else ``altHAE``.
    package var alt: Double?
    /// The errors of the position to the east and north and of the altitude in metres, 95 %.
    package var epx, epy, epv: Double?
    /// The course in degrees from true north.
    package var track: Double?
    /// The speed in metres per second.
    package var speed: Double?
    /// The errors of the course in degrees and of the speed in metres per second, 95 %.
    package var epd, eps: Double?
    /// The height of mean sea level above the ellipsoid in metres.
    package var geoidSep: Double?
    /// The radius that contains the position with a probability of 95 %, in metres.
    package var eph: Double?
    /// The length of ``eph`` and ``epv`` together in metres.
    package var sep: Double?

    /// Creates the report of an epoch without a position.
    package init(withoutFixAt time: String?, device: String? = nil) {
        mode = 1
        self.time = time
        self.device = device
    }

    /// Creates the report of a location of the receiver at the port `device`.
    package init(_ location: Location, device: String? = nil) {
        self.device = device
        status = TPV.status(of: location)
        mode = location.mode == .twoD ? 2 : 3
        // The time of a fixed place is that of the host's clock, which must not set a clock.
        time = location.quality == .manual ? nil : location.timestamp?.description
        lat = location.latitude
        lon = location.longitude
        altHAE = location.ellipsoidalAltitude
        altMSL = location.altitude
        alt = altMSL ?? altHAE
        track = location.course
        speed = location.speed
        epd = location.courseAccuracy.map { $0 * Confidence.linear95 }
        eps = location.speedAccuracy.map { $0 * Confidence.linear95 }
        if let altHAE, let altMSL { geoidSep = altHAE - altMSL }
        eph = location.horizontalAccuracy * Confidence.radius95
        epx = location.horizontalAccuracy * Confidence.axis95
        epy = epx
        epv = location.verticalAccuracy.map { $0 * Confidence.linear95 }
        if let eph, let epv { sep = (eph * eph + epv * epv).squareRoot() }
    }

    /// Creates the report of a fix.
    package init(_ fix: Fix) {
        if let location = Location(ReceiverFix(fix: fix, receiver: "")) {
            self.init(location)
        } else {
            self.init(withoutFixAt: fix.time?.description)
        }
    }

    private static func status(of location: Location) -> Int? {
        if location.simulated == true { return 8 }
        return switch location.quality {
        case .none, .autonomous, .manual, .unknown: nil
        case .differential: 2
        case .rtkFixed: 3
        case .rtkFloat: 4
        case .estimated: 5
        case .simulated: 8
        case .precise: 9
        }
    }

    /// The report as gpsd writes it: the class first, then the members in gpsd's order, with its
    /// numbers of decimals.
    package var report: EncodedObject {
        EncodedObject { object in write(to: &object) }
    }

    func write(to object: inout ObjectWriter) {
        object.append(self.class, forKey: "class")
        object.append(device, forKey: "device")
        object.append(status, forKey: "status")
        object.append(mode, forKey: "mode")
        object.append(time, forKey: "time")
        object.append(lat, forKey: "lat", places: 9)
        object.append(lon, forKey: "lon", places: 9)
        object.append(altHAE, forKey: "altHAE", places: 4)
        object.append(altMSL, forKey: "altMSL", places: 4)
        object.append(alt, forKey: "alt", places: 4)
        object.append(epx, forKey: "epx", places: 3)
        object.append(epy, forKey: "epy", places: 3)
        object.append(epv, forKey: "epv", places: 3)
        object.append(track, forKey: "track", places: 4)
        object.append(speed, forKey: "speed", places: 3)
        object.append(eps, forKey: "eps", places: 2)
        object.append(epd, forKey: "epd", places: 4)
        object.append(geoidSep, forKey: "geoidSep", places: 3)
        object.append(eph, forKey: "eph", places: 3)
        object.append(sep, forKey: "sep", places: 3)
    }
}

/// Factors from accuracies of 68 % to other confidences, for normally distributed errors that are
/// equal in both horizontal axes. gpsd states its errors with 95 % (gpsd_json(5)).
enum Confidence {
    /// From R68 to the radius of 95 %: the square roots of 2 ln 20 and of 2 ln (1 / 0.32) are 2.448
    /// and 1.510 standard deviations of an axis.
    static let radius95 = 1.62
    /// From R68 to the error of one axis with 95 %: 1.960 / 1.510.
    static let axis95 = 1.30
    /// From R68 to the standard deviation of one axis: 1 / 1.510.
    static let axisDeviation = 0.662
    /// From an error of one dimension with 68 % to that with 95 %: 1.960 / 0.994.
    static let linear95 = 1.97
}
