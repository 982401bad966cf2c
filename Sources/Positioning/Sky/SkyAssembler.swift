import Chronology
import NMEA

/// Puts GSV rounds and GSA lists together into one view of the sky; `PUBX,03` where a u-blox receiver sends no GSV.
///
/// A round is one talker's set for one signal, or of several that are counted through: Trimble's R2 counts one round through all its
/// talkers, Quectel's LC79D through the signals of a talker. It is called by what it begins with, and replaces the round before it only when
/// it is complete, so that a lost sentence does not empty the sky. Allocates only while it grows.
public struct SkyAssembler: Sendable {
    /// A round that has not been renewed for this long is forgotten. Receivers send GSV every epoch or every fifth; a duty-cycled one rests
    /// longer, but then its whole view is old.
    static let forgetting = Instant.Span.seconds(30)
    /// Rounds kept: 7 systems of 4 signals, with room.
    private static let mostRounds = 32
    /// Satellites in one round: 32 sentences of 4 is what GSV can say, 64 what any sky holds.
    private static let mostSatellites = 64
    /// Stands for a talker in the round of `PUBX,03`: no standard sentence has one that begins with `P` and goes on with `U`.
    private static let ublox: UInt16 = 0x5055

    private struct Round: Sendable {
        var talker: UInt16
        var signal: UInt8?
        var completed: Instant?
        /// Index of the next sentence that continues this round.
        var next: UInt8 = 1
        /// Sentences and satellites that its first sentence announced.
        var total: UInt8 = 0
        var inView: UInt8?
        var complete: [Satellite] = []
        var coming: [Satellite] = []

        mutating func finish(at now: Instant) {
            swap(&complete, &coming)
            coming.removeAll(keepingCapacity: true)
            next = 1
            completed = now
        }
    }

    private var rounds: [Round] = []
    /// The round of the latest GSV.
    private var latest: Int?
    private var usedNow: [Satellite] = []
    private var usedBefore: [Satellite] = []
    /// An assembler that has heard nothing.
    public init() {}

    private(set) var pdop: Double?
    private(set) var hdop: Double?
    private(set) var vdop: Double?

    /// Takes one sentence of a round.
    public mutating func take(_ gsv: GSV, _ address: Address, at now: Instant) {
        guard let place = gsv.index == 1 ? begin(gsv, address) : continued(by: gsv, address, at: now) else { return }
        latest = place
        rounds[place].next &+= 1
        for at in 0..<Int(gsv.count) where rounds[place].coming.count < SkyAssembler.mostSatellites {
            rounds[place].coming.append(Satellite(gsv.satellites[at], address, gsv))
        }
        guard gsv.index >= gsv.total else { return }
        rounds[place].finish(at: now)
    }

    /// Takes one part of a `PUBX,03`.
    public mutating func take(_ part: PUBX03, at now: Instant) {
        guard let place = place(SkyAssembler.ublox, nil) else { return }
        if part.first == 0 {
            rounds[place].coming.removeAll(keepingCapacity: true)
            rounds[place].next = 0
        }
        guard part.first == rounds[place].next else { return }
        rounds[place].next &+= part.count
        for at in 0..<Int(part.count) where rounds[place].coming.count < SkyAssembler.mostSatellites {
            rounds[place].coming.append(Satellite(part.satellites[at], used: part.isUsed(at)))
        }
        if part.isLast { rounds[place].finish(at: now) }
    }

    /// Takes the satellites used by one constellation, or by all.
    public mutating func take(_ gsa: GSA, _ address: Address) {
        for at in 0..<Int(gsa.count) where usedNow.count < SkyAssembler.mostSatellites * 2 {
            let (system, number) = SatelliteNumber.resolve(Int(gsa.numbers[at]), address, systemID: gsa.systemID.map(Int.init))
            usedNow.append(Satellite(system: system, number: number))
        }
        pdop = Dilution.believable(gsa.pdop) ?? pdop
        hdop = Dilution.believable(gsa.hdop) ?? hdop
        vdop = Dilution.believable(gsa.vdop) ?? vdop
    }

    /// The epoch is over: what GSA named is what was used in it. An epoch without GSA keeps the list before it.
    public mutating func closeEpoch(hadGSA: Bool, hasFix: Bool) {
        if hadGSA || !hasFix { swap(&usedNow, &usedBefore) }
        usedNow.removeAll(keepingCapacity: true)
        if !hasFix { (pdop, hdop, vdop) = (nil, nil, nil) }
    }

    /// How the satellites that this epoch's GSA named stand, before ``closeEpoch(hadGSA:hasFix:)``; without any, where none has come.
    func geometry(at now: Instant) -> SkyGeometry { geometry(of: usedNow, at: now) }

