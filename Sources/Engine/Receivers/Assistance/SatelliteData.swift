import Chronology
import Positioning

/// What a u-blox receiver is given back after a loss of power: its own navigation database, and
/// data that the owner has laid in a folder.
///
/// Both are UBX messages of class 0x13 (MGA), each with its checksum.
package struct SatelliteData: Sendable, Equatable {
    /// The navigation database of a receiver, as it dumped it.
    package struct Database: Sendable, Equatable {
        package var time: UTCTime
        /// What the receiver reported about its firmware.
        package var firmware: String
        package var bytes: [UInt8]

        package init(time: UTCTime, firmware: String, bytes: [UInt8]) {
            (self.time, self.firmware) = (time, firmware)
            self.bytes = bytes
        }
    }

    /// The maximum number of bytes of a database, and of files: three times those of known dumps.
    package static let maxBytes = 31 * 1024
    /// The longest age of a database. The makers' documents give none for it: ephemerides are
    /// "valid for a few hours" (u-blox/ubxlib, `u_gnss_mga.h`), and GPS fits them to 4 h
    /// (IS-GPS-200, 20.3.4.4). The receiver judges each entry by the time that it is told before.
    static let maxAge = Instant.Span.seconds(4 * 3600)

    package var database: Database?
    package var files: [UInt8]

    package init(database: Database? = nil, files: [UInt8] = []) { (self.database, self.files) = (database, files) }

    /// Returns the messages of files that may be given on a day: AssistNow Offline of that day.
    ///
    /// Nothing else is: a file has no time for other data, and a time in it is that of its
    /// download.
    package static func messages(of frames: [UBXFrame], on day: CivilDate) -> [UInt8] {
        let date = day.components
        var bytes: [UInt8] = []
        // UBX-MGA-ANO (76 bytes): year from 2000 on, month and day from the fourth byte on.
        for frame in frames where frame.group == 0x13 && frame.number == 0x20 && frame.payload.count == 76 {
            guard
                frame.payload[4..<7].elementsEqual(
                    [date.year - 2000, date.month, date.day].map(UInt8.init(clamping:))),
                bytes.count + frame.bytes.count <= maxBytes
            else { continue }
            bytes += frame.bytes
        }
        return bytes
    }

    /// Returns the messages for a receiver at a time, each with what it is.
    func messages(for firmware: String, at utc: UTCTime) -> [(frame: UBXFrame, kind: AssistanceKind)] {
        var messages: [(frame: UBXFrame, kind: AssistanceKind)] = []
        if let database, !firmware.isEmpty, database.firmware == firmware, database.time <= utc,
            utc.span(since: database.time) <= SatelliteData.maxAge
        {
            messages += UBXFrame.frames(in: database.bytes).filter(\.isDatabaseEntry).map { ($0, .database) }
        }
        let today = UBXFrame.frames(in: SatelliteData.messages(of: UBXFrame.frames(in: files), on: utc.date))
        return messages + today.map { ($0, .file) }
    }
}

extension UBXFrame {
    /// UBX-MGA-DBD: at most 164 bytes by the interface description, 248 seen (ubxlib).
    fileprivate var isDatabaseEntry: Bool { group == 0x13 && number == 0x80 && (13...256).contains(payload.count) }

    /// Returns the frames among other bytes, without damaged ones.
    package static func frames(in bytes: [UInt8]) -> [UBXFrame] {
        var framer = UBXFramer()
        return bytes.compactMap { framer.push($0) }
    }
}

/// Asks a receiver for its navigation database after a good period, and collects the answer.
struct DatabaseReader: Sendable {
    /// The slowest line, in bits per second, on which data is transferred: 10 kB take 2.7 s; and
    /// that at the end of the program.
    private static let (minBaud, minBaudAtEnd) = (38_400, 115_200)
    /// The shortest time between two dumps.
    private static let interval = Instant.Span.seconds(1800)
    /// How long the receiver must have had a fix: GPS repeats ephemerides every 30 s.
    private static let minTracking = Instant.Span.seconds(60)

