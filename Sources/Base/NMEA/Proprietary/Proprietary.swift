import Chronology

/// A vendor's proprietary sentence, with an address that begins with `P`, and those of Unicore.
public enum Proprietary: Sendable {
    case pubx03(PUBX03)
    case pubx04(PUBX04)
    case pgrme(PGRME)
    case pgrmf(PGRMF)
    case pgrmm(PGRMM)
    case pgrmz(PGRMZ)
    case pmtk001(PMTK001)
    case pmtk010(PMTK010)
    case pmtk011(PMTK011)
    case pmtk705(PMTK705)
    case pair001(PAIR001)
    /// The receiver is ready for commands (`PAIR002`; Quectel LC29H protocol specification 1.1). It
    /// has no fields.
    case pair002
    case pair010(PAIR010)
    case pair021(PAIR021)
    case pqtmepe(PQTMEPE)
    case pqtmvel(PQTMVEL)
    case pqtmpvt(PQTMPVT)
    case pqtmgps(PQTMGPS)
    case pqtmverno(PQTMVERNO)
    case psrfepe(PSRFEPE)
    case psrf150(PSRF150)
    case psti030(PSTI030)
    case psti032(PSTI032)
    case pstmkfcov(PSTMKFCOV)
    case pstmver(PSTMVER)
    case pstmantenna(PSTMANTENNASTATUS)
    case pashrpos(PASHRPOS)
    case ptnlggk(PTNLGGK)
    case pdtinfo(PDTINFO)
    case psti036(PSTI036)
    case pashrAttitude(PASHRAttitude)
    case ptnlavr(PTNLAVR)
    case psathpr(PSATHPR)
    case pqtmtar(PQTMTAR)
    case pqxfi(PQXFI)
    case pglorunc(PGLORUNC)
    case pssnhrp(PSSNHRP)
    case ksxt(KSXT)
    case uniheadinga(UNIHEADINGA)

    /// Decodes a sentence whose address ends before `offset`.
    static func decode(formatter: UInt64, body: RawSpan, fieldsStart offset: Int) -> Sentence {
        var reader = FieldReader(at: offset)
        return switch formatter {
        case Kind.pubx: pubx(body, reader: &reader)
        case Kind.psti: psti(body, reader: &reader)
        case Kind.pashr: pashr(body, fieldsStart: offset)
        case Kind.ptnl: ptnl(body, reader: &reader)
        case Kind.pgrme: sentence(PGRME(body, reader: &reader).map(pgrme))
        case Kind.pgrmf: sentence(PGRMF(body, reader: &reader).map(pgrmf))
        case Kind.pgrmm: sentence(PGRMM(body, reader: &reader).map(pgrmm))
        case Kind.pgrmz: sentence(PGRMZ(body, reader: &reader).map(pgrmz))
        case Kind.psrfepe: sentence(PSRFEPE(body, reader: &reader).map(psrfepe))
        case Kind.psrf150: sentence(PSRF150(body, reader: &reader).map(psrf150))
        case Kind.pqxfi: sentence(PQXFI(body, reader: &reader).map(pqxfi))
        case Kind.pglor: pglor(body, reader: &reader)
        case Kind.pdtinfo: sentence(PDTINFO(body, reader: &reader).map(pdtinfo))
        default: decodeMediaTekAndQuectel(formatter: formatter, body: body, fieldsStart: offset)
        }
    }

    /// Decodes the sentences of MediaTek and Airoha chips and of the Quectel modules that contain
    /// them.
    private static func decodeMediaTekAndQuectel(formatter: UInt64, body: RawSpan, fieldsStart offset: Int) -> Sentence
    {
        var reader = FieldReader(at: offset)
        return switch formatter {
        case Kind.pqtmepe: sentence(PQTMEPE(body, reader: &reader).map(pqtmepe))
        case Kind.pqtmvel: sentence(PQTMVEL(body, reader: &reader).map(pqtmvel))
        case Kind.pqtmpvt: sentence(PQTMPVT(body, reader: &reader).map(pqtmpvt))
        case Kind.pqtmgps: sentence(PQTMGPS(body, reader: &reader).map(pqtmgps))
        case Kind.pqtmtar: sentence(PQTMTAR(body, reader: &reader).map(pqtmtar))
        case Kind.pqtmverno: sentence(PQTMVERNO(body, reader: &reader).map(pqtmverno))
        case Kind.pmtk001: sentence(PMTK001(body, reader: &reader).map(pmtk001))
        case Kind.pmtk010: sentence(PMTK010(body, reader: &reader).map(pmtk010))
        case Kind.pmtk011: sentence(PMTK011(body, reader: &reader).map(pmtk011))
        case Kind.pmtk705: sentence(PMTK705(body, reader: &reader).map(pmtk705))
        case Kind.pair001: sentence(PAIR001(body, reader: &reader).map(pair001))
        case Kind.pair002: .proprietary(.pair002)
        case Kind.pair010: sentence(PAIR010(body, reader: &reader).map(pair010))
        case Kind.pair020, Kind.pair021: sentence(PAIR021(body, reader: &reader).map(pair021))
        default: decodeOthers(formatter: formatter, body: body, fieldsStart: offset)
        }
    }

