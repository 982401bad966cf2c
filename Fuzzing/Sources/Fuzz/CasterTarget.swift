import Bridges
import NMEA

/// Answers of NTRIP casters with the frames in them: any bytes.
enum CasterTarget {
    /// Checks that the frames do not depend on the sizes of the reads, and that memory is limited.
    static func run(_ data: UnsafeRawBufferPointer) {
        let bytes = Array(data)
        let whole = read(bytes, size: max(1, bytes.count))
        for size in [1, Int(bytes.first ?? 0) % 7 + 2] {
            Invariant.check(read(bytes, size: size) == whole, "reads of \(size) bytes change the frames")
        }
        // A stream may also be read from its middle.
        var framer = RTCMFramer()
        let frames = framer.push(bytes)
        for frame in frames { _ = frame.hidesCommand }
        checkCommand(in: bytes)
        let used = frames.reduce(0) { $0 + $1.bytes.count }
        Invariant.check(used + framer.strayBytes + framer.byteCount == bytes.count, "bytes are counted twice or not")
    }

    /// Checks that a command is found among any other bytes. The frame is built around them: the
    /// search would find few check values.
    private static func checkCommand(in bytes: [UInt8]) {
        let command = commands[Int(bytes.first ?? 0) % commands.count]
        let place = min(Int(bytes.last ?? 0), bytes.count)
        let message = bytes[..<place] + command + bytes[place...].prefix(500)
        var frame: [UInt8] = [0xD3, UInt8(message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
        let check = checkValue(frame)
        for shift in [16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: check >> UInt32(shift))) }
        guard let found = RTCMFrame(frame) else { Invariant.violated("\(frame.count) bytes are no frame") }
        Invariant.check(found.hidesCommand, "a command is not found")
    }

    /// A command of each protocol: the manufacturers' sentences, UBX, SiRF and SkyTraq.
    private static let commands: [[UInt8]] = [
        Array("$PMTK104*37".utf8), Array("$PUBX,41".utf8),
        [0xB5, 0x62, 0x06, 0x04, 4, 0, 0xFF, 0xB9, 2, 0, 0xC8, 0x8F],
        [0xA0, 0xA2, 0, 1, 0x84, 0, 0x84, 0xB0, 0xB3], [0xA0, 0xA1, 0, 2, 4, 0, 4, 13, 10],
    ]

    /// CRC-24Q (RTCM 10403, section 4.2).
    private static func checkValue(_ bytes: [UInt8]) -> UInt32 {
        var value: UInt32 = 0
        for byte in bytes {
            value ^= UInt32(byte) << 16
            for _ in 0..<8 { value = value & 0x80_0000 == 0 ? value << 1 : (value << 1 ^ 0x186_4CFB) }
        }
        return value & 0xFF_FFFF
    }

    /// The frames and how the answer ended. After a refusal nothing of the same read counts.
    private struct Outcome: Equatable {
        var frames: [RTCMFrame] = []
        var refusal: NTRIPResponse.Refusal?
        var isAccepted = false
    }

    private static func read(_ bytes: [UInt8], size: Int) -> Outcome {
        var response = NTRIPResponse()
        var framer = RTCMFramer()
        var outcome = Outcome()
        for start in stride(from: 0, to: bytes.count, by: size) {
            do throws(NTRIPResponse.Refusal) {
                let data = try response.push(bytes[start..<min(start + size, bytes.count)])
                outcome.frames += framer.push(data)
            } catch {
                return Outcome(refusal: error)
            }
            Invariant.check(framer.byteCount < RTCMFrame.maxLength, "\(framer.byteCount) bytes wait")
        }
        outcome.isAccepted = response.isAccepted
        for frame in outcome.frames { Invariant.check(RTCMFrame(frame.bytes) == frame, "a frame is not one") }
        return outcome
    }
}
