import Chronology
import NMEA

/// Combines GSV rounds and GSA lists into one view of the sky; uses `PUBX,03` if a u-blox receiver
/// sends no GSV.
///
/// A round is one talker's set of sentences for one signal, or a set with continuous numbering over
/// several. Trimble's R2 numbers one round across all talkers, Quectel's LC79D across the signals
/// of a talker. The first sentence identifies the round. A round replaces the previous one only
/// when complete, so that a lost sentence does not empty the sky. Allocates only while it grows.
public struct SkyAssembler: Sendable {
    /// The age after which a round expires. Receivers send GSV every epoch or every fifth. A
    /// duty-cycled receiver sleeps longer, but then its whole view is old.
    static let roundLifetime = Instant.Span.seconds(30)
    /// The maximum number of rounds: 7 systems of 4 signals, with some reserve.
    private static let maxRounds = 32
    /// The maximum number of satellites in one round. GSV allows 32 sentences of 4; no sky has more
    /// than 64.
    private static let maxSatellites = 64
    /// The pseudo talker of the `PUBX,03` round. No standard talker is `PU`.
    private static let ublox: UInt16 = 0x5055

    private struct Round: Sendable {
        var talker: UInt16
        var signal: UInt8?
        var completed: Instant?
        /// The index of the next sentence of this round.
        var next: UInt8 = 1
        /// The number of sentences that the first sentence announced; ``inView`` is the number of
        /// satellites.
        var total: UInt8 = 0
        var inView: UInt8?
        var complete: [VisibleSatellite] = []
        var pending: [VisibleSatellite] = []

        mutating func finish(at now: Instant) {
            swap(&complete, &pending)
            pending.removeAll(keepingCapacity: true)
            next = 1
            completed = now
        }
    }

    private var rounds: [Round] = []
    /// The index of the round of the latest GSV.
    private var latest: Int?
    private var usedNow: [VisibleSatellite] = []
    private var usedBefore: [VisibleSatellite] = []
    /// Creates an assembler without any data.
    public init() {}

    private(set) var pdop: Double?
    private(set) var hdop: Double?
    private(set) var vdop: Double?

    /// Adds one sentence of a round.
    public mutating func add(_ gsv: GSV, from address: Address, at now: Instant) {
        guard let roundIndex = gsv.sentenceIndex == 1 ? begin(gsv, from: address) : continued(by: gsv, address, at: now)
        else { return }
        latest = roundIndex
        // Cannot wrap: it follows the index of a valid sentence.
        rounds[roundIndex].next &+= 1
        for index in 0..<Int(gsv.count) where rounds[roundIndex].pending.count < SkyAssembler.maxSatellites {
            rounds[roundIndex].pending.append(VisibleSatellite(gsv.satellites[index], in: gsv, from: address))
        }
        guard gsv.sentenceIndex >= gsv.sentenceCount else { return }
        rounds[roundIndex].finish(at: now)
    }

    /// Adds one part of a `PUBX,03`.
    public mutating func add(_ part: PUBX03, at now: Instant) {
        guard let roundIndex = roundIndex(talker: SkyAssembler.ublox, signal: nil) else { return }
        if part.precedingCount == 0 {
            rounds[roundIndex].pending.removeAll(keepingCapacity: true)
            rounds[roundIndex].next = 0
        }
        guard part.precedingCount == rounds[roundIndex].next else { return }
        // Cannot wrap: it is the number of satellites in one sentence.
        rounds[roundIndex].next &+= part.count
        for index in 0..<Int(part.count) where rounds[roundIndex].pending.count < SkyAssembler.maxSatellites {
            rounds[roundIndex].pending.append(VisibleSatellite(part.satellites[index], used: part.isUsed(at: index)))
        }
        if part.isLast { rounds[roundIndex].finish(at: now) }
    }

    /// Adds the satellites used, of one constellation or of all.
    public mutating func add(_ gsa: GSA, from address: Address) {
        for index in 0..<Int(gsa.count) where usedNow.count < SkyAssembler.maxSatellites * 2 {
            let (system, number) = SatelliteNumber.resolve(
                Int(gsa.numbers[index]), address: address, systemID: gsa.systemID.map(Int.init))
            usedNow.append(VisibleSatellite(system: system, number: number))
        }
        pdop = Dilution.plausible(gsa.pdop) ?? pdop
        hdop = Dilution.plausible(gsa.hdop) ?? hdop
        vdop = Dilution.plausible(gsa.vdop) ?? vdop
    }

    /// Ends the epoch: the satellites of its GSA are those used. An epoch without GSA keeps the
    /// previous list.
    public mutating func closeEpoch(hadGSA: Bool, hasFix: Bool) {
        if hadGSA || !hasFix { swap(&usedNow, &usedBefore) }
        usedNow.removeAll(keepingCapacity: true)
        if !hasFix { (pdop, hdop, vdop) = (nil, nil, nil) }
    }

    /// The number of satellites in this epoch's GSA, over all systems; nil if it lists none. Read
    /// this before ``closeEpoch(hadGSA:hasFix:)``.
    var usedCount: Int? {
        let used = usedNow.span
        var count = 0
        for index in used.indices where used[index].number != nil && isNew(at: index, in: used) { count += 1 }
        return count > 0 ? count : nil
    }

    /// Whether no earlier entry is the same satellite. A receiver with several signals may list a
    /// satellite once per signal.
    private func isNew(at index: Int, in used: Span<VisibleSatellite>) -> Bool {
        let number = used[index].number
        for earlier in 0..<index where used[earlier].number == number {
            if used[earlier].system == used[index].system { return false }
        }
        return true
    }

