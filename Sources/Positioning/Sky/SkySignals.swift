/// How the satellites' signals come in, in the few numbers that tell of a position's accuracy.
struct SkySignals: Sendable, Equatable {
    /// dB-Hz of the satellites used, on their first frequency; nil where the receiver does not say which it uses, or of less than half of
    /// them how strong they are.
    var medianCarrierToNoise: Int?
    /// Satellites used that are received in the band of L5 (L5, E5, B2) too.
    var twoFrequencies = 0

    /// Counts satellites without allocating.
    struct Tally {
        /// A bit for each satellite used, by constellation.
        private var used = InlineArray<9, UInt64>(repeating: 0)
        private var second = InlineArray<9, UInt64>(repeating: 0)
        /// How many satellites there are of each strength.
        private var strengths = InlineArray<64, UInt8>(repeating: 0)
        private var count = 0

        /// A satellite that the fix stands on.
        mutating func use(_ satellite: Satellite) {
            guard let (row, bit) = Tally.place(satellite) else { return }
            used[row] |= bit
        }

        /// A signal in view; those of satellites that were not used before do not count.
        mutating func see(_ satellite: Satellite) {
            guard let strength = satellite.carrierToNoise, strength > 0, let (row, bit) = Tally.place(satellite), used[row] & bit != 0
            else { return }
            switch SignalBand(satellite) {
            case .first:
                guard count < 255 else { return }
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

        private static func place(_ satellite: Satellite) -> (Int, UInt64)? {
            guard let number = satellite.number else { return nil }
            let first = satellite.system == .sbas ? 120 : 0
            guard (first..<first + 64).contains(number) else { return nil }
            return (satellite.system.row, 1 << UInt64(number - first))
        }
    }
}

/// Where in the spectrum a signal lies (NMEA 0183 4.11, table of signal ids; Quectel's 6 for Galileo's E1).
enum SignalBand {
    /// L1, E1, B1, G1; and what has no signal id.
    case first
    /// L5, E5, B2.
    case fifth
    case other

    init(_ satellite: Satellite) {
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
