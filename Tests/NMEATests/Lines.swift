import NMEA
import TestSupport

/// Decodes a sentence body, the text between `$` and `*`.
func decode(_ body: String) -> Sentence {
    Sentence.decode(Array(body.utf8).span.bytes).sentence
}

/// Returns a sentence body with `$`, checksum and line ending.
func line(_ body: String, end: String = "\r\n") -> String {
    SentenceLine.text(body, end: end)
}

func checksum(_ body: String) -> String { SentenceLine.checksum(body) }

/// The result of framing a stream.
struct Framed: Equatable {
    var bodies: [String] = []
    var counts = InputCounts()
}

/// Frames a stream that arrives in the given chunks.
func frame(_ chunks: [[UInt8]]) -> Framed {
    var framer = Framer()
    var framed = Framed()
    for chunk in chunks {
        framer.process(chunk.span.bytes) { body in
            var bytes: [UInt8] = []
            for index in 0..<body.byteCount { bytes.append(body.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
            framed.bodies.append(String(decoding: bytes, as: UTF8.self))
        }
    }
    framed.counts = framer.counts
    return framed
}

func frame(_ text: String) -> Framed { frame([Array(text.utf8)]) }

extension Sentence {
    /// The value of a sentence of this type, also without a property here; nil for another kind.
    func value<Value>(_ type: Value.Type = Value.self) -> Value? {
        Mirror(reflecting: self).children.first?.value as? Value
    }

    var gga: GGA? { if case .gga(let value) = self { value } else { nil } }
    var rmc: RMC? { if case .rmc(let value) = self { value } else { nil } }
    var gll: GLL? { if case .gll(let value) = self { value } else { nil } }
    var gns: GNS? { if case .gns(let value) = self { value } else { nil } }
    var gsa: GSA? { if case .gsa(let value) = self { value } else { nil } }
    var gsv: GSV? { if case .gsv(let value) = self { value } else { nil } }
    var gst: GST? { if case .gst(let value) = self { value } else { nil } }
    var gbs: GBS? { if case .gbs(let value) = self { value } else { nil } }
    var gfa: GFA? { if case .gfa(let value) = self { value } else { nil } }
    var vtg: VTG? { if case .vtg(let value) = self { value } else { nil } }
    var zda: ZDA? { if case .zda(let value) = self { value } else { nil } }
    var dtm: DTM? { if case .dtm(let value) = self { value } else { nil } }
    var hdt: HDT? { if case .hdt(let value) = self { value } else { nil } }
    var ths: THS? { if case .ths(let value) = self { value } else { nil } }
    var hdg: HDG? { if case .hdg(let value) = self { value } else { nil } }
    var hdm: HDM? { if case .hdm(let value) = self { value } else { nil } }
    var vhw: VHW? { if case .vhw(let value) = self { value } else { nil } }
    var hpr: HPR? { if case .hpr(let value) = self { value } else { nil } }
    var txt: TXT? { if case .txt(let value) = self { value } else { nil } }
    var pubx00: PUBX00? { if case .pubx00(let value) = self { value } else { nil } }
    var proprietary: Proprietary? { if case .proprietary(let value) = self { value } else { nil } }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
    var isMalformed: Bool { if case .malformed = self { true } else { false } }
}

extension TimeOfDay {
    init(hour: Int, minute: Int, second: Int, milliseconds: Int = 0) {
        self.init(milliseconds: ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds)
    }
}

extension GSA {
    var list: [UInt16] { (0..<Int(count)).map { numbers[$0] } }
}

extension GSV {
    var list: [SatelliteInView] { (0..<Int(count)).map { satellites[$0] } }
}

/// Returns whether two angles differ by less than 0.01 mm on the ground.
func same(_ a: Double?, _ b: Double) -> Bool {
    a.map { abs($0 - b) < 1e-10 } ?? false
}
