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
        return (address, Sentence(address, body, at))
    }

    /// The sentence of an address whose fields begin at `offset`.
    init(_ address: Address, _ body: RawSpan, _ offset: Int) {
        var reader = FieldReader(at: offset)
        switch address.formatter {
        case Kind.gga: if let gga = GGA(body, &reader) { self = .gga(gga) } else { self = .malformed }
        case Kind.rmc: if let rmc = RMC(body, &reader) { self = .rmc(rmc) } else { self = .malformed }
        case Kind.gsv: if let gsv = GSV(body, &reader) { self = .gsv(gsv) } else { self = .malformed }
        case Kind.gsa: if let gsa = GSA(body, &reader) { self = .gsa(gsa) } else { self = .malformed }
        case Kind.vtg: if let vtg = VTG(body, &reader) { self = .vtg(vtg) } else { self = .malformed }
        case Kind.gll: if let gll = GLL(body, &reader) { self = .gll(gll) } else { self = .malformed }
        case Kind.gns: if let gns = GNS(body, &reader) { self = .gns(gns) } else { self = .malformed }
        case Kind.gst: if let gst = GST(body, &reader) { self = .gst(gst) } else { self = .malformed }
        case Kind.gbs: if let gbs = GBS(body, &reader) { self = .gbs(gbs) } else { self = .malformed }
        case Kind.zda: if let zda = ZDA(body, &reader) { self = .zda(zda) } else { self = .malformed }
        case Kind.txt: if let txt = TXT(body, &reader) { self = .txt(txt) } else { self = .malformed }
        case Kind.dtm: if let dtm = DTM(body, &reader) { self = .dtm(dtm) } else { self = .malformed }
        case Kind.hdt: if let hdt = HDT(body, &reader) { self = .hdt(hdt) } else { self = .malformed }
        case Kind.ths: if let ths = THS(body, &reader) { self = .ths(ths) } else { self = .malformed }
        case Kind.pubx: self = Sentence.pubx(body, &reader)
        default: self = .unknown
        }
    }

    private static func pubx(_ body: RawSpan, _ reader: inout FieldReader) -> Sentence {
        guard reader.integer(body) == 0 else { return .unknown }
        return PUBX00(body, &reader).map(Sentence.pubx00) ?? .malformed
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
