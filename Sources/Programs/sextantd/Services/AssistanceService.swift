import Chronology
import Geodesy
import Glibc
import Locator
import Logging
import Permission
import Positioning
import Receivers
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// Knows what receivers may be told before their first fix, records their starts, and serves
/// `GetStarts` of `io.sextant.Receiver`.
///
/// The last place and the starts are on disk, so that a start after a boot has them. They cause no
/// wakeup: they are written in a turn with a fix, at most once in 30 min, and at the end. Only a
/// write that failed is repeated at a time.
final class AssistanceService: Service, ReceiverContributor {
    /// The shortest interval between two writes: 48 a day.
    private static let saveInterval = Instant.Span.seconds(1800)

    let context: ServiceContext
    let methods = [ReceiverMethods.getStarts.name]
    private let folder: String
    private let file: AtomicFile
    private var trust = ClockTrust()
    private var records = AssistanceRecords()
    /// The last place of this run; nil before its first fix.
    private var place: LastPlace?
    /// Counts the changes of ``records``.
    private var revision: UInt64 = 0
    private var schedule = SaveSchedule(saved: 0)
    private var lastSaved: Instant?
    /// Whether there may be databases on disk, and whether they must be erased with the next write.
    private var hasDatabases = false
    private var mustErase = false
    /// The messages of the owner's files for a day, and when they were read.
    private var files: (day: CivilDate, read: Instant, bytes: [UInt8])?

    init(_ context: ServiceContext) {
        self.context = context
        folder = "\(context.settings.state)/assistance"
        file = AtomicFile(path: "\(folder)/starts")
        load()
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        try session.serve(ReceiverMethods.getStarts, call: call) { parameters throws(VarlinkError) in
            StartsReply(
                starts: records.starts.filter { parameters.receiver == nil || parameters.receiver == $0.receiver })
        }
    }

    func addDetails(to message: inout Receiver, of id: ReceiverID) {
        message.lastStart = records.lastStart(of: message.name)
    }

    var deadline: Instant? { schedule.retryAt }

    /// Forgets the position when it is not wanted or the location is switched off for all, and
    /// repeats a failed write.
    func endTurn(at now: Instant) {
        let settings = context.settings.assistance
        if records.place != nil || hasDatabases, !isLocationOn || !settings.timeAndPlace { forgetPlace(at: now) }
        if hasDatabases, !settings.database { eraseDatabases(at: now) }
        if let retryAt = schedule.retryAt, retryAt <= now { save(at: now) }
    }

    func stop(at now: Instant) { if !schedule.isSaved(revision) { save(at: now) } }

    /// Returns what a receiver may be told now; nil if nothing.
    func assistance(at now: Instant) -> StartAssistance? {
        guard context.settings.assistance.timeAndPlace, isLocationOn, let host = HostClock.utcIfSet else { return nil }
        let clock = trust.clock(host, synchronizedWithin: HostClock.synchronizedError, at: now)
        return StartAssistance(clock: clock, place: place ?? clock.flatMap { records.place(at: now, by: $0) })
    }

    private var isLocationOn: Bool { context.permissions.locationSwitch.isOn }

    /// Compares the host's clock with a fix, and keeps its position. Simulated ones do not count,
    /// nor those with the host's own date. While the location is off for all, no position is kept.
    func record(_ fix: Fix, at now: Instant) {
        guard context.settings.assistance.timeAndPlace, isLocationOn, trust.isDue(at: now), !fix.isSimulated,
            !fix.isDateGuessed, let time = fix.time, let coordinate = fix.coordinate,
            let accuracy = fix.horizontalAccuracy
        else { return }
        trust.compare(HostClock.utc, withFix: time, at: now)
        place = LastPlace(coordinate, altitude: fix.ellipsoidalAltitude, accuracy: accuracy, at: now)
        records.place = AssistanceRecords.Place(
            time: time, coordinate: coordinate, altitude: fix.ellipsoidalAltitude, accuracy: accuracy)
        changed(at: now)
    }

    func record(_ start: ReceiverStart, of receiver: String, at now: Instant) {
        let assisted = AssistanceKind.allCases.filter(start.assisted.contains).map(\.rawValue)
        records.add(
            StartReport(
                receiver: receiver, time: HostClock.utc, kind: start.kind, seconds: start.duration.seconds,
                assisted: assisted))
        changed(at: now)
    }

    /// Forgets the last place, and the databases of receivers: what is in them is not documented.
    func forgetPlace(at now: Instant) {
        place = nil
        guard records.place != nil || hasDatabases else { return }
        records.place = nil
        eraseDatabases(at: now)
    }

    private func eraseDatabases(at now: Instant) {
        (hasDatabases, mustErase) = (false, true)
        revision += 1
        save(at: now)
    }

    private func changed(at now: Instant) {
        revision += 1
        if lastSaved.map({ now - $0 >= AssistanceService.saveInterval }) ?? true { save(at: now) }
    }

