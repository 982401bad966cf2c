import Chronology

/// Makes a simulated capture in simulated time. Equal options produce identical bytes.
package struct SimulatedCapture {
    /// The origin of a capture, printed as `# Key: value` lines at the start of the file.
    package struct Header: Sendable, Equatable {
        /// The name of the capture, in one line.
        package var name: String
        /// The receiver chip.
        package var chipset: String
        /// UTC at the start of the capture.
        package var date: UTCTime
        /// The place or route of the capture.
        package var location: String
        /// The purpose of the capture; may be empty.
        package var note = ""

        /// The header lines, each terminated by a line feed.
        package var text: String {
            let entries = [
                ("Name", name), ("Chipset", chipset), ("Date", date.description), ("Location", location),
                ("Note", note),
            ]
            return entries.filter { !$0.1.isEmpty }.map { key, value in
                "# \(key): \(String(value.map { $0.isNewline ? " " : $0 }))\n"
            }.joined()
        }
    }

    /// Returns all bytes that the receiver of `options` sends within `duration`, without the
    /// header.
    ///
    /// - Parameter progress: Gets the percentage that is done, in whole percents.
    /// - Throws: ``SimulatorOptions/Error`` if the options contain an unusable file, and
    ///   ``SimulatorOptions/Error/noDuration`` if nothing limits the duration.
    package static func bytes(_ options: SimulatorOptions, progress: (Int) -> Void = { _ in }) throws -> [UInt8] {
        let built = try options.build(origin: .zero, utc: defaultStart, keepingTimes: true)
        guard let duration = options.duration ?? built.naturalDuration else { throw SimulatorOptions.Error.noDuration }
        var receiver = built.receiver
        var chunks: [SimulatedLine.Chunk] = []
        for percent in 1...100 {
            let part = percent == 100 ? duration : .seconds(duration.seconds * Double(percent) / 100)
            chunks += receiver.bytes(until: .zero + part)
            progress(percent)
        }
        chunks += receiver.remainder()
        return Array(chunks.map(\.bytes).joined())
    }

    /// Returns a header derived from `options`.
    package static func header(_ options: SimulatorOptions, name: String, note: String) throws -> Header {
        let built = try options.build(origin: .zero, utc: defaultStart, keepingTimes: true)
        return Header(name: name, chipset: built.chipset, date: built.startTime, location: built.location, note: note)
    }

    /// The default start time of a capture in UTC. It is fixed so that the output does not depend
    /// on the date.
    package static let defaultStart = UTCTime(milliseconds: 1_780_315_200_000)
}

/// Plays a capture with its recorded timing. It sends the recorded bytes unchanged.
package struct CapturePlayer: BurstSource {
    private let bytes: [UInt8]
    private let timeline: CaptureTimeline
    private let speed: Double
    private let loops: Bool
    private let origin: Instant
    private var nextPart = 0
    private var completedRounds = 0

    /// Creates a player that plays `bytes` from `origin` on.
    ///
    /// - Parameters:
    ///   - speed: Playback speed relative to the recording, 0.001 ... 1000.
    ///   - loops: Whether to restart at the end, one period after the last epoch.
    package init(_ bytes: [UInt8], speed: Double = 1, loops: Bool = false, origin: Instant = .zero) {
        self.bytes = bytes
        timeline = CaptureTimeline(bytes)
        self.speed = min(max(speed, 0.001), 1000)
        self.loops = loops
        self.origin = origin
    }

    /// When the next part is due; nil after the last part.
    package var deadline: Instant? {
        guard nextPart < timeline.parts.count else { return nil }
        let recorded = timeline.parts[nextPart].due.seconds + timeline.duration.seconds * Double(completedRounds)
        return origin + .seconds(recorded / speed)
    }

    /// Returns the part that is due.
    package mutating func burst() -> Burst {
        guard let due = deadline else { return Burst(instant: origin, bytes: []) }
        let range = timeline.parts[nextPart].range
        nextPart += 1
        if nextPart == timeline.parts.count, loops { (nextPart, completedRounds) = (0, completedRounds + 1) }
        return Burst(instant: due, bytes: Array(bytes[range]))
    }
}