    /// Returns the geometry of the satellites in this epoch's GSA; empty without GSA. Call this
    /// before ``closeEpoch(hadGSA:hasFix:)``.
    func geometry(at now: Instant) -> SkyGeometry { geometry(of: usedNow, at: now) }

    private func geometry(of used: [VisibleSatellite], at now: Instant) -> SkyGeometry {
        var geometry = SkyGeometry()
        for (index, satellite) in used.enumerated() where satellite.number != nil {
            guard isNew(at: index, in: used.span), let (elevation, azimuth) = direction(of: satellite, at: now) else {
                continue
            }
            geometry.add(satellite.system, elevation: elevation, azimuth: azimuth)
        }
        return geometry
    }

    private func direction(of satellite: VisibleSatellite, at now: Instant) -> (elevation: Int, azimuth: Int)? {
        for round in rounds {
            guard let completed = round.completed, now - completed < SkyAssembler.roundLifetime else { continue }
            for inView in round.complete where inView.system == satellite.system && inView.number == satellite.number {
                if let elevation = inView.elevation, let azimuth = inView.azimuth { return (elevation, azimuth) }
            }
        }
        return nil
    }

    /// Returns the sky view at `now`.
    public func view(at now: Instant) -> SkyView {
        var view = SkyView()
        view.pdop = pdop
        view.hdop = hdop
        view.vdop = vdop
        if hdop == nil, let derived = geometry(of: usedBefore, at: now).threeD {
            view.pdop = derived.pdop
            view.hdop = derived.hdop
            view.vdop = derived.vdop
        }
        let current = rounds.filter { round in round.completed.map { now - $0 < SkyAssembler.roundLifetime } ?? false }
        let standard = current.filter { $0.talker != SkyAssembler.ublox }
        for var satellite in standard.flatMap(\.complete) {
            satellite.used = usedBefore.contains {
                $0.system == satellite.system && $0.number == satellite.number && $0.number != nil
            }
            view.satellites.append(satellite)
        }
        // `PUBX,03` repeats the satellites of GSV if the receiver sends both.
        if standard.isEmpty { view.satellites += current.flatMap(\.complete) }
        return view
    }

    /// Returns the signals of the satellites used in this epoch, or in the previous one if this has
    /// no GSA. Call this before ``closeEpoch``.
    func signals(hadGSA: Bool, at now: Instant) -> SkySignals {
        var tally = SkySignals.Tally()
        for satellite in hadGSA ? usedNow : usedBefore { tally.recordUsed(satellite) }
        for round in rounds {
            guard let completed = round.completed, now - completed < SkyAssembler.roundLifetime else { continue }
            for satellite in round.complete { tally.recordInView(satellite) }
        }
        return tally.signals
    }

    /// Whether the receiver lists the satellites in view, and there are none.
    func showsNoSatellite(at now: Instant) -> Bool {
        let current = rounds.lazy.filter { round in
            round.completed.map { now - $0 < SkyAssembler.roundLifetime } ?? false
        }
        return !current.isEmpty && current.allSatisfy(\.complete.isEmpty)
    }

    private mutating func begin(_ gsv: GSV, from address: Address) -> Int? {
        guard let roundIndex = roundIndex(talker: address.talker, signal: gsv.signalID) else { return nil }
        rounds[roundIndex].pending.removeAll(keepingCapacity: true)
        rounds[roundIndex].next = 1
        rounds[roundIndex].total = gsv.sentenceCount
        rounds[roundIndex].inView = gsv.satellitesInView
        return roundIndex
    }

    /// Returns the round that the sentence continues: the talker's own for that signal, otherwise
    /// the latest. Returns nil if that round expects another sentence.
    private func continued(by gsv: GSV, _ address: Address, at now: Instant) -> Int? {
        if let ownRound = rounds.firstIndex(where: { $0.talker == address.talker && $0.signal == gsv.signalID }) {
            if rounds[ownRound].next == gsv.sentenceIndex { return ownRound }
            if let completed = rounds[ownRound].completed, now - completed < SkyAssembler.roundLifetime { return nil }
        }
        guard let latest, rounds[latest].next == gsv.sentenceIndex, rounds[latest].total == gsv.sentenceCount,
            rounds[latest].inView == gsv.satellitesInView
        else { return nil }
        return latest
    }

    private mutating func roundIndex(talker: UInt16, signal: UInt8?) -> Int? {
        if let found = rounds.firstIndex(where: { $0.talker == talker && $0.signal == signal }) { return found }
        guard rounds.count < SkyAssembler.maxRounds else { return nil }
        rounds.append(Round(talker: talker, signal: signal))
        return rounds.count - 1
    }
}

extension VisibleSatellite {
    fileprivate init(_ inView: GSV.SatelliteInView, in gsv: GSV, from address: Address) {
        let (system, number) = SatelliteNumber.resolve(
            Int(inView.number), address: address, systemID: gsv.systemID.map(Int.init))
        self.init(system: system, number: number, signal: gsv.signalID.map(Int.init))
        setSignal(inView)
    }

    fileprivate init(_ inView: GSV.SatelliteInView, used: Bool) {
        let (system, number) = SatelliteNumber.resolve(ublox: Int(inView.number))
        self.init(system: system, number: number)
        setSignal(inView)
        self.used = used
    }

    private mutating func setSignal(_ inView: GSV.SatelliteInView) {
        elevation = inView.elevation.map(Int.init)
        azimuth = inView.azimuth.map(Int.init)
        carrierToNoise = inView.carrierToNoise.map(Int.init)
    }
}