    private func geometry(of used: [Satellite], at now: Instant) -> SkyGeometry {
        var geometry = SkyGeometry()
        for (at, satellite) in used.enumerated() where satellite.number != nil {
            // A receiver of several signals may name a satellite for each.
            let isNew = !used[..<at].contains { $0.system == satellite.system && $0.number == satellite.number }
            guard isNew, let (elevation, azimuth) = direction(of: satellite, at: now) else { continue }
            geometry.add(satellite.system, elevation: elevation, azimuth: azimuth)
        }
        return geometry
    }

    private func direction(of satellite: Satellite, at now: Instant) -> (elevation: Int, azimuth: Int)? {
        for round in rounds {
            guard let completed = round.completed, now - completed < SkyAssembler.forgetting else { continue }
            for seen in round.complete where seen.system == satellite.system && seen.number == satellite.number {
                if let elevation = seen.elevation, let azimuth = seen.azimuth { return (elevation, azimuth) }
            }
        }
        return nil
    }

    /// The sky as it is known at `now`.
    public func view(at now: Instant) -> SkyView {
        var view = SkyView()
        (view.pdop, view.hdop, view.vdop) = (pdop, hdop, vdop)
        if hdop == nil, let derived = geometry(of: usedBefore, at: now).threeD {
            (view.pdop, view.hdop, view.vdop) = (derived.pdop, derived.hdop, derived.vdop)
        }
        let present = rounds.filter { round in round.completed.map { now - $0 < SkyAssembler.forgetting } ?? false }
        let standard = present.filter { $0.talker != SkyAssembler.ublox }
        for var satellite in standard.flatMap(\.complete) {
            satellite.used = usedBefore.contains { $0.system == satellite.system && $0.number == satellite.number && $0.number != nil }
            view.satellites.append(satellite)
        }
        // The same satellites once more, where there are both.
        if standard.isEmpty { view.satellites += present.flatMap(\.complete) }
        return view
    }

    /// The signals of the satellites that this epoch used, or the one before it if this had no GSA; to be asked before ``closeEpoch``.
    func signals(hadGSA: Bool, at now: Instant) -> SkySignals {
        var tally = SkySignals.Tally()
        for satellite in hadGSA ? usedNow : usedBefore { tally.use(satellite) }
        for round in rounds {
            guard let completed = round.completed, now - completed < SkyAssembler.forgetting else { continue }
            for satellite in round.complete { tally.see(satellite) }
        }
        return tally.signals
    }

    private mutating func begin(_ gsv: GSV, _ address: Address) -> Int? {
        guard let place = place(address.talker, gsv.signalID) else { return nil }
        rounds[place].coming.removeAll(keepingCapacity: true)
        rounds[place].next = 1
        rounds[place].total = gsv.total
        rounds[place].inView = gsv.satellitesInView
        return place
    }

    /// The talker's own round of that signal, or where it has none the one that is being counted through; nil where that does not wait for
    /// this sentence.
    private func continued(by gsv: GSV, _ address: Address, at now: Instant) -> Int? {
        if let own = rounds.firstIndex(where: { $0.talker == address.talker && $0.signal == gsv.signalID }) {
            if rounds[own].next == gsv.index { return own }
            if let completed = rounds[own].completed, now - completed < SkyAssembler.forgetting { return nil }
        }
        guard let latest, rounds[latest].next == gsv.index, rounds[latest].total == gsv.total,
            rounds[latest].inView == gsv.satellitesInView
        else { return nil }
        return latest
    }

    private mutating func place(_ talker: UInt16, _ signal: UInt8?) -> Int? {
        if let found = rounds.firstIndex(where: { $0.talker == talker && $0.signal == signal }) { return found }
        guard rounds.count < SkyAssembler.mostRounds else { return nil }
        rounds.append(Round(talker: talker, signal: signal))
        return rounds.count - 1
    }
}

extension Satellite {
    fileprivate init(_ inView: GSV.InView, _ address: Address, _ gsv: GSV) {
        let (system, number) = SatelliteNumber.resolve(Int(inView.number), address, systemID: gsv.systemID.map(Int.init))
        self.init(system: system, number: number, signal: gsv.signalID.map(Int.init))
        see(inView)
    }

    fileprivate init(_ inView: GSV.InView, used: Bool) {
        let (system, number) = SatelliteNumber.resolve(ublox: Int(inView.number))
        self.init(system: system, number: number)
        see(inView)
        self.used = used
    }

    private mutating func see(_ inView: GSV.InView) {
        elevation = inView.elevation.map(Int.init)
        azimuth = inView.azimuth.map(Int.init)
        carrierToNoise = inView.carrierToNoise.map(Int.init)
    }
}
