import Chronology

/// Writes a simulated stretch to a file in simulated time: a capture that anyone can make again.
public struct SimulatedCapture {
    /// Where a capture comes from; printed as `# Key: value` lines at its head.
    public struct Header: Sendable, Equatable {
        /// One line for a list.
        public var name: String
        /// The receiver's chip.
        public var chipset: String
        /// UTC at its start.
        public var date: UTCTime
        /// Where it was.
        public var location: String
        /// What it is for; may be empty.
        public var note: String

        /// A header.
        public init(name: String, chipset: String, date: UTCTime, location: String, note: String = "") {
            (self.name, self.chipset, self.date, self.location, self.note) = (name, chipset, date, location, note)
        }

        /// The lines, each ended by a line feed.
        public var text: String {
            let entries = [("Name", name), ("Chipset", chipset), ("Date", date.description), ("Location", location), ("Note", note)]
            return entries.filter { !$0.1.isEmpty }.map { key, value in
                "# \(key): \(String(value.map { $0.isNewline ? " " : $0 }))\n"
            }.joined()
        }
    }

    /// Everything the receiver of `options` sends within `duration`, without its header.
    ///
    /// - Throws: ``SimulatorOptions/Flaw`` or ``SystemFailure`` when the options name a file that cannot be used, and
    ///   ``SimulatorOptions/Flaw/endless`` when nothing says how long it lasts.
    public static func bytes(_ options: SimulatorOptions) throws -> [UInt8] {
        let built = try options.build(origin: .zero, utc: defaultStart, keepingTimes: true)
        guard let duration = options.duration ?? built.naturalDuration else { throw SimulatorOptions.Flaw.endless }
        var receiver = built.receiver
        let chunks = receiver.bytes(until: .zero + duration) + receiver.remainder()
        return Array(chunks.map(\.bytes).joined())
    }

    /// Writes header and bytes to a file, which appears whole or not at all.
    ///
    /// - Throws: As ``bytes(_:)``, and ``SystemFailure`` when the file cannot be written.
    public static func write(_ options: SimulatorOptions, header: Header, to path: String) throws {
        try writeFile(path, Array(header.text.utf8) + bytes(options))
    }

    /// The header that `options` suggest.
    public static func header(_ options: SimulatorOptions, name: String, note: String) throws -> Header {
        let built = try options.build(origin: .zero, utc: defaultStart, keepingTimes: true)
        return Header(name: name, chipset: built.chipset, date: built.startTime, location: built.location, note: note)
    }

    /// UTC at the start of a capture for which nobody names one, so that it is the same every day.
    public static let defaultStart = UTCTime(milliseconds: 1_780_315_200_000)
}
