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
    /// A proprietary sentence other than `PUBX,00`.
    case proprietary(Proprietary)
    /// A sentence type without a decoder, from any talker.
    case unknown
    /// A known sentence type with invalid fields.
    case malformed

    /// Decodes the body of a sentence, the bytes between `$` and `*`.
    ///
    /// Never fails: ``unknown`` and ``malformed`` represent sentences that cannot be decoded.
    public static func decode(_ body: RawSpan) -> (address: Address, sentence: Sentence) {
        var index = 0
        guard let address = Address(body, after: &index) else {
            return (Address(talker: "", formatter: ""), .malformed)
        }
        return (address, decode(address, body: body, fieldsStart: index))
    }

    /// Decodes the sentence with a given address, whose fields begin at `offset`.
    static func decode(_ address: Address, body: RawSpan, fieldsStart offset: Int) -> Sentence {
        var reader = FieldReader(at: offset)
        return switch address.formatter {
        case PackedFormatter.gga: GGA(body, reader: &reader).map(Sentence.gga) ?? .malformed
        case PackedFormatter.rmc: RMC(body, reader: &reader).map(Sentence.rmc) ?? .malformed
        case PackedFormatter.gsv: GSV(body, reader: &reader).map(Sentence.gsv) ?? .malformed
        case PackedFormatter.gsa: GSA(body, reader: &reader).map(Sentence.gsa) ?? .malformed
        case PackedFormatter.vtg: VTG(body, reader: &reader).map(Sentence.vtg) ?? .malformed
        case PackedFormatter.gll: GLL(body, reader: &reader).map(Sentence.gll) ?? .malformed
        case PackedFormatter.gns: GNS(body, reader: &reader).map(Sentence.gns) ?? .malformed
        case PackedFormatter.gst: GST(body, reader: &reader).map(Sentence.gst) ?? .malformed
        case PackedFormatter.gbs: GBS(body, reader: &reader).map(Sentence.gbs) ?? .malformed
        case PackedFormatter.zda: ZDA(body, reader: &reader).map(Sentence.zda) ?? .malformed
        case PackedFormatter.txt: TXT(body, reader: &reader).map(Sentence.txt) ?? .malformed
        case PackedFormatter.dtm: DTM(body, reader: &reader).map(Sentence.dtm) ?? .malformed
        case PackedFormatter.hdt: HDT(body, reader: &reader).map(Sentence.hdt) ?? .malformed
        case PackedFormatter.ths: THS(body, reader: &reader).map(Sentence.ths) ?? .malformed
        default:
            address.talker == 0
                ? Proprietary.decode(formatter: address.formatter, body: body, fieldsStart: offset) : .unknown
        }
    }

    /// Formatters packed like those of ``Address``.
    private enum PackedFormatter {
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
