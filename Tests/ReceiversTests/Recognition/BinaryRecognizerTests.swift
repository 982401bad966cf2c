import Chronology
import NMEA
import Simulator
import TestSupport
import Testing

@testable import Receivers

/// Frames computed independently of this code, with the layouts of the makers.
private let documentedFrames: [(BinaryProtocol, String)] = [
    (
        .ubx,
        "B56201075C0050E42C17EA0708140C0000071900000050FBFFFF0301000E7929EDFF140C3A1B40E20100CD810100DC050000980800"
            + "000A000000ECFFFFFF0500000016000000000000007800000040771B00910000000000000000000000000000004E43"
    ),
    (
        .ubx,
        "B5620106340050E42C17000000008009030DBB859B1AB152F1FFE135101B0E0100000000000000000000000000000C0000009100000E"
            + "000000002EF0"
    ),
    (.ubx, "B5620161040050E42C17DD22"), (.ubx, "B56205010200068A98C1"),
    (.casic, "BACE04000501060000000A000501"), (.casic, "BACE50000103" + zeros(80) + "50000103"),
    (.sirf, "A0A2002902" + zeros(40) + "0002B0B3"), (.sirf, "A0A2005B29" + zeros(90) + "0029B0B3"),
    (.skytraq, "A0A1003BA8" + zeros(58) + "A80D0A"), (.sbf, "24404E892117100050E42C1780090000"),
    (.rtcm, "D300133ED0" + zeros(17) + "F24BF4"), (.mediatek, "04240E00FD000000C20100300D0A"),
    (.everMore, "10020684010000851003"), (.garmin, "100A022600CE1003"),
    (.allystar, "F1D906010300F00001FB10"), (.tsip, "104B0000001003"),
]

private func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

@Suite struct BinaryRecognizerTests {
    /// Feeds chunks at their times, in seconds, and returns the protocol.
    private static func recognize(_ chunks: [(Double, [UInt8])]) -> BinaryProtocol? {
        var recognizer = BinaryRecognizer()
        for (time, bytes) in chunks { recognizer.push(bytes.span.bytes, at: .zero + .seconds(time)) }
        return recognizer.family
    }

    @Test(arguments: documentedFrames)
    func `a documented frame is recognised when it comes twice`(family: BinaryProtocol, text: String) {
        let frame = Hex.bytes(text)
        #expect(Self.recognize([(0, frame), (1, frame)]) == family)
        // In any chunks, and between other bytes.
        let single = frame.map { (0.0, [$0]) } + [(0, [0xB5, 0x10])] + frame.map { (1, [$0]) }
        #expect(Self.recognize(single) == family)
    }

    @Test(arguments: BinaryProtocol.allCases) func `every protocol is recognised`(family: BinaryProtocol) throws {
        for behavior in [BinaryOutput.Case.outputOff, .dollars] {
            var options = SimulatorOptions()
            options.binary = BinaryOutput(family, behavior)
            var receiver = try options.receiver(origin: .zero)
            var recognizer = BinaryRecognizer()
            for chunk in receiver.bytes(until: .zero + .seconds(4)) {
                recognizer.push(chunk.bytes.span.bytes, at: chunk.instant)
            }
            #expect(recognizer.family == family, "\(behavior)")
        }
    }

    @Test func `one frame, two of a moment and two far apart are no proof`() {
        let frame = Hex.bytes("B5620161040050E42C17DD22")
        #expect(Self.recognize([(0, frame)]) == nil)
        #expect(Self.recognize([(0, frame + frame + frame)]) == nil)
        #expect(Self.recognize([(0, frame), (0.8, frame)]) == nil)
        #expect(Self.recognize([(0, frame), (3.1, frame)]) == nil)
        #expect(Self.recognize([(0, frame), (3.1, frame), (6, frame)]) == .ubx)
        #expect(Self.recognize([(0, frame), (1, Hex.bytes("A0A1000283098A0D0A"))]) == nil)
    }

    @Test func `frames that cover less than half of the bytes are no proof`() {
        let frame = Hex.bytes("B5620161040050E42C17DD22")
        let noise = [UInt8](repeating: 0x55, count: 25)
        #expect(Self.recognize([(0, frame), (0.5, noise), (1, frame)]) == nil)
        #expect(Self.recognize([(0, frame), (0.5, Array(noise.dropLast(2))), (1, frame)]) == .ubx)
    }

    @Test func `a damaged frame is none, and a whole one behind it is found`() {
        let frame = Hex.bytes("B5620161040050E42C17DD22")
        for index in frame.indices {
            var damaged = frame
            damaged[index] ^= 0x40
            var recognizer = BinaryRecognizer()
            recognizer.push(damaged.span.bytes, at: .zero)
            #expect(recognizer.frames == 0, "byte \(index)")
            recognizer.push((frame + frame).span.bytes, at: .zero)
            #expect(recognizer.frames == 2, "byte \(index)")
        }
    }

    /// One hour at 9600 baud. At these odds one hour has 0.01 frames, nearly all of them TSIP.
    @Test func `an hour of random bytes has no frame`() {
        var random = RandomSource(seed: 31, purpose: 7)
        var recognizer = BinaryRecognizer()
        for second in 0..<3600 {
            let bytes = (0..<120).flatMap { _ in
                let word = random.next()
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
            }
            recognizer.push(bytes.span.bytes, at: .zero + .seconds(Double(second)))
        }
        #expect(recognizer.family == nil && recognizer.frames == 0)
    }

    @Test(
        .enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)),
        arguments: [
            "gpsd/ac12_binary.log", "gpsd/quectel-l76k-dual.log", "gpsd/ublox-zed-f9r.log",
            "gpsd/ublox-zed-f9t-ubx_nmea_l5.log", "gpsd/ublox8-uniqid-monhw.log", "recorded/semu_com3.ubx",
        ])
    func `a recorded binary log at a wrong baud rate has no name`(log: String) throws {
        let bytes = try PackageFiles.read((SharedCaptures.folder ?? "") + "/" + log).suffix(16_000)
        for listener in BaudRateDetector.order where listener != 38_400 {
            var recognizer = LineRecognizer(baudRate: listener)
            for (second, start) in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2000).enumerated() {
                let sent = Array(bytes[start..<min(start + 2000, bytes.endIndex)])
                let read = BaudRateMismatch.read(sent, sender: 38_400, listener: listener)
                recognizer.push(read.span.bytes, at: .zero + .seconds(Double(second)))
            }
            #expect(recognizer.family == nil, "\(listener)")
            let content = recognizer.finding?.content
            #expect(content == nil || content == .noise, "\(listener)")
        }
    }

    @Test func `the memory is bounded`() {
        var recognizer = BinaryRecognizer()
        // The start of a longest frame, again and again.
        let start: [UInt8] = [0xB5, 0x62, 0x01, 0x07, 0xFF, 0x0F, 0x10, 0x8F]
        for _ in 0..<10_000 { recognizer.push(start.span.bytes, at: .zero) }
        #expect(recognizer.heldBytes <= FrameFormat.maxLength)
    }
}

/// Bytes as hexadecimal text, as manuals print frames.
enum Hex {
    /// Returns the bytes of pairs of digits.
    static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }
}
