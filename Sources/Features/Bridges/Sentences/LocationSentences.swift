import Chronology
import NMEA
import SextantAPI

/// Writes a location of the daemon as sentences, for programs that read NMEA 0183.
///
/// These are not the sentences of the receiver: the daemon reports locations, not bytes.
package struct LocationSentences: Sendable {
    /// How HDOP is written.
    package enum DilutionSource: Sendable {
        /// As the daemon reports it.
        case reported
        /// A value from which GeoClue computes an accuracy that is not better than the location's.
        case geoclue
    }

    private let kinds: [SentenceKind]
    private let dilution: DilutionSource
    private var encoder: SentenceEncoder
    private var dilutionBucket = AccuracyBucket()

    /// Creates a writer of these sentences, in this order.
    ///
    /// - Parameter talker: Two letters, such as `GP`.
    package init(_ kinds: [SentenceKind], talker: String = "GP", dilution: DilutionSource = .reported) {
        self.kinds = kinds
        self.dilution = dilution
        var layout = SentenceLayout(version: .v4_0, talker: talker)
        layout.separateGSATalkers = true
        layout.unknownDOPText = ""
        layout.minuteDecimals = 6
        encoder = SentenceEncoder(layout: layout)
    }

    /// Returns the sentences of one epoch, with their line ends.
    ///
    /// - Parameters:
    ///   - location: Nil if there is no position; the sentences then report that.
    ///   - receiver: The receiver, for its satellites and for the time of an epoch without a
    ///     position.
    package mutating func bytes(_ location: Location?, receiver: Receiver?) -> [UInt8] {
        let satellites = receiver?.satellites.compactMap(SentenceEncoder.Satellite.init) ?? []
        let systems = SentenceEncoder.System.allCases.filter { system in satellites.contains { $0.system == system } }
        let solution = solution(location, receiver: receiver)
        for kind in kinds {
            switch kind {
            case .rmc: encoder.rmc(solution)
            case .gga: encoder.gga(solution)
            case .gsa: encoder.gsa(solution, satellites: satellites, systems: systems)
            case .gsv: encoder.gsv(satellites: satellites, systems: systems)
            case .vtg: encoder.vtg(solution)
            case .gst: if solution.latitudeError != nil { encoder.gst(solution) }
            case .zda: encoder.zda(solution)
            }
        }
        return encoder.takeBytes()
    }

    private mutating func solution(_ location: Location?, receiver: Receiver?) -> NavigationSolution {
        var solution = NavigationSolution()
        // The time of a fixed place is that of the host's clock, which must not set a clock.
        if location?.quality != .manual { solution.setTime(location?.timestamp ?? receiver?.lastEpoch) }
        solution.pdop = receiver?.pdop
        solution.vdop = receiver?.vdop
        guard let location else { return solution }
        solution.fix = FAAMode(location.quality)
        solution.latitude = location.latitude
        solution.longitude = location.longitude
        solution.altitude = location.altitude
        if let height = location.ellipsoidalAltitude, let altitude = location.altitude {
            solution.geoidSeparation = height - altitude
        }
        solution.speed = location.speed
        solution.course = location.course
        solution.satellitesUsed = location.satellitesUsed ?? 0
        switch dilution {
        case .reported: solution.hdop = location.hdop
        case .geoclue: solution.hdop = dilutionBucket.dilution(forAccuracy: location.horizontalAccuracy)
        }
        if location.accuracySource == .gst {
            let axis = location.horizontalAccuracy * Confidence.axisDeviation
            solution.latitudeError = axis
            solution.longitudeError = axis
            solution.altitudeError = location.verticalAccuracy
        }
        return solution
    }
}

extension NavigationSolution {
    fileprivate mutating func setTime(_ time: UTCTime?) {
        guard let time else { return }
        self.time = time.millisecondsOfDay
        date = time.date
    }
}

extension FAAMode {
    /// The mode of a location, which always has a position.
    fileprivate init(_ quality: FixQuality) {
        self =
            switch quality {
            case .none, .autonomous, .simulated, .unknown: .autonomous
            case .manual: .manual
            case .differential: .differential
            case .precise: .precise
            case .rtkFixed: .rtkFixed
            case .rtkFloat: .rtkFloat
            case .estimated: .estimated
            }
    }
}

extension SentenceEncoder.Satellite {
    /// Creates a satellite of a system that the encoder knows; SBAS satellites have GPS numbers
    /// from 33.
    fileprivate init?(_ satellite: Satellite) {
        guard let number = satellite.number, (1...999).contains(number) else { return nil }
        let system: SentenceEncoder.System
        switch satellite.system {
        case .gps, .sbas: system = .gps
        case .glonass: system = .glonass
        case .galileo: system = .galileo
        case .beidou: system = .beidou
        case .qzss: system = .qzss
        case .navic: system = .navic
        case .imes, .unknown: return nil
        }
        self.init(system: system, number: satellite.system == .sbas ? number - 87 : number)
        elevation = satellite.elevation
        azimuth = satellite.azimuth
        carrierToNoise = satellite.carrierToNoise
        isUsed = satellite.used
    }
}

/// A sentence that a bridge writes.
package enum SentenceKind: String, CaseIterable, Sendable {
    /// Position, speed, course and date.
    case rmc
    /// Position, quality and altitude.
    case gga
    /// The satellites used and the dilutions of precision.
    case gsa
    /// The satellites in view.
    case gsv
    /// Course and speed.
    case vtg
    /// Standard deviations of the position.
    case gst
    /// UTC.
    case zda
}

/// The HDOP from which GeoClue computes an accuracy.
///
/// GeoClue knows accuracies of 0, 1, 3, 50, 100 and 300 m and takes them from HDOP up to 1, 2, 5,
/// 10, 20 and above (gclue-nmea-utils.c of GeoClue 2.6). While the device does not move, it ignores
/// positions with a larger accuracy than the last. The bucket therefore changes down only when the
/// accuracy is clearly better.
struct AccuracyBucket {
    private struct Bucket {
        let accuracy: Double
        let dilution: Double
    }

    /// The largest R68 in metres that GeoClue can express. It would take a larger one as this one.
    static let maxAccuracy = 300.0

    private static let buckets = [
        Bucket(accuracy: 3, dilution: 5), Bucket(accuracy: 50, dilution: 10), Bucket(accuracy: 100, dilution: 20),
        Bucket(accuracy: maxAccuracy, dilution: 25),
    ]
    /// The factor by which an accuracy must be better than the limit of a smaller bucket.
    private static let margin = 0.8

    private var current = 0

    /// Returns HDOP for an R68 in metres.
    mutating func dilution(forAccuracy accuracy: Double) -> Double {
        let least = AccuracyBucket.buckets.firstIndex { accuracy <= $0.accuracy } ?? AccuracyBucket.buckets.count - 1
        let clear =
            AccuracyBucket.buckets.firstIndex { accuracy <= $0.accuracy * AccuracyBucket.margin }
            ?? AccuracyBucket.buckets.count - 1
        current = current < least ? least : min(current, max(clear, least))
        return AccuracyBucket.buckets[current].dilution
    }
}