    /// Decodes the sentences of ST, Unicore, Septentrio and Hemisphere.
    private static func decodeOthers(formatter: UInt64, body: RawSpan, fieldsStart offset: Int) -> Sentence {
        var reader = FieldReader(at: offset)
        return switch formatter {
        case Kind.pstmkfcov: sentence(PSTMKFCOV(body, reader: &reader).map(pstmkfcov))
        case Kind.pstmver: sentence(PSTMVER(body, reader: &reader).map(pstmver))
        // Quectel also has an antenna status, with the same packed address: packing keeps only the
        // end of an address.
        case Kind.pstmantenna where body.byteCount > 1 && body.byte(at: 1) == UInt8(ascii: "S"):
            sentence(PSTMANTENNASTATUS(body, reader: &reader).map(pstmantenna))
        case Kind.ksxt: sentence(KSXT(body, reader: &reader).map(ksxt))
        case Kind.pssn:
            reader.packedName(body) == Kind.hrp ? sentence(PSSNHRP(body, reader: &reader).map(pssnhrp)) : .unknown
        case Kind.psat:
            reader.packedName(body) == Kind.hpr ? sentence(PSATHPR(body, reader: &reader).map(psathpr)) : .unknown
        default: .unknown
        }
    }

    private static func pashr(_ body: RawSpan, fieldsStart offset: Int) -> Sentence {
        var reader = FieldReader(at: offset)
        if reader.packedName(body) == Kind.pos { return sentence(PASHRPOS(body, reader: &reader).map(pashrpos)) }
        reader = FieldReader(at: offset)
        guard let time = reader.time(body) else { return .unknown }
        return sentence(PASHRAttitude(body, time: time, reader: &reader).map(pashrAttitude))
    }

    /// Decodes a sentence with a version before its name. Older receivers omit the version.
    private static func pglor(_ body: RawSpan, reader: inout FieldReader) -> Sentence {
        var name = reader.packedName(body)
        if name < 0x3A { name = reader.packedName(body) }
        return name == Kind.unc ? sentence(PGLORUNC(body, reader: &reader).map(pglorunc)) : .unknown
    }

    private static func ptnl(_ body: RawSpan, reader: inout FieldReader) -> Sentence {
        switch reader.packedName(body) {
        case Kind.ggk: sentence(PTNLGGK(body, reader: &reader).map(ptnlggk))
        case Kind.avr: sentence(PTNLAVR(body, reader: &reader).map(ptnlavr))
        default: .unknown
        }
    }

    private static func pubx(_ body: RawSpan, reader: inout FieldReader) -> Sentence {
        switch reader.integer(body) {
        case 0: PUBX00(body, reader: &reader).map(Sentence.pubx00) ?? .malformed
        case 3: sentence(PUBX03(body, reader: &reader).map(pubx03))
        case 4: sentence(PUBX04(body, reader: &reader).map(pubx04))
        default: .unknown
        }
    }

    private static func psti(_ body: RawSpan, reader: inout FieldReader) -> Sentence {
        switch reader.integer(body) {
        case 30: sentence(PSTI030(body, reader: &reader).map(psti030))
        case 32: sentence(PSTI032(body, reader: &reader).map(psti032))
        case 36: sentence(PSTI036(body, reader: &reader).map(psti036))
        default: .unknown
        }
    }

    private static func sentence(_ decoded: Proprietary?) -> Sentence {
        decoded.map(Sentence.proprietary) ?? .malformed
    }

