import SextantAPI

// A satellite in the sky has all its signals combined, with the carrier-to-noise density of the
// strongest.
extension Satellite {
    /// A label such as "G12".
    var label: String { system.letter + (number.map(String.init) ?? "–") }

    /// Returns the satellites of a receiver in its order. Each combines the entries of its signals.
    static func merge(_ signals: [Satellite]) -> [Satellite] {
        var satellites: [Satellite] = []
        for signal in signals {
            let index = satellites.firstIndex {
                $0.system == signal.system && $0.number == signal.number && signal.number != nil
            }
            if let index { satellites[index].add(signal) } else { satellites.append(signal) }
        }
        return satellites
    }

    /// Returns the satellites strongest first, then by name, so that the same data gives the same
    /// drawing.
    static func ranked(_ satellites: [Satellite]) -> [Satellite] {
        satellites.sorted { a, b in
            let (first, second) = (a.carrierToNoise ?? -1, b.carrierToNoise ?? -1)
            return first == second
                ? (a.system.rawValue, a.number ?? 0) < (b.system.rawValue, b.number ?? 0) : first > second
        }
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

/// The constellations: satellites used and in view, and a bar for each satellite. If space permits,
/// the bars are taller and have numbers.
struct ConstellationTable {
    var satellites: [Satellite]

    private static let countEnd = 17
    private static let barsStart = 19
    /// The maximum rows per constellation: two for the bars, one for the numbers.
    private static let maxRows = 3
    /// The columns of a bar with a number.
    private static let pitch = 3

    /// The constellations in view, in the order of the enumeration.
    var systems: [Constellation] {
        Constellation.allCases.filter { system in satellites.contains { $0.system == system } }
    }

    /// Draws "GPS 8 of 11 ▇▇▆▆▅▅▄▃▂··" in as many rows per constellation as fit.
    func draw(on canvas: inout Canvas, in area: Area) {
        let systems = systems
        guard !systems.isEmpty else { return }
        let widest = systems.map { system in satellites.count { $0.system == system } }.max() ?? 0
        let hasNumbers = widest * ConstellationTable.pitch <= area.width - ConstellationTable.barsStart
        let rows = hasNumbers ? max(1, min(area.height / systems.count, ConstellationTable.maxRows)) : 1
        for (index, system) in systems.prefix(area.height / rows).enumerated() {
            draw(
                system, on: &canvas,
                in: Area(column: area.column, row: area.row + index * rows, width: area.width, height: rows))
        }
    }

    private func draw(_ system: Constellation, on canvas: inout Canvas, in area: Area) {
        let members = Satellite.ranked(satellites.filter { $0.system == system })
        let used = members.count(where: \.used)
        canvas.put(
            system.title, column: area.column, row: area.row, style: used > 0 ? .bold : .dim, limit: area.endColumn)
        canvas.put(
            "\(used) of \(members.count)", before: area.column + ConstellationTable.countEnd, row: area.row,
            style: used > 0 ? .plain : .dim)
        let start = area.column + ConstellationTable.barsStart
        for (index, satellite) in members.enumerated() {
            if area.height == 1 {
                let block = SignalStrength.blocks(satellite.carrierToNoise, rows: 1)[0]
                canvas.put(
                    block, column: start + index, row: area.row, style: SignalStrength.style(satellite),
                    limit: area.endColumn)
            } else {
                draw(satellite, on: &canvas, column: start + index * ConstellationTable.pitch, in: area)
            }
        }
    }

    /// Draws a bar two columns wide above its number.
    private func draw(_ satellite: Satellite, on canvas: inout Canvas, column: Int, in area: Area) {
        for (index, block) in SignalStrength.blocks(satellite.carrierToNoise, rows: area.height - 1).enumerated() {
            canvas.put(
                block + block, column: column, row: area.row + index, style: SignalStrength.style(satellite),
                limit: area.endColumn)
        }
        let number = satellite.number.map(String.init) ?? "–"
        canvas.put(
            String(number.suffix(2)), column: column, row: area.endRow - 1, style: satellite.used ? .plain : .dim,
            limit: area.endColumn)
    }
}