    private func save(at now: Instant) {
        lastSaved = now
        do throws(SystemError) {
            try Directory.make(folder, mode: 0o700)
            if mustErase {
                for name in try Directory.names(in: folder) where name.hasPrefix("database") {
                    try systemCall("erasing \(folder)/\(name)") { unlink("\(folder)/\(name)") }
                }
                mustErase = false
            }
            try file.replace(with: records.text)
            schedule.succeeded(revision)
        } catch {
            if schedule.retryAt == nil {
                log.warning(
                    "\(file.path) has the last place and the starts as before until it can be written: \(error)")
            }
            schedule.failed(at: now)
        }
    }

    private func load() {
        hasDatabases = (try? Directory.names(in: folder))?.contains { $0.hasPrefix("database") } ?? false
        do throws(SystemError) {
            guard let read = AssistanceRecords(text: String(decoding: try file.contents(), as: UTF8.self)) else {
                return log.warning("\(file.path) is damaged: the last place and the starts of receivers are not known")
            }
            records = read
        } catch {
            guard error.code != ENOENT else { return }
            log.warning("cannot read the last place and the starts of receivers: \(error)")
        }
    }
}

// Data of satellites.
extension AssistanceService {
    /// How long the files of the owner are not read again.
    private static let filesLifetime = Instant.Span.seconds(3600)

    /// Returns what may be given back to a receiver that had no power; nil if nothing.
    func satelliteData(for identity: String, at now: Instant) -> SatelliteData? {
        guard context.settings.assistance.timeAndPlace, isLocationOn else { return nil }
        var data = SatelliteData()
        if context.settings.assistance.database, hasDatabases {
            let read = try? databaseFile(of: identity).contents()
            data.database = read.flatMap { SatelliteData.Database(file: $0, of: identity) }
        }
        if let owner = context.settings.assistance.folder, let utc = HostClock.utcIfSet {
            data.files = messages(in: owner, on: utc.date, at: now)
        }
        return data == SatelliteData() ? nil : data
    }

    /// Keeps the database that a receiver dumped, if the time is known.
    func keep(_ bytes: [UInt8], of identity: String, firmware: String, at now: Instant) {
        guard context.settings.assistance.database, isLocationOn, !mustErase,
            let time = assistance(at: now)?.clock?.utc(at: now)
        else { return }
        let database = SatelliteData.Database(time: time, firmware: firmware, bytes: bytes)
        do throws(SystemError) {
            try Directory.make(folder, mode: 0o700)
            hasDatabases = true
            try databaseFile(of: identity).replace(with: database.file(of: identity))
        } catch {
            log.warning("cannot keep the navigation database of a receiver; its next start may be slower: \(error)")
        }
    }

    /// Returns the file of a device. There are 16, which some devices may share.
    private func databaseFile(of identity: String) -> AtomicFile {
        // The hash wraps: it only chooses among the files.
        let hash = identity.utf8.reduce(UInt32(5381)) { ($0 << 5) &+ $0 ^ UInt32($1) }
        return AtomicFile(path: "\(folder)/database\(hash % 16)")
    }

    /// Returns the messages of a day in the files that the owner has laid in a folder. They are
    /// read again after an hour, and on another day.
    private func messages(in owner: String, on day: CivilDate, at now: Instant) -> [UInt8] {
        if let files, files.day == day, now - files.read < AssistanceService.filesLifetime { return files.bytes }
        let bytes = AssistanceFiles(owner).messages(on: day) { log.warning("assistance.folder: \($0)") }
        files = (day, now, bytes)
        return bytes
    }
}

/// The files of AssistNow Offline in a folder of the owner.
struct AssistanceFiles {
    /// The maximum number of files, and of bytes of each: AssistNow Offline has 84 bytes for a
    /// satellite and day, which is 350 kB for 35 days of 120 satellites.
    private static let (maxFiles, maxFileBytes) = (16, 1024 * 1024)

    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// Returns the messages of a day, from the last files by name: names have dates. What cannot be
    /// used is left out and reported.
    func messages(on day: CivilDate, report: (String) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let names = try Directory.names(in: folder).filter { $0.hasSuffix(".ubx") }.sorted(by: >)
            if names.count > Self.maxFiles {
                report("only the last \(Self.maxFiles) of \(names.count) files by name are read")
            }
            for name in names.prefix(Self.maxFiles) {
                do throws(SystemError) {
                    let found = try messages(of: "\(folder)/\(name)", on: day, report: report)
                    guard bytes.count + found.count <= SatelliteData.maxBytes else {
                        report("\(name) is left out: with it, there would be more than \(SatelliteData.maxBytes) bytes")
                        continue
                    }
                    bytes += found
                } catch {
                    report("a file is left out: \(error)")
                }
            }
        } catch {
            report("no file is used: \(error)")
        }
        return bytes
    }

    private func messages(
        of path: String, on day: CivilDate, report: (String) -> Void
    ) throws(SystemError) -> [UInt8] {
        var status = stat()
        try systemCall("reading \(path)") { stat(path, &status) }
        // Opening a device may change its lines: a serial port resets some receivers.
        guard status.st_mode & S_IFMT == S_IFREG else {
            report("\(path) is left out: it is not a regular file")
            return []
        }
        let file = try AtomicFile(path: path).contents(limit: Self.maxFileBytes + 1)
        if file.count > Self.maxFileBytes { report("only the first MiB of \(path) is read") }
        return SatelliteData.messages(of: UBXFrame.frames(in: file), on: day)
    }
}

