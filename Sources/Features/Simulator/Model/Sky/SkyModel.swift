import Chronology
import NMEA

/// A plausible sky: the positions and signal strengths of satellites.
///
/// It does not model the real constellations. Each satellite rises at one azimuth and sets at
/// another, both from a table of random numbers, and repeats every twelve hours. The model is a
/// pure function of seed and time.
package struct SkyModel: Sendable {
    private let seed: UInt64
    private let signals: [SentenceEncoder.System: [Int]]
    /// The constellations in the receiver's output order.
    package let systems: [SentenceEncoder.System]

    /// Creates a sky.
    ///
    /// - Parameters:
    ///   - seed: Random seed; equal seeds give equal skies.
    ///   - constellations: Each system with the NMEA 4.10 IDs of its signals, the main one first.
    package init(seed: UInt64, constellations: [(system: SentenceEncoder.System, signals: [Int])]) {
        self.seed = seed
        systems = constellations.map(\.system)
        signals = Dictionary(constellations.map { ($0.system, $0.signals) }, uniquingKeysWith: { first, _ in first })
    }

    /// How much of the sky the receiver has acquired.
    package enum SatelliteAcquisition: Sendable, Equatable {
        /// Searching without ephemerides; `progress` is the part of the acquisition that is
        /// complete, 0 ... 1.
        case searching(progress: Double)
        /// Ephemerides are known; no satellites are received.
        case blocked
        /// Ephemerides are known; `progress` 0 ... 1 is the share of satellites received again.
        case reacquiring(progress: Double)
        /// All satellites above the horizon mask are received and usable.
        case clear
    }

    /// Returns the satellites in view, one entry per signal, ordered by constellation.
    package func view(at time: UTCTime, acquisition: SatelliteAcquisition) -> [SentenceEncoder.Satellite] {
        systems.flatMap { system in
            let slots = (1...slots(of: system)).compactMap {
                satellite(of: system, slot: $0, at: time, acquisition: acquisition)
            }
            return (signals[system] ?? [1]).enumerated().flatMap { index, signal in
                slots.map { SkyModel.measurement(of: $0, signal: signal, isSecondary: index > 0) }
            }
        }
    }

    private func slots(of system: SentenceEncoder.System) -> Int {
        switch system {
        case .gps: 31
        case .glonass, .galileo: 24
        case .beidou: 27
        case .qzss: 4
        case .navic: 7
        }
    }

    /// Returns a random number in 0 ..< 1 that is fixed for a satellite; `column` distinguishes its
    /// uses.
    private func randomFraction(of system: SentenceEncoder.System, slot: Int, column: Int) -> Double {
        SplitMix.fraction(seed: seed, row: system.rawValue * 64 + slot, column: column)
    }

    /// Returns a satellite above the horizon mask, on its main signal; nil if it is not visible.
    private func satellite(
        of system: SentenceEncoder.System, slot: Int, at time: UTCTime, acquisition: SatelliteAcquisition
    ) -> SentenceEncoder.Satellite? {
        let period = 43_082_000  // milliseconds: half a sidereal day, the period of a GPS orbit
        let orbits =
            Double(time.milliseconds % Int64(period)) / Double(period)
            + randomFraction(of: system, slot: slot, column: 0)
        let share = (orbits - orbits.rounded(.down)) / SkyModel.upShare
        guard share < 1 else { return nil }
        let x = share * 2 - 1
        let elevation = (12 + 76 * randomFraction(of: system, slot: slot, column: 1)) * (1 - x * x)
        guard elevation >= 3 else { return nil }
        let sweep = (randomFraction(of: system, slot: slot, column: 3) < 0.5 ? -1 : 1) * 70.0 * x
        let azimuth = (randomFraction(of: system, slot: slot, column: 2) * 360 + sweep + 720).truncatingRemainder(
            dividingBy: 360)

        var found = SentenceEncoder.Satellite(system: system, number: slot, signal: signals[system]?.first ?? 1)
        (found.elevation, found.azimuth) = (Int(elevation), Int(azimuth) % 360)
        guard isReceived(system, slot: slot, acquisition: acquisition) else {
            if case .searching = acquisition { return nil }
            return found
        }
        let flicker = SplitMix.fraction(
            seed: seed, row: system.rawValue * 64 + slot, column: Int(truncatingIfNeeded: time.milliseconds / 4000))
        found.carrierToNoise = Int(
            25 + 22 * (elevation / 90).squareRoot() + 5 * randomFraction(of: system, slot: slot, column: 4) + 2
                * flicker)
        found.isUsed = acquisition == .clear && elevation >= 8
        if case .searching(let progress) = acquisition, progress < 0.8 { (found.elevation, found.azimuth) = (nil, nil) }
        return found
    }

    /// The share of its period that a satellite spends above the horizon.
    private static let upShare = 0.32

    private func isReceived(_ system: SentenceEncoder.System, slot: Int, acquisition: SatelliteAcquisition) -> Bool {
        switch acquisition {
        case .clear: true
        case .blocked: false
        case .searching(let progress), .reacquiring(let progress):
            randomFraction(of: system, slot: slot, column: 5) < progress
        }
    }

    /// Returns a satellite as measured on one of its signals; secondary signals are weaker.
    private static func measurement(
        of satellite: SentenceEncoder.Satellite, signal: Int, isSecondary: Bool
    ) -> SentenceEncoder.Satellite {
        guard isSecondary else { return satellite }
        var other = satellite
        other.signal = signal
        other.carrierToNoise = satellite.carrierToNoise.map { max($0 - 4, 12) }
        return other
    }
}