    /// Whether databases are kept.
    let isEnabled: Bool
    /// Since when the receiver has had a fix; nil while it has none.
    private var fixSince: Instant?
    private var lastDump: Instant?
    /// The messages of the dump in progress; nil without one.
    private var bytes: [UInt8]?
    private var count = 0
    /// Whether there was more than may be kept, fewer messages than the receiver sent, or no end
    /// yet of a dump that the end of the program may cut.
    private var isIncomplete = false

    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// Returns the firmware of a receiver that accepts MGA messages and dumps its database; nil for
    /// another, and on a slow line.
    static func firmware(
        of receiver: ReceiverIdentification, on channel: CommandChannel, minBaud: Int = minBaud
    ) -> String? {
        guard channel.baud.map({ $0 >= minBaud }) ?? true else { return nil }
        switch receiver.chip {
        case .ublox8 where (receiver.protocolNumber ?? 0) >= 18, .ubloxM9, .ubloxM10:
            return receiver.identity.texts.first { $0.hasPrefix("FWVER=") }
        default: return nil
        }
    }

    /// Begins a dump before a long standby if the database is worth one. Returns whether it did.
    mutating func begin(
        _ receiver: ReceiverIdentification, until standbyEnd: Instant?, on channel: inout CommandChannel,
        at now: Instant
    ) -> Bool {
        let isLong = standbyEnd.map { $0 - now >= StartTracker.minGap } ?? true
        let steps = isLong ? steps(receiver, channel, at: now) : []
        guard !steps.isEmpty else { return false }
        channel.start(steps, at: now)
        channel.advance(to: now)
        return true
    }

    /// Returns the commands of a dump that begins now; none if the database is not worth one.
    ///
    /// UBX-MGA-DBD without payload asks for it. UBX-MGA-ACK ends the answer, where the receiver
    /// sends it; else the timeout does.
    ///
    /// - Parameter isAtEnd: Whether the program is about to end, so that there is little time.
    mutating func steps(
        _ receiver: ReceiverIdentification, _ channel: CommandChannel, isAtEnd: Bool = false, at now: Instant
    ) -> [CommandSequence.Step] {
        let minBaud = isAtEnd ? DatabaseReader.minBaudAtEnd : DatabaseReader.minBaud
        bytes = nil
        guard isEnabled, channel.acceptsCommands, let fixSince, now - fixSince >= DatabaseReader.minTracking,
            lastDump.map({ now - $0 >= DatabaseReader.interval }) ?? true,
            DatabaseReader.firmware(of: receiver, on: channel, minBaud: minBaud) != nil
        else { return [] }
        (bytes, count) = ([], 0)
        (isIncomplete, lastDump) = (isAtEnd, now)
        var poll = Command.ubx(0x13, 0x80)
        poll.expectedReply = .ubx(group: 0x13, number: 0x60)
        // 12 kB, and a burst in progress. A suspension of the host waits for 3 s.
        poll.timeout = .seconds(isAtEnd ? 1.2 : 1 + (channel.baud.map { 120_000 / Double($0) } ?? 0))
        return [CommandSequence.Step(purpose: .database, command: poll)]
    }

    /// Records whether the last epoch had a fix; false also for a receiver that sleeps.
    mutating func record(hasFix: Bool, at now: Instant) { fixSince = hasFix ? fixSince ?? now : nil }

    /// Forgets a dump in progress, because the port is lost.
    mutating func cancel() { (bytes, fixSince) = (nil, nil) }

    mutating func receive(_ message: ReceivedMessage) {
        guard let held = bytes?.count, case .ubx(let frame) = message else { return }
        if frame.isDatabaseEntry {
            let entry = frame.bytes
            guard held + entry.count <= SatelliteData.maxBytes else { return isIncomplete = true }
            bytes? += entry
            count += 1
        } else if frame.group == 0x13, frame.number == 0x60, frame.payload.count == 8, frame.payload[3] == 0x80 {
            // The number of entries is where the payload of an acknowledged message begins.
            let sent = frame.payload[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
            isIncomplete = frame.payload[0] != 1 || sent != count
        }
    }

    /// Ends a dump, and requests that it be kept if it is complete.
    mutating func end(_ receiver: ReceiverIdentification, on channel: inout CommandChannel) {
        defer { bytes = nil }
        guard let bytes, !bytes.isEmpty, !isIncomplete,
            let firmware = DatabaseReader.firmware(of: receiver, on: channel)
        else { return }
        channel.request(.report(.databaseDumped(bytes, firmware: firmware)))
    }
}
