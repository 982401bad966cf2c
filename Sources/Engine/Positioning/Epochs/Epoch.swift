import Chronology
import NMEA

/// All data that a receiver reports for one moment, unmodified.
public struct Epoch: Sendable {
    /// The time of day of the fix; nil if the receiver does not know it.
    public internal(set) var time: TimeOfDay?
    /// The arrival time of the first sentence.
    public internal(set) var opened: Instant
    /// The time at which the epoch was closed.
    public internal(set) var closed: Instant
    /// The last sentence.
    public internal(set) var last: TrailingSentence?

    var gga: GGA?
    var rmc: RMC?
    var gll: GLL?
    var gns: GNS?
    var pubx: PUBX00?
    var gst: GST?
    var gbs: GBS?
    var gfa: GFA?
    var vtg: VTG?
    var zda: ZDA?
    var solution: ProprietarySolution?
    /// The errors that proprietary sentences report.
    var errors = ReportedErrors()
    /// The best fix mode of the epoch's GSA sentences, 1 ... 3.
    var fixMode: UInt8?
    var hasGSA = false
    var pdop: Double?
    var hdop: Double?
    var vdop: Double?

    /// The position. If several differ, the one of the best talker wins, then the one with the most
    /// decimals, then the latest.
    ///
    /// A receiver reports one position in all its sentences. A chart plotter that regenerates them
    /// may not: B&G's Zeus starts its bursts with GGA, and the position changes by decimetres
    /// within a burst. If the time changes within a burst, sentences of two bursts have the same
    /// time although the device moved for a second. GGA then follows other core sentences, and the
    /// position of GLL wins, because GLL contains only a position and its time.
    private(set) var position: Position?
    private var positionRank = 0
    /// Whether the GGA arrived after another core sentence.
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

    /// Whether the epoch lists the satellites used.
    public var hasSatelliteList: Bool { hasGSA }

    /// Degrees from true north to magnetic north in RMC, east positive; nil if not reported.
    public var magneticVariation: Double? { rmc?.magneticVariation }

    /// Whether any sentence reports a position or its absence.
    var hasCore: Bool { gga != nil || rmc != nil || gll != nil || gns != nil || pubx != nil }

    /// Merges one sentence.
    ///
    /// If several talkers send the same sentence, one with a position outranks one without. `GN`
    /// outranks `GP`, which outranks the rest. Among equals the later one wins, so that repeats
    /// change nothing.
    mutating func merge(_ sentence: Sentence, from address: Address) {
        switch sentence {
        case .gga(let value):
            if gga == nil && hasCore { preferGLL() }
            Epoch.replace(
                &gga, rank: &ggaRank, with: value, rank: rankPosition(value.position, at: value.time, from: address))
        case .rmc(let value):
            Epoch.replace(
                &rmc, rank: &rmcRank, with: value, rank: rankPosition(value.position, at: value.time, from: address))
        case .gll(let value):
            Epoch.replace(
                &gll, rank: &gllRank, with: value,
                rank: rankPosition(value.position, at: value.time, from: address, isGLL: true))
        case .gns(let value):
            Epoch.replace(
                &gns, rank: &gnsRank, with: value, rank: rankPosition(value.position, at: value.time, from: address))
        case .vtg(let value):
            Epoch.replace(
                &vtg, rank: &vtgRank, with: value,
                rank: Epoch.rank(of: nil, from: address) + (value.speed == nil ? 0 : 4))
        case .pubx00(let value):
            pubx = value
            _ = rankPosition(value.position, at: value.time, from: address)
        case .gst(let value): gst = value
        case .gbs(let value): gbs = value
        case .gfa(let value): gfa = value
        case .zda(let value): zda = value
        case .gsa(let value): merge(value)
        case .proprietary(let value): merge(value)
        default: break
        }
    }

    /// Merges a sentence whose position may belong to another moment.
    mutating func mergeWithoutPosition(_ sentence: Sentence, from address: Address) {
        let kept = (position, positionRank)
        merge(sentence, from: address)
        (position, positionRank) = kept
    }

    /// Removes the position of sentences whose time turned out to be wrong.
    mutating func forgetPosition() { (position, positionRank) = (nil, 0) }

    /// Sets the position of a proprietary sentence if no other sentence reports one.
    mutating func mergePosition(_ reported: Position?, at timeOfDay: TimeOfDay?) {
        guard let reported, position == nil || positionRank < 0 else { return }
        if let timeOfDay, let time,
            EpochAssembler.interval(between: timeOfDay, and: time) > EpochAssembler.sameTimeTolerance
        {
            return
        }
        (position, positionRank) = (reported, -1)
    }

