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
    private let file: AtomicFile
    private var trust = ClockTrust()
    private var records = AssistanceRecords()
    /// The last place of this run; nil before its first fix.
    private var place: LastPlace?
    /// Counts the changes of ``records``.
    private var revision: UInt64 = 0
    private var schedule = SaveSchedule(saved: 0)
    private var lastSaved: Instant?

    init(_ context: ServiceContext) {
        self.context = context
        file = AtomicFile(path: "\(context.settings.state)/assistance/starts")
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

    func apply(_ settings: Settings, at now: Instant) {
        if !settings.assistance.timeAndPlace { forgetPlace(at: now) }
    }

    var deadline: Instant? { schedule.retryAt }

    /// Forgets the position when the location is switched off for all, and repeats a failed write.
    func endTurn(at now: Instant) {
        if records.place != nil, !isLocationOn { forgetPlace(at: now) }
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

    /// Records a start of a receiver.
    func record(_ start: ReceiverStart, of receiver: String, at now: Instant) {
        let assisted = AssistanceKind.allCases.filter(start.assisted.contains).map(\.rawValue)
        records.add(
            StartReport(
                receiver: receiver, time: HostClock.utc, kind: start.kind, seconds: start.duration.seconds,
                assisted: assisted))
        changed(at: now)
    }

    /// Forgets the last place, also on disk.
    func forgetPlace(at now: Instant) {
        place = nil
        guard records.place != nil else { return }
        records.place = nil
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
            try Directory.make("\(context.settings.state)/assistance", mode: 0o700)
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

    /// Returns the last start of a receiver.
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
