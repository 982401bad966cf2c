import Bridges
import RTCM

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
        let used = frames.reduce(0) { $0 + $1.bytes.count }
        Invariant.check(used + framer.strayBytes + framer.byteCount == bytes.count, "bytes are counted twice or not")
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
