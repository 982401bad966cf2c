import Positioning
import Wire

/// A satellite as it stands in the sky: the signals of one are one.
struct SkyObject: Equatable {
    var system: Constellation
    var number: Int?
    var elevation: Int?
    var azimuth: Int?
    /// The strongest of its signals, dB-Hz.
    var carrierToNoise: Int?
    var used: Bool

    /// "G12"
    var label: String { system.letter + (number.map(String.init) ?? "–") }

    /// The satellites of a receiver, in its order.
    static func merge(_ satellites: [SatelliteMessage]) -> [SkyObject] {
        var objects: [SkyObject] = []
        for satellite in satellites {
            let known = objects.firstIndex { $0.system == satellite.system && $0.number == satellite.number && satellite.number != nil }
            if let known { objects[known].add(satellite) } else { objects.append(SkyObject(satellite)) }
        }
        return objects
    }

    /// Strongest first, then by name, so that the same sky is always the same picture.
    static func ranked(_ objects: [SkyObject]) -> [SkyObject] {
        objects.sorted { a, b in
            let (first, second) = (a.carrierToNoise ?? -1, b.carrierToNoise ?? -1)
            return first == second ? (a.system.rawValue, a.number ?? 0) < (b.system.rawValue, b.number ?? 0) : first > second
        }
    }

    private init(_ satellite: SatelliteMessage) {
        (system, number, used) = (satellite.system, satellite.number, satellite.used)
        (elevation, azimuth, carrierToNoise) = (satellite.elevation, satellite.azimuth, satellite.carrierToNoise)
    }

    private mutating func add(_ satellite: SatelliteMessage) {
        used = used || satellite.used
        elevation = elevation ?? satellite.elevation
        azimuth = azimuth ?? satellite.azimuth
        carrierToNoise = [carrierToNoise, satellite.carrierToNoise].compactMap { $0 }.max()
    }
}

/// How strong a signal is, for the eye.
enum SignalStrength {
    /// dB-Hz at which a bar is empty, and full: about what receivers still track, and the best an open sky gives.
    static let range = 10.0...50.0

    /// 0 ... 1.
    static func share(_ carrierToNoise: Int) -> Double {
        (min(max(Double(carrierToNoise), range.lowerBound), range.upperBound) - range.lowerBound) / (range.upperBound - range.lowerBound)
    }

    /// Red is hardly heard, bright green is as good as it gets.
    static func colour(_ carrierToNoise: Int?) -> Style.Colour? {
        guard let carrierToNoise else { return nil }
        return carrierToNoise < 20 ? .red : carrierToNoise < 30 ? .yellow : carrierToNoise < 40 ? .green : .brightGreen
    }

    /// Blocks, the upmost first, filled from below as far as the signal is strong; a dot at the bottom for a satellite that is not heard.
    static func blocks(_ carrierToNoise: Int?, rows: Int) -> [String] {
        let blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let rows = max(1, rows)
        guard let carrierToNoise else { return Array(repeating: " ", count: rows - 1) + ["·"] }
        let filled = max(1, Int((share(carrierToNoise) * Double(8 * rows)).rounded()))
        return (0..<rows).reversed().map { blocks[min(8, max(0, filled - $0 * 8))] }
    }

    /// How a satellite is drawn.
    static func style(_ object: SkyObject) -> Style {
        Style(colour: colour(object.carrierToNoise), isBold: object.used, isDim: !object.used)
    }
}