    /// Addresses packed like those of ``Address`` (their last eight letters), and names of
    /// sentences that share an address.
    private enum Kind {
        static let pubx: UInt64 = 0x50554258
        static let psti: UInt64 = 0x50535449
        static let pashr: UInt64 = 0x50_4153_4852
        static let ptnl: UInt64 = 0x50544E4C
        static let pgrme: UInt64 = 0x50_4752_4D45
        static let pgrmf: UInt64 = 0x50_4752_4D46
        static let pgrmm: UInt64 = 0x50_4752_4D4D
        static let pgrmz: UInt64 = 0x50_4752_4D5A
        static let pmtk001: UInt64 = 0x50_4D54_4B30_3031
        static let pmtk010: UInt64 = 0x50_4D54_4B30_3130
        static let pmtk011: UInt64 = 0x50_4D54_4B30_3131
        static let pmtk705: UInt64 = 0x50_4D54_4B37_3035
        static let pair001: UInt64 = 0x50_4149_5230_3031
        static let pair002: UInt64 = 0x50_4149_5230_3032
        static let pair010: UInt64 = 0x50_4149_5230_3130
        static let pair020: UInt64 = 0x50_4149_5230_3230
        static let pair021: UInt64 = 0x50_4149_5230_3231
        static let pqtmepe: UInt64 = 0x50_5154_4D45_5045
        static let pqtmvel: UInt64 = 0x50_5154_4D56_454C
        static let pqtmpvt: UInt64 = 0x50_5154_4D50_5654
        static let pqtmgps: UInt64 = 0x50_5154_4D47_5053
        static let psrfepe: UInt64 = 0x50_5352_4645_5045
        static let psrf150: UInt64 = 0x50_5352_4631_3530
        static let pstmver: UInt64 = 0x50_5354_4D56_4552
        static let pdtinfo: UInt64 = 0x50_4454_494E_464F
        static let pqtmverno: UInt64 = 0x5154_4D56_4552_4E4F
        static let pstmkfcov: UInt64 = 0x5354_4D4B_4643_4F56
        static let pstmantenna: UInt64 = 0x4E41_5354_4154_5553
        static let psat: UInt64 = 0x50534154
        static let pqtmtar: UInt64 = 0x50_5154_4D54_4152
        static let pqxfi: UInt64 = 0x50_5158_4649
        static let pglor: UInt64 = 0x50_474C_4F52
        static let pssn: UInt64 = 0x5053534E
        static let ksxt: UInt64 = 0x4B535854
        static let unc: UInt64 = 0x554E43
        static let hrp: UInt64 = 0x485250
        static let pos: UInt64 = 0x504F53
        static let avr: UInt64 = 0x415652
        static let hpr: UInt64 = 0x485052
        static let ggk: UInt64 = 0x47474B
    }
}

/// The time of a sentence.
extension Proprietary {
    /// UTC of the fix or of the clock; nil if the sentence has no time.
    public var time: TimeOfDay? {
        switch self {
        case .pubx04(let value): value.time
        case .pgrmf(let value): value.time
        case .pqtmpvt(let value): value.time
        case .pqtmvel(let value): value.time
        case .psrfepe(let value): value.time
        case .psti030(let value): value.time
        case .pashrpos(let value): value.time
        case .ptnlggk(let value): value.time
        case .psti036(let value): value.time
        case .pashrAttitude(let value): value.time
        case .ptnlavr(let value): value.time
        case .psathpr(let value): value.time
        case .pqtmtar(let value): value.time
        case .pqxfi(let value): value.time
        case .pglorunc(let value): value.time
        case .pssnhrp(let value): value.time
        default: nil
        }
    }

    /// The date; nil if the sentence has none or an invalid one.
    public var date: CivilDate? {
        switch self {
        case .pubx04(let value): value.date?.civilDate
        case .pgrmf(let value): value.date?.civilDate
        case .pqtmpvt(let value): value.date
        case .psti030(let value): value.date?.civilDate
        case .ptnlggk(let value): value.date?.civilDate
        default: nil
        }
    }
}

/// The sentence type.
extension Proprietary {
    /// Distinguishes the types of sentences that share an address; 0 for all others.
    public var typeNumber: Int {
        switch self {
        case .pubx03, .psti032, .pashrAttitude, .ptnlavr: 1
        case .pubx04, .psti036: 2
        default: 0
        }
    }
}
