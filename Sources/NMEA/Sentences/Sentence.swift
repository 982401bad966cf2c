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
    /// A maker's own, but for `PUBX,00`.
    case proprietary(Proprietary)
    /// A kind that is not read, of any talker.
    case unknown
    /// A known kind whose fields make no sense.
    case malformed

    /// Decodes the body of a sentence, the bytes between `$` and `*`. Never fails: what cannot be read is a case.
    public static func decode(_ body: RawSpan) -> (address: Address, sentence: Sentence) {
        var at = 0
        guard let address = Address(body, after: &at) else { return (Address("", ""), .malformed) }
        return (address, read(address, body, at))
    }

    /// The sentence of an address whose fields begin at `offset`.
    static func read(_ address: Address, _ body: RawSpan, _ offset: Int) -> Sentence {
        var reader = FieldReader(at: offset)
        return switch address.formatter {
        case Kind.gga: GGA(body, &reader).map(Sentence.gga) ?? .malformed
        case Kind.rmc: RMC(body, &reader).map(Sentence.rmc) ?? .malformed
        case Kind.gsv: GSV(body, &reader).map(Sentence.gsv) ?? .malformed
        case Kind.gsa: GSA(body, &reader).map(Sentence.gsa) ?? .malformed
        case Kind.vtg: VTG(body, &reader).map(Sentence.vtg) ?? .malformed
        case Kind.gll: GLL(body, &reader).map(Sentence.gll) ?? .malformed
        case Kind.gns: GNS(body, &reader).map(Sentence.gns) ?? .malformed
        case Kind.gst: GST(body, &reader).map(Sentence.gst) ?? .malformed
        case Kind.gbs: GBS(body, &reader).map(Sentence.gbs) ?? .malformed
        case Kind.zda: ZDA(body, &reader).map(Sentence.zda) ?? .malformed
        case Kind.txt: TXT(body, &reader).map(Sentence.txt) ?? .malformed
        case Kind.dtm: DTM(body, &reader).map(Sentence.dtm) ?? .malformed
        case Kind.hdt: HDT(body, &reader).map(Sentence.hdt) ?? .malformed
        case Kind.ths: THS(body, &reader).map(Sentence.ths) ?? .malformed
        default: address.talker == 0 ? Proprietary.read(address.formatter, body, offset) : .unknown
        }
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
    }
}
