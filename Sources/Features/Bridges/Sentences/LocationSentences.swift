import Chronology
import NMEA
import Positioning
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
        solution.setTime((location?.timestamp ?? receiver?.lastEpoch).flatMap { UTCTime(rfc3339: $0) })
        solution.pdop = receiver?.pdop
        solution.vdop = receiver?.vdop
        guard let location else { return solution }
        solution.fix = NavigationSolution.Fix(location.quality)
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

extension NavigationSolution.Fix {
    /// The kind of fix of a location. A location always has a position.
    fileprivate init(_ quality: FixQuality) {
        self =
            switch quality {
            case .none, .autonomous, .manual, .simulated, .unknown: .autonomous
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
    fileprivate init?(_ satellite: SatelliteMessage) {
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
