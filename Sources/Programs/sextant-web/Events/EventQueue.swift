/// The events that wait for one viewer: of each kind the latest one.
///
/// A viewer that does not read keeps the part that is being sent, and one event of each kind.
final class EventQueue {
    /// What the kernel may hold for a viewer in bytes; Linux doubles it.
    static let kernelBytes: Int32 = 8192
    /// The seconds after which a viewer that accepts nothing is given up.
    static let stallLimit: UInt32 = 60
    /// The bytes that are sent at a time.
    static let blockLength = 2048
    /// The maximum number of kinds that wait. Beyond it the oldest is replaced by the event
    /// `missed`.
    private static let maxKinds = 256
    private static let missed = "missed"
    private static let missedFrame = Array("event: missed\ndata: {}\n\n".utf8)

    /// Continues and suspends the connection.
    var wake: () -> Void = {}
    var wait: () -> Void = {}

    private var kinds: [String] = []
    private var waiting: [String: [UInt8]] = [:]
    private var current: [UInt8] = []
    private var offset = 0
    private var hasEnded = false

    /// Whether nothing waits to be sent.
    var isEmpty: Bool { kinds.isEmpty && offset == current.count }

    /// Sends an event. It replaces one of the same kind that has not begun to be sent.
    ///
    /// - Parameter frame: The event as text, with the empty line that ends it.
    func offer(_ frame: [UInt8], kind: String) {
        guard !hasEnded else { return }
        if waiting.updateValue(frame, forKey: kind) == nil { kinds.append(kind) }
        if kinds.count > EventQueue.maxKinds, let oldest = kinds.first(where: { $0 != EventQueue.missed }) {
            kinds.removeAll { $0 == oldest }
            waiting[oldest] = nil
            if kind != EventQueue.missed { return offer(EventQueue.missedFrame, kind: EventQueue.missed) }
        }
        wake()
    }

    /// Ends the stream, after what is being sent.
    func end() {
        hasEnded = true
        (kinds, waiting) = ([], [:])
        wake()
    }

    /// Ends the stream when what waits has been sent.
    func endAfterWaiting() {
        hasEnded = true
        wake()
    }

    /// Copies the next bytes; nil at the end, 0 if nothing waits.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        if offset == current.count { takeWaiting() }
        guard offset < current.count else {
            if hasEnded { return nil }
            wait()
            return 0
        }
        let part = current[offset...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        offset += part.count
        return part.count
    }

    private func takeWaiting() {
        current.removeAll(keepingCapacity: true)
        offset = 0
        while let kind = kinds.first, let frame = waiting[kind] {
            guard current.isEmpty || current.count + frame.count <= EventQueue.blockLength else { return }
            current += frame
            waiting[kind] = nil
            kinds.removeFirst()
        }
    }
}