    private mutating func merge(_ gsa: GSA) {
        hasGSA = true
        if let mode = gsa.fixMode, (1...3).contains(mode) { fixMode = max(fixMode ?? 1, mode) }
        pdop = Dilution.plausible(gsa.pdop) ?? pdop
        hdop = Dilution.plausible(gsa.hdop) ?? hdop
        vdop = Dilution.plausible(gsa.vdop) ?? vdop
    }

    private static func replace<Value>(_ slot: inout Value?, rank current: inout Int, with value: Value, rank: Int) {
        guard slot == nil || rank >= current else { return }
        slot = value
        current = rank
    }

    /// Sets a sentence's position if it is better than the present one and of the same moment.
    /// Returns the sentence's rank.
    private mutating func rankPosition(
        _ reported: Position?, at timeOfDay: TimeOfDay?, from address: Address, isGLL: Bool = false
    )
        -> Int
    {
        let rank = Epoch.rank(of: reported, from: address)
        guard let reported else { return rank }
        if let timeOfDay, let time,
            EpochAssembler.interval(between: timeOfDay, and: time) > EpochAssembler.sameTimeTolerance
        {
            return rank
        }
        setPosition(reported, rank: rank, isPreferred: isGLL && hasLateGGA)
        return rank
    }

    private mutating func setPosition(_ reported: Position, rank: Int, isPreferred: Bool) {
        let newRank = (rank * 16 + Int(reported.minuteDecimals)) * 2 + (isPreferred ? 1 : 0)
        if position == nil || newRank >= positionRank { (position, positionRank) = (reported, newRank) }
    }

    private mutating func preferGLL() {
        hasLateGGA = true
        guard let gll, let reported = gll.position else { return }
        if let gllTime = gll.time, let time,
            EpochAssembler.interval(between: gllTime, and: time) > EpochAssembler.sameTimeTolerance
        {
            return
        }
        setPosition(reported, rank: gllRank, isPreferred: true)
    }

    private static func rank(of position: Position?, from address: Address) -> Int {
        let talker = address.talker == Talker.combined ? 3 : address.talker == Talker.gps ? 2 : address.isGNSS ? 1 : 0
        return talker + (position == nil ? 0 : 4)
    }
}

/// Merges proprietary sentences into an epoch.
extension Epoch {
    mutating func merge(_ sentence: Proprietary) {
        switch sentence {
        case .pubx04: zda = zda ?? ZDA(time: sentence.time, date: sentence.date)
        case .pgrme(let value): (errors.pgrme.horizontal, errors.pgrme.vertical) = (value.horizontal, value.vertical)
        case .psrfepe(let value): merge(value)
        case .pqxfi(let value):
            (errors.pqxfi.horizontal, errors.pqxfi.vertical) = (value.horizontalError, value.verticalError)
            errors.pqxfi.speed = value.speedError
        case .pglorunc(let value): merge(value)
        case .pqtmepe(let value):
            errors.pqtmepe.north = value.north
            errors.pqtmepe.east = value.east
            errors.pqtmepe.down = value.down
        case .pqtmvel(let value):
            (errors.velocity.speed, errors.velocity.course) = (value.speedAccuracy, value.headingAccuracy)
        case .pstmkfcov(let value):
            (errors.covariance.north, errors.covariance.east) = (value.north, value.east)
            errors.covariance.vertical = value.vertical
        case .pqtmgps(let value):
            errors.pqtm.horizontal = value.horizontalAccuracy
            // `PQTMGPS` has less detail than a `PQTMPVT` of the same epoch.
            if solution == nil { mergeSolution(sentence) }
        default: mergeSolution(sentence)
        }
    }

    private mutating func merge(_ value: PSRFEPE) {
        guard value.isValid != false else { return }
        (errors.psrfepe.horizontal, errors.psrfepe.vertical) = (value.horizontalError, value.verticalError)
        (errors.psrfepe.speed, errors.psrfepe.course) = (value.speedError, value.courseError)
    }

    private mutating func merge(_ value: PGLORUNC) {
        (errors.pglor.horizontal, errors.pglor.vertical) = (value.horizontalError, value.verticalError)
        (errors.pglor.semiMajor, errors.pglor.semiMinor) = (value.semiMajorError, value.semiMinorError)
        (errors.pglor.speed, errors.pglor.course) = (value.speedError, value.courseError)
    }

    private mutating func mergeSolution(_ sentence: Proprietary) {
        guard let reported = ProprietarySolution(sentence) else { return }
        if solution?.position == nil || reported.position != nil { solution = reported }
        mergePosition(reported.position, at: sentence.time)
    }
}
