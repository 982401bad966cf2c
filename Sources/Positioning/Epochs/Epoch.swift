import Chronology
import NMEA

/// Everything a receiver said about one moment, as it said it.
public struct Epoch: Sendable {
    /// Time of day of the fix; nil where the receiver does not know it.
    public internal(set) var time: TimeOfDay?
    /// When its first sentence arrived.
    public internal(set) var opened: Instant
    /// When it was found to be over.
    public internal(set) var closed: Instant
    /// Its last sentence.
    public internal(set) var last: LastWord?

    var gga: GGA?
    var rmc: RMC?
    var gll: GLL?
    var gns: GNS?
    var pubx: PUBX00?
    var gst: GST?
    var gbs: GBS?
    var vtg: VTG?
    var zda: ZDA?
    /// Of a maker's own sentence.
    var solution: Solution?
    /// What makers' own sentences say about errors.
    var errors = StatedErrors()
    /// Best fix mode of its GSA sentences, 1 ... 3.
    var fixMode: UInt8?
    var hadGSA = false
    var pdop: Double?
    var hdop: Double?
    var vdop: Double?

    /// The position. Of several that differ: the best talker's, then the one with the most decimals, then the latest.
    ///
    /// A receiver states one point in all its sentences. A chart plotter that restates them does not: B&G's Zeus opens its bursts with GGA
    /// and moves on by decimetres within them. When its clock ticks inside a burst, the stated times join the end of one burst to the head
    /// of the next, a second of travel apart; GGA then comes after others, and GLL, a position and its time and no more, wins.
    private(set) var position: Position?
    private var positionRank = 0
    /// Its GGA came after another core sentence.
    private var hasLateGGA = false

    private var ggaRank = 0
    private var gnsRank = 0
    private var rmcRank = 0
    private var gllRank = 0
    private var vtgRank = 0

    init(opened: Instant) {
        self.opened = opened
        closed = opened
    }

    /// Whether it named the satellites used.
    public var hasSatelliteList: Bool { hadGSA }

    /// Whether any sentence in it tells of a position or its absence.
    var hasCore: Bool { gga != nil || rmc != nil || gll != nil || gns != nil || pubx != nil }

    /// Merges one sentence. Of several talkers that say the same thing, a position outranks none, and `GN` outranks `GP`, and it the rest;
    /// equals are merged by keeping the later one, so repeats change nothing.
    mutating func merge(_ address: Address, _ sentence: Sentence) {
        switch sentence {
        case .gga(let value):
            if gga == nil && hasCore { preferGLL() }
            Epoch.keep(value, consider(address, value.position, value.time), &gga, &ggaRank)
        case .rmc(let value): Epoch.keep(value, consider(address, value.position, value.time), &rmc, &rmcRank)
        case .gll(let value): Epoch.keep(value, consider(address, value.position, value.time, isGLL: true), &gll, &gllRank)
        case .gns(let value): Epoch.keep(value, consider(address, value.position, value.time), &gns, &gnsRank)
        case .vtg(let value): Epoch.keep(value, Epoch.rank(address, nil) + (value.speed == nil ? 0 : 4), &vtg, &vtgRank)
        case .pubx00(let value):
            pubx = value
            _ = consider(address, value.position, value.time)
        case .gst(let value): gst = value
        case .gbs(let value): gbs = value
        case .zda(let value): zda = value
        case .gsa(let value): merge(value)
        case .proprietary(let value): merge(value)
        default: break
        }
    }

    /// Takes the position of a maker's own sentence where no other states one.
    mutating func offer(_ stated: Position?, _ at: TimeOfDay?) {
        guard let stated, position == nil || positionRank < 0 else { return }
        if let at, let time, EpochAssembler.apart(at, time) > EpochAssembler.sameTime { return }
        (position, positionRank) = (stated, -1)
    }

    private mutating func merge(_ gsa: GSA) {
        hadGSA = true
        if let mode = gsa.fixMode, (1...3).contains(mode) { fixMode = max(fixMode ?? 1, mode) }
        pdop = Dilution.believable(gsa.pdop) ?? pdop
        hdop = Dilution.believable(gsa.hdop) ?? hdop
        vdop = Dilution.believable(gsa.vdop) ?? vdop
    }

    private static func keep<Value>(_ value: Value, _ rank: Int, _ slot: inout Value?, _ present: inout Int) {
        guard slot == nil || rank >= present else { return }
        slot = value
        present = rank
    }

    /// Takes a sentence's position if it is better than the present one and of the same moment; returns the sentence's rank.
    private mutating func consider(_ address: Address, _ stated: Position?, _ at: TimeOfDay?, isGLL: Bool = false) -> Int {
        let rank = Epoch.rank(address, stated)
        guard let stated else { return rank }
        if let at, let time, EpochAssembler.apart(at, time) > EpochAssembler.sameTime { return rank }
        offer(stated, rank, isPreferred: isGLL && hasLateGGA)
        return rank
    }

    private mutating func offer(_ stated: Position, _ rank: Int, isPreferred: Bool) {
        let worth = (rank * 16 + Int(stated.decimals)) * 2 + (isPreferred ? 1 : 0)
        if position == nil || worth >= positionRank { (position, positionRank) = (stated, worth) }
    }

    private mutating func preferGLL() {
        hasLateGGA = true
        guard let gll, let stated = gll.position else { return }
        if let at = gll.time, let time, EpochAssembler.apart(at, time) > EpochAssembler.sameTime { return }
        offer(stated, gllRank, isPreferred: true)
    }

    private static func rank(_ address: Address, _ position: Position?) -> Int {
        let talker = address.talker == Talker.combined ? 3 : address.talker == Talker.gps ? 2 : address.isGNSS ? 1 : 0
        return talker + (position == nil ? 0 : 4)
    }
}
