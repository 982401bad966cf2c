/// Finds the frames of RTCM 3 in a stream of bytes. Other bytes are skipped.
public struct RTCMFramer: Sendable {
    private var bytes: [UInt8] = []
    /// The number of bytes that belong to no frame.
    public private(set) var strayBytes = 0

    /// Creates a framer without bytes.
    public init() {}

    /// The number of bytes that wait for the rest of a frame, less than ``RTCMFrame/maxLength``.
    public var byteCount: Int { bytes.count }

    /// Returns the frames that are complete now.
    public mutating func push(_ input: some Sequence<UInt8>) -> [RTCMFrame] {
        bytes += input
        var frames: [RTCMFrame] = []
        var start = 0
        while start < bytes.count {
            let rest = bytes[start...]
            guard RTCMFrame.isHead(rest) else {
                skip(&start)
                continue
            }
            guard rest.count >= RTCMFrame.headLength else { break }
            guard let length = RTCMFrame.length(rest), rest.count >= length else { break }
            if let frame = RTCMFrame(Array(rest.prefix(length))) {
                frames.append(frame)
                start += length
            } else {
                // The preamble may be part of other data: the next one is tried.
                skip(&start)
            }
        }
        bytes.removeFirst(start)
        return frames
    }

    private mutating func skip(_ start: inout Int) {
        start += 1
        strayBytes = strayBytes == .max ? .max : strayBytes + 1
    }
}
