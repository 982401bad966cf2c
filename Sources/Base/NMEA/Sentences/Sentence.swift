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
    case gfa(GFA)
    case vtg(VTG)
    case zda(ZDA)
    case dtm(DTM)
    case hdt(HDT)
    case ths(THS)
    case hdg(HDG)
    case hdm(HDM)
    case vhw(VHW)
    case hpr(HPR)
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
                ? Proprietary.decode(formatter: address.formatter, body: body, fieldsStart: offset)
                : decodeRare(address, body: body, fieldsStart: offset)
        }
    }

    /// Decodes the sentences that few receivers send, so that they cost the others nothing.
    @inline(never)
    private static func decodeRare(_ address: Address, body: RawSpan, fieldsStart offset: Int) -> Sentence {
        var reader = FieldReader(at: offset)
        return switch address.formatter {
        case PackedFormatter.gfa: GFA(body, reader: &reader).map(Sentence.gfa) ?? .malformed
        case PackedFormatter.hdg: HDG(body, reader: &reader).map(Sentence.hdg) ?? .malformed
        case PackedFormatter.hdm: HDM(body, reader: &reader).map(Sentence.hdm) ?? .malformed
        case PackedFormatter.vhw: VHW(body, reader: &reader).map(Sentence.vhw) ?? .malformed
        case PackedFormatter.hpr: HPR(body, reader: &reader).map(Sentence.hpr) ?? .malformed
        case PackedFormatter.headinga:
            UNIHEADINGA(body, reader: &reader).map { .proprietary(.uniheadinga($0)) } ?? .malformed
        default: .unknown
        }
    }

    /// Formatters packed like those of ``Address``.
    private enum PackedFormatter {
        static var gga: UInt64 { packed("G", "G", "A") }
        static var rmc: UInt64 { packed("R", "M", "C") }
        static var gll: UInt64 { packed("G", "L", "L") }
        static var gns: UInt64 { packed("G", "N", "S") }
        static var gsa: UInt64 { packed("G", "S", "A") }
        static var gsv: UInt64 { packed("G", "S", "V") }
        static var gst: UInt64 { packed("G", "S", "T") }
        static var gbs: UInt64 { packed("G", "B", "S") }
        static var gfa: UInt64 { packed("G", "F", "A") }
        static var vtg: UInt64 { packed("V", "T", "G") }
        static var zda: UInt64 { packed("Z", "D", "A") }
        static var dtm: UInt64 { packed("D", "T", "M") }
        static var hdt: UInt64 { packed("H", "D", "T") }
        static var ths: UInt64 { packed("T", "H", "S") }
        static var hdg: UInt64 { packed("H", "D", "G") }
        static var hdm: UInt64 { packed("H", "D", "M") }
        static var vhw: UInt64 { packed("V", "H", "W") }
        static var hpr: UInt64 { packed("H", "P", "R") }
        static var txt: UInt64 { packed("T", "X", "T") }
        /// The last eight letters of `UNIHEADINGA`.
        static let headinga: UInt64 = 0x4845_4144_494E_4741

        /// Returns three letters as one number; the optimizer makes it a constant.
        @inline(__always)
        private static func packed(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar) -> UInt64 {
            UInt64(a.value) << 16 | UInt64(b.value) << 8 | UInt64(c.value)
        }
    }
}
