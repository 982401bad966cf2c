import Positioning
import SextantAPI

/// A satellite in the sky, with all its signals combined.
struct SkySatellite: Equatable {
    var system: Constellation
    var number: Int?
    var elevation: Int?
    var azimuth: Int?
    /// The carrier-to-noise density of its strongest signal, dB-Hz.
    var carrierToNoise: Int?
    var used: Bool

    /// A label such as "G12".
    var label: String { system.letter + (number.map(String.init) ?? "–") }

    /// Returns the satellites of a receiver in its order. Each combines the entries of its signals.
    static func merge(_ signals: [Satellite]) -> [SkySatellite] {
        var satellites: [SkySatellite] = []
        for signal in signals {
            let index = satellites.firstIndex {
                $0.system == signal.system && $0.number == signal.number && signal.number != nil
            }
            if let index { satellites[index].add(signal) } else { satellites.append(SkySatellite(signal)) }
        }
        return satellites
    }

    /// Returns the satellites strongest first, then by name, so that the same data gives the same
    /// drawing.
    static func ranked(_ satellites: [SkySatellite]) -> [SkySatellite] {
        satellites.sorted { a, b in
            let (first, second) = (a.carrierToNoise ?? -1, b.carrierToNoise ?? -1)
            return first == second
                ? (a.system.rawValue, a.number ?? 0) < (b.system.rawValue, b.number ?? 0) : first > second
        }
    }

    private init(_ satellite: Satellite) {
        system = satellite.system
        number = satellite.number
        used = satellite.used
        elevation = satellite.elevation
        azimuth = satellite.azimuth
        carrierToNoise = satellite.carrierToNoise
    }

    private mutating func add(_ satellite: Satellite) {
        used = used || satellite.used
        elevation = elevation ?? satellite.elevation
        azimuth = azimuth ?? satellite.azimuth
        carrierToNoise = [carrierToNoise, satellite.carrierToNoise].compactMap { $0 }.max()
    }
}

extension Constellation {
    /// The usual name of the constellation.
    var title: String {
        switch self {
        case .gps: "GPS"
        case .glonass: "GLONASS"
        case .galileo: "Galileo"
        case .beidou: "BeiDou"
        case .qzss: "QZSS"
        case .navic: "NavIC"
        case .sbas: "SBAS"
        case .imes: "IMES"
        case .unknown: "other"
        }
    }

    /// The constellation letter of RINEX 3.05, table 1; "?" if it has none.
    var letter: String {
        switch self {
        case .gps: "G"
        case .glonass: "R"
        case .galileo: "E"
        case .beidou: "C"
        case .qzss: "J"
        case .navic: "I"
        case .sbas: "S"
        case .imes, .unknown: "?"
        }
    }
}
