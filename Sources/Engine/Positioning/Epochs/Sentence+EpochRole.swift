import NMEA

extension Sentence {
    /// The role of a sentence in an epoch.
    package enum EpochRole: Equatable {
        /// Starts an epoch: reports a position or its absence.
        case core(TimeOfDay?)
        /// Reports the position errors at a time.
        case errors(TimeOfDay?)
        /// Reports the receiver's clock.
        case clock(TimeOfDay?)
        /// Belongs to the epoch in which it arrives.
        case untimed

        package var isCore: Bool { if case .core = self { true } else { false } }

        /// The time that the sentence reports; nil if it has none.
        package var time: TimeOfDay? {
            switch self {
            case .core(let time), .errors(let time), .clock(let time): time
            case .untimed: nil
            }
        }
    }

    /// The role of the sentence in an epoch; nil if it has none, so that epochs ignore it.
    package var epochRole: EpochRole? {
        switch self {
        case .gga(let gga): .core(gga.time)
        case .rmc(let rmc): .core(rmc.time)
        case .gll(let gll): .core(gll.time)
        case .gns(let gns): .core(gns.time)
        case .pubx00(let pubx): .core(pubx.time)
        case .gst(let gst): .errors(gst.time)
        case .gbs(let gbs): .errors(gbs.time)
        case .gfa(let gfa): .errors(gfa.time)
        case .zda(let zda): .clock(zda.time)
        case .vtg, .gsa, .gsv: .untimed
        case .proprietary(let proprietary): proprietary.epochRole
        case .dtm, .hdt, .ths, .hdg, .hdm, .vhw, .hpr, .txt, .unknown, .malformed: nil
        }
    }
}

extension Proprietary {
    /// The role of the sentence in an epoch; nil if it has none.
    fileprivate var epochRole: Sentence.EpochRole? {
        switch self {
        case .pgrmf, .pqtmpvt, .pqtmgps, .psti030, .pashrpos, .ptnlggk: .core(time)
        case .psrfepe, .pqtmvel, .pqxfi, .pglorunc: .errors(time)
        case .pubx04: .clock(time)
        case .pgrme, .pqtmepe, .pstmkfcov: .untimed
        case .pubx03, .pgrmm, .pgrmz, .pmtk001, .pmtk010, .pmtk011, .pmtk705, .pair001, .pair002, .pair010, .pair021,
            .pqtmverno, .psrf150, .psti032, .psti036, .pstmver, .pstmantenna, .pdtinfo, .pashrAttitude, .ptnlavr,
            .psathpr, .pqtmtar, .pssnhrp, .ksxt, .uniheadinga:
            nil
        }
    }
}

/// The identity of a sentence within a burst: its address, and for numbered sentences their
/// position.
public struct SentenceTag: Sendable, Hashable {
    private var address: Address
    /// Signal and system of GSV, system of GSA, ordinal of a proprietary sentence; otherwise 0.
    private var part: Int
    /// Whether the sentence is the last of its round (GSV).
    private var isLast: Bool

    package init(_ sentence: Sentence, from address: Address) {
        self.address = address
        switch sentence {
        case .gsv(let gsv):
            part = Int(gsv.signalID ?? 0) << 8 | Int(gsv.systemID ?? 0)
            isLast = gsv.sentenceIndex >= gsv.sentenceCount
        case .gsa(let gsa):
            part = Int(gsa.systemID ?? 0)
            isLast = true
        case .proprietary(let proprietary):
            // `PSTI,030` and `PSTI,032` share an address, as do `PUBX,00` and `PUBX,04`.
            part = proprietary.typeNumber
            isLast = true
        default:
            part = 0
            isLast = true
        }
    }
}

/// The latest sentence of an epoch.
public struct TrailingSentence: Sendable {
    /// The tag of the sentence.
    public let tag: SentenceTag
    /// Whether the sentence may revoke the position or concerns satellites. The fix is not final
    /// before such a sentence.
    public let canChangeFix: Bool

    init(_ sentence: Sentence, from address: Address, in epoch: Epoch) {
        tag = SentenceTag(sentence, from: address)
        canChangeFix =
            switch sentence {
            case .gsv, .gsa: true
            // If an RMC reports a fix, the status of GLL is ignored, and its mode letter counts
            // only if RMC has none (``Epoch/quality``).
            case .gll(let gll): epoch.rmc?.isValid != true || epoch.rmc?.mode == nil && gll.mode != nil
            case .vtg(let vtg): epoch.rmc?.mode == nil && epoch.gll?.mode == nil && vtg.mode != nil
            default: sentence.epochRole?.isCore ?? false
            }
    }
}
