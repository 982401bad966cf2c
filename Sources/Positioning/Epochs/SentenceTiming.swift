import NMEA

extension Sentence {
    /// What part a sentence plays in an epoch.
    enum Timing: Equatable {
        /// Makes an epoch: tells of a position or its absence.
        case core(TimeOfDay?)
        /// Errors of the position at a time.
        case errors(TimeOfDay?)
        /// The receiver's clock.
        case clock(TimeOfDay?)
        /// Belongs to the epoch it comes in.
        case untimed

        var isCore: Bool { if case .core = self { true } else { false } }

        var time: TimeOfDay? {
            switch self {
            case .core(let time), .errors(let time), .clock(let time): time
            case .untimed: nil
            }
        }
    }

    /// Nil for sentences that have nothing to do with epochs.
    var timing: Timing? {
        switch self {
        case .gga(let gga): .core(gga.time)
        case .rmc(let rmc): .core(rmc.time)
        case .gll(let gll): .core(gll.time)
        case .gns(let gns): .core(gns.time)
        case .pubx00(let pubx): .core(pubx.time)
        case .gst(let gst): .errors(gst.time)
        case .gbs(let gbs): .errors(gbs.time)
        case .zda(let zda): .clock(zda.time)
        case .vtg, .gsa, .gsv: .untimed
        case .proprietary(let proprietary): proprietary.timing
        case .dtm, .hdt, .ths, .txt, .unknown, .malformed: nil
        }
    }
}

extension Proprietary {
    /// The part it plays in an epoch; nil where it has nothing to do with one.
    fileprivate var timing: Sentence.Timing? {
        switch self {
        case .pgrmf, .pqtmpvt, .pqtmgps, .psti030, .pashrpos, .ptnlggk: .core(time)
        case .psrfepe, .pqtmvel: .errors(time)
        case .pubx04: .clock(time)
        case .pgrme, .pqtmepe, .pstmkfcov: .untimed
        default: nil
        }
    }
}