extension SatelliteData.Database {
    private static let heading = "sextant database 1"

    /// The contents of its file: a heading, the time in milliseconds since 1970 with the identity
    /// of the device, and the firmware, each on a line; then the messages.
    func file(of identity: String) -> [UInt8] {
        Array("\(Self.heading)\n\(time.milliseconds) \(identity)\n\(firmware)\n".utf8) + bytes
    }

    /// Reads a file; nil if it is damaged or of another device.
    init?(file: [UInt8], of identity: String) {
        let parts = file.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].elementsEqual(Self.heading.utf8) else { return nil }
        let line = String(decoding: parts[1], as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard line.count == 2, let time = Int64(line[0]), line[1] == identity else { return nil }
        self.init(
            time: UTCTime(milliseconds: time), firmware: String(decoding: parts[2], as: UTF8.self),
            bytes: Array(parts[3]))
    }
}

/// The last place and the starts of receivers, as they are kept between runs.
///
/// The text form is a heading, a line for the place and one per start. Times are in milliseconds
/// since 1970; a hyphen is an unknown altitude, or no assistance:
///
///     sextant assistance 1
///     place 1800000000000 51.4779 -0.0015 45.2 3.1
///     start 1800000000000 aided 12.3 time,place ttyACM0
struct AssistanceRecords: Equatable {
    /// The last position with its time.
    struct Place: Equatable {
        var time: UTCTime
        var coordinate: Coordinate
        var altitude: Double?
        var accuracy: Double
    }

    /// The number of starts that are kept.
    static let capacity = 20
    private static let heading = "sextant assistance 1"

    var place: Place?
    /// The starts, the oldest first.
    private(set) var starts: [StartReport] = []

    init() {}

    /// Returns the place, given the time at `now`; nil if there is none, or it is in the future.
    func place(at now: Instant, by clock: BelievedClock) -> LastPlace? {
        guard let place, place.time <= clock.utc(at: now) else { return nil }
        return LastPlace(
            place.coordinate, altitude: place.altitude, accuracy: place.accuracy,
            at: now - clock.utc(at: now).span(since: place.time))
    }

    func lastStart(of receiver: String) -> StartReport? { starts.last { $0.receiver == receiver } }

    mutating func add(_ start: StartReport) {
        starts.append(start)
        if starts.count > AssistanceRecords.capacity { starts.removeFirst() }
    }

    /// Parses the text form. Returns `nil` if any part is invalid.
    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard lines.first.map(String.init) == AssistanceRecords.heading,
            lines.count <= AssistanceRecords.capacity + 2
        else { return nil }
        for line in lines.dropFirst() {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 6, let time = Int64(fields[1]).map(UTCTime.init(milliseconds:)) else { return nil }
            switch fields[0] {
            case "place":
                guard place == nil, let read = Place(fields, time: time) else { return nil }
                place = read
            case "start":
                guard let start = StartReport(fields, time: time) else { return nil }
                starts.append(start)
            default: return nil
            }
        }
    }

    var text: String {
        var text = AssistanceRecords.heading + "\n"
        if let place {
            text += "place \(place.time.milliseconds) \(place.coordinate.latitude) \(place.coordinate.longitude) "
            text += "\(place.altitude.map { "\($0)" } ?? "-") \(place.accuracy)\n"
        }
        for start in starts where !start.receiver.contains("\n") {
            let assisted = start.assisted.isEmpty ? "-" : start.assisted.joined(separator: ",")
            text += "start \(start.time.milliseconds) \(start.kind.rawValue) \(start.seconds) \(assisted) "
            text += "\(start.receiver)\n"
        }
        return text
    }
}

extension AssistanceRecords.Place {
    fileprivate init?(_ fields: [String], time: UTCTime) {
        guard let latitude = Double(fields[2]), let longitude = Double(fields[3]),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let accuracy = Double(fields[5]), (0...1e8).contains(accuracy)
        else { return nil }
        let altitude = Double(fields[4])
        guard altitude.map({ abs($0) < 1e6 }) ?? (fields[4] == "-") else { return nil }
        self.init(time: time, coordinate: coordinate, altitude: altitude, accuracy: accuracy)
    }
}

extension StartReport {
    fileprivate init?(_ fields: [String], time: UTCTime) {
        let assisted = fields[4] == "-" ? [] : fields[4].split(separator: ",").map(String.init)
        guard let kind = StartKind(rawValue: fields[2]), let seconds = Double(fields[3]), (0...1e9).contains(seconds),
            assisted.allSatisfy({ AssistanceKind(rawValue: $0) != nil })
        else { return nil }
        self.init(receiver: fields[5], time: time, kind: kind, seconds: seconds, assisted: assisted)
    }
}
