/// One decoded sentence.
public enum Sentence: Sendable {
    case gga(GGA)
    case rmc(RMC)
    case gll(GLL)
    case gns(GNS)
    case gsa(GSA)
    case gsv(GSV)
    case gst(GST)
    case gbs(GBS)
    case vtg(VTG)
    case zda(ZDA)
    case dtm(DTM)
    case hdt(HDT)
    case ths(THS)
    case txt(TXT)
    case pubx00(PUBX00)
    /// A kind that is not read, of any talker.
    case unknown
    /// A known kind whose fields make no sense.
    case malformed

    /// Decodes the body of a sentence, the bytes between `$` and `*`. Never fails: what cannot be read is a case.
    public static func decode(_ body: RawSpan) -> (address: Address, sentence: Sentence) {
        var at = 0
        guard let address = Address(body, after: &at) else { return (Address("", ""), .malformed) }
        var reader = FieldReader(at: at)
        return (address, decode(address, body, &reader) ?? .malformed)
    }

    @inline(__always)
    private static func decode(_ address: Address, _ body: RawSpan, _ reader: inout FieldReader) -> Sentence? {
        switch address.formatter {
        case Kind.gga: GGA(body, &reader).map(Sentence.gga)
        case Kind.rmc: RMC(body, &reader).map(Sentence.rmc)
        case Kind.gsv: GSV(body, &reader).map(Sentence.gsv)
        case Kind.gsa: GSA(body, &reader).map(Sentence.gsa)
        case Kind.vtg: VTG(body, &reader).map(Sentence.vtg)
        case Kind.gll: GLL(body, &reader).map(Sentence.gll)
        case Kind.gns: GNS(body, &reader).map(Sentence.gns)
        case Kind.gst: GST(body, &reader).map(Sentence.gst)
        case Kind.gbs: GBS(body, &reader).map(Sentence.gbs)
        case Kind.zda: ZDA(body, &reader).map(Sentence.zda)
        case Kind.txt: TXT(body, &reader).map(Sentence.txt)
        case Kind.dtm: DTM(body, &reader).map(Sentence.dtm)
        case Kind.hdt: HDT(body, &reader).map(Sentence.hdt)
        case Kind.ths: THS(body, &reader).map(Sentence.ths)
        case Kind.pubx: decodePUBX(body, &reader)
        default: .unknown
        }
    }

    private static func decodePUBX(_ body: RawSpan, _ reader: inout FieldReader) -> Sentence? {
        reader.integer(body) == 0 ? PUBX00(body, &reader).map(Sentence.pubx00) : .unknown
    }

    /// Formatters as ``Address`` packs them.
    private enum Kind {
        static let gga: UInt64 = 0x474741
        static let rmc: UInt64 = 0x524D43
        static let gll: UInt64 = 0x474C4C
        static let gns: UInt64 = 0x474E53
        static let gsa: UInt64 = 0x475341
        static let gsv: UInt64 = 0x475356
        static let gst: UInt64 = 0x475354
        static let gbs: UInt64 = 0x474253
        static let vtg: UInt64 = 0x565447
        static let zda: UInt64 = 0x5A4441
        static let dtm: UInt64 = 0x44544D
        static let hdt: UInt64 = 0x484454
        static let ths: UInt64 = 0x544853
        static let txt: UInt64 = 0x545854
        static let pubx: UInt64 = 0x5055_4258
    }
}
