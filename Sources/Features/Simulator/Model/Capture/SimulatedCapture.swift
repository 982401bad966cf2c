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
        package var note: String

        /// Creates a header.
        package init(name: String, chipset: String, date: UTCTime, location: String, note: String = "") {
            self.name = name
            self.chipset = chipset
            self.date = date
            self.location = location
            self.note = note
        }

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
