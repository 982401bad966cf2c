/// The properties of the satellites' signals that affect the accuracy of a position.
struct SkySignals: Sendable, Equatable {
    /// The median carrier-to-noise density of the satellites used, on their first frequency, in
    /// dB-Hz. Nil if the receiver does not list the satellites used, or reports the strength of
    /// fewer than half of them.
    var medianCarrierToNoise: Int?
    /// The number of satellites used that are also received in the L5 band (L5, E5, B2).
    var twoFrequencies = 0

    /// Counts satellites without allocating.
    struct Tally {
        /// One bit per satellite used, by constellation.
        private var used = InlineArray<9, UInt64>(repeating: 0)
        private var second = InlineArray<9, UInt64>(repeating: 0)
        /// The number of satellites per signal strength.
        private var strengths = InlineArray<64, UInt8>(repeating: 0)
        private var count = 0

        mutating func recordUsed(_ satellite: VisibleSatellite) {
            guard let (row, bit) = Tally.place(satellite) else { return }
            used[row] |= bit
        }

        /// Records a signal in view. Signals of satellites not recorded as used are ignored.
        mutating func recordInView(_ satellite: VisibleSatellite) {
            guard let strength = satellite.carrierToNoise, strength > 0, let (row, bit) = Tally.place(satellite),
                used[row] & bit != 0
            else { return }
            switch SignalBand(satellite) {
            case .first:
                guard count < 255 else { return }
                // Cannot wrap: `count` limits the sum of all.
                strengths[min(strength, 63)] &+= 1
                count += 1
            case .fifth: second[row] |= bit
            case .other: break
            }
        }

        var signals: SkySignals {
            var signals = SkySignals()
            signals.medianCarrierToNoise = median
            for row in 0..<9 { signals.twoFrequencies += second[row].nonzeroBitCount }
            return signals
        }

        private var median: Int? {
            var satellites = 0
            for row in 0..<9 { satellites += used[row].nonzeroBitCount }
            guard count > 0, count * 2 >= satellites else { return nil }
            var below = 0
            for strength in 0..<64 {
                below += Int(strengths[strength])
                if below * 2 >= count + 1 { return strength }
            }
            return nil
        }

        private static func place(_ satellite: VisibleSatellite) -> (Int, UInt64)? {
            guard let number = satellite.number else { return nil }
            let first = satellite.system == .sbas ? 120 : 0
            guard (first..<first + 64).contains(number) else { return nil }
            return (satellite.system.row, 1 << UInt64(number - first))
        }
    }
}

/// The frequency band of a signal (NMEA 0183 4.11, table of signal ids; Quectel uses 6 for Galileo
/// E1).
enum SignalBand {
    /// L1, E1, B1, G1, and signals without an id.
    case first
    /// L5, E5, B2.
    case fifth
    case other

    init(_ satellite: VisibleSatellite) {
        guard let signal = satellite.signal, signal > 0 else {
            self = .first
            return
        }
        self =
            switch satellite.system {
            case .gps: signal <= 3 ? .first : signal >= 7 ? .fifth : .other
            case .glonass: signal <= 2 ? .first : .other
            case .galileo: signal >= 6 ? .first : signal <= 3 ? .fifth : .other
            case .beidou: signal <= 4 ? .first : signal <= 7 || signal == 11 || signal == 12 ? .fifth : .other
            case .qzss: signal <= 4 ? .first : signal == 7 || signal == 8 ? .fifth : .other
            case .navic: signal == 5 ? .first : signal == 1 || signal == 3 ? .fifth : .other
            case .sbas, .imes, .unknown: .first
            }
    }
}

extension Constellation {
    fileprivate var row: Int {
        switch self {
        case .gps: 0
        case .glonass: 1
        case .galileo: 2
        case .beidou: 3
        case .qzss: 4
        case .navic: 5
        case .sbas: 6
        case .imes: 7
        case .unknown: 8
        }
    }
}
