import ArgumentParser
import Chronology
import Geodesy
import Locator
import Positioning
import SextantAPI
import SystemCalls
import Varlink

/// `sextant station`: the fixed place of the device. `sextant status` and `sextant doctor` show it.
struct StationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "station", abstract: "Measure the fixed place of the device.",
        subcommands: [StationAverageCommand.self])
}

/// `sextant station average`: measures the place of a device that does not move.
struct StationAverageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "average",
        abstract: "Average positions, and print the place with its own accuracy as lines of the configuration.",
        discussion: """
            The device must not move. Errors of a receiver last for minutes to hours, so ten minutes are little better \
            than one position, and 24 h are worth it. Ctrl-C ends the measurement and prints what there is. At least \
            60 positions in a minute are needed: with fewer, or if the device moved, exit with status 2.
            """)

    @Option(help: ArgumentHelp("Measure for this many hours (default: 24).", valueName: "hours"))
    var hours: Double?

    @Option(
        help: ArgumentHelp("Average the positions of a capture, '-' for standard input.", valueName: "file"),
        completion: .file())
    var from: String?

    @Option(help: ArgumentHelp("Use only this receiver, by name or port.", valueName: "name"))
    var receiver: String?

    @Option(help: ArgumentHelp("Write the averaged positions as GPX.", valueName: "file"), completion: .file())
    var gpx: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    private static let range = 1.0 / 60...24 * 31

    /// How long to measure, in hours; nil for a whole capture.
    private var duration: Double? { hours ?? (from == nil ? 24 : nil) }

    func validate() throws {
        guard duration.map({ StationAverageCommand.range.contains($0) }) ?? true else {
            throw ValidationError("--hours must be 0.017 to 744, one minute to 31 days")
        }
    }

    func run() throws {
        let measurement = PlaceMeasurement(duration: duration.map { .seconds($0 * 3600) }, keepsPoints: gpx != nil)
        // A file that cannot be written is found before the measurement, which may last a day.
        if let gpx { try write([], to: gpx) }
        if let from { try measurement.read(from) } else { try measureLive(into: measurement) }
        guard let result = measurement.average.result else {
            if let gpx { try write(measurement.points, to: gpx) }
            throw CommandError(measurement.reasonWithoutResult, exitStatus: .noResult)
        }
        let place = AveragedPlace(result, movedAt: result.movedAt.flatMap { measurement.time(at: $0) })
        try output.print([place], or: place.lines)
        if let gpx { try write(measurement.points, to: gpx) }
        if let error = place.error { throw CommandError(error, exitStatus: .noResult) }
    }

    private func measureLive(into measurement: PlaceMeasurement) throws {
        let known = try daemon.call(ReceiverMethods.list).receivers
        // The stream of no receiver in particular has the fixed place, if there is one.
        let present = known.first(where: \.isPrimary) ?? known.first { $0.state != .absent } ?? known.first
        guard let name = receiver ?? present?.name else {
            throw CommandError("there is no receiver; find the cause with: sextant doctor", exitStatus: .noResult)
        }
        let parameters = SubscribeParameters(
            configuration: .otherNavigation, receiver: name, pausesWhenStationary: false)
        let feed = try DaemonFeed(daemon, subscribingTo: .init(updates: parameters))
        try LiveSession(duration: duration.map { .seconds($0 * 3600) }).run(feed, on: measurement)
    }

    private func write(_ points: [RecordedPoint], to path: String) throws(CommandError) {
        let text = String(decoding: TrackExport(points: points, visits: []).bytes(.gpx), as: UTF8.self)
        do throws(SystemError) { try AtomicFile(path: path).replace(with: text) } catch { throw CommandError(error) }
    }
}

/// A measurement that goes on, with its progress on a terminal.
final class PlaceMeasurement: LiveOutput {
    /// The time between two lines of progress: the average of a day takes a tenth of a second.
    private static let progressInterval = Instant.Span.seconds(5)

    private(set) var average = StationAverage()
    /// The averaged positions, if they are kept.
    private(set) var points: [RecordedPoint] = []
    private let duration: Instant.Span?
    private let keepsPoints: Bool
    private let isShown = StandardError.isTerminal
    private let began = HostClock.now
    /// The number of positions of a capture without a date.
    private var undated = 0
    /// The seconds of UTC at zero of the time that the average gets.
    private var offset: Double? = 0
    private var nextProgress = HostClock.now
    private var messages = ConnectionMessages()

    init(duration: Instant.Span?, keepsPoints: Bool) {
        (self.duration, self.keepsPoints) = (duration, keepsPoints)
    }

    /// Averages a capture, or its first part.
    func read(_ file: String) throws(CommandError) {
        var replay = Replay(options: Replay.Options(receiver: CaptureFile.receiverName(of: file)))
        var first: Double?
        let add: (Effect) -> Void = { [self] effect in
            guard case .receiver(.epoch(_, let fix)) = effect else { return }
            guard let time = fix.time else {
                if fix.coordinate != nil { undated += 1 }
                return
            }
            let seconds = Double(time.milliseconds) / 1000
            if fix.coordinate != nil { first = first ?? seconds }
            if let duration, let first, seconds - first > duration.seconds { return }
            record(fix, at: seconds)
        }
        try CaptureFile.readParts(of: file) { part, _ throws(CommandError) in replay.receive(part, add) }
        replay.finish(add)
    }

    private func record(_ fix: Fix, at seconds: Double) {
        guard average.add(fix, at: seconds), keepsPoints, let coordinate = fix.coordinate,
            let accuracy = fix.horizontalAccuracy, let time = fix.time ?? self.time(at: seconds)
        else { return }
        points.append(
            RecordedPoint(
                timestamp: time, latitude: coordinate.latitude, longitude: coordinate.longitude,
                horizontalAccuracy: accuracy, altitude: fix.altitude))
    }

    /// Why there is no result.
    var reasonWithoutResult: String {
        if average.count == 0, undated > 0 {
            return
                "\(DecimalText.count(undated, "position")), none with a date, which the average needs: record RMC or "
                + "ZDA too"
        }
        return "\(DecimalText.count(average.count, "position")) cannot be averaged: at least "
            + "\(StationAverage.minCount) in a minute are needed"
    }

    /// Returns the time of an averaged position; nil if the host's clock was never set.
    func time(at seconds: Double) -> UTCTime? {
        offset.map { UTCTime(milliseconds: Int64(($0 + seconds) * 1000)) }
    }

    // MARK: The live stream

    var deadline: Instant? { isShown ? nextProgress : nil }

    func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events {
            switch event {
            case .update(let update): try receive(update, at: now)
            case .connected, .disconnected, .hung, .replied: messages.report(event)
            case .receivers, .visit, .heading, .beacons, .monitor, .agent, .sentences: break
            }
        }
        guard isShown, now >= nextProgress else { return }
        nextProgress = now + PlaceMeasurement.progressInterval
        let radius = average.result.map { ", ±\(LengthText.metres($0.horizontalAccuracy))" } ?? ""
        let whole = duration.map { " of \(TimeText.span($0.seconds))" } ?? ""
        StandardError.overwriteLine(
            "\(TimeText.span((now - began).seconds))\(whole), \(DecimalText.count(average.count, "position"))\(radius)")
    }

    private func receive(_ update: SubscribeReply, at now: Instant) throws(CommandError) {
        guard let location = update.location, (update.age ?? 0) < 5 else { return }
        guard !location.isReduced else {
            throw CommandError(
                "this program gets a reduced location; find the cause with: sextant doctor program",
                exitStatus: .notPermitted)
        }
        guard let coordinate = Coordinate(latitude: location.latitude, longitude: location.longitude) else { return }
        var fix = Fix(mode: location.mode, quality: location.quality)
        fix.time = location.timestamp
        fix.coordinate = coordinate
        fix.horizontalAccuracy = location.horizontalAccuracy
        fix.altitude = location.altitude
        fix.ellipsoidalAltitude = location.ellipsoidalAltitude
        let seconds = Double(now.nanoseconds) / 1e9
        offset = HostClock.utcIfSet.map { Double($0.milliseconds) / 1000 - seconds }
        record(fix, at: seconds)
    }

    func end() { if isShown { StandardError.overwriteLine("") } }
}

/// An averaged place, as `sextant station average` prints it.
struct AveragedPlace: Encodable {
    /// Degrees, metres and seconds.
    var latitude, longitude, horizontalAccuracy: Double
    var altitude: Double?
    /// The number of averaged positions, and of those that were left out.
    var positions, outliers: Int
    /// The time that the positions cover.
    var seconds: Double
    /// Why the radius is not to be relied on, and when the device was moved.
    var doubt: String?
    var movedAt: String?

    init(_ result: StationAverage.Result, movedAt: UTCTime? = nil) {
        (latitude, longitude) = (result.coordinate.latitude, result.coordinate.longitude)
        horizontalAccuracy = AveragedPlace.rounded(result.horizontalAccuracy, .up)
        altitude = result.altitude.map { AveragedPlace.rounded($0, .toNearestOrEven) }
        (positions, outliers) = (result.count, result.outliers)
        seconds = result.duration.seconds
        doubt = result.doubt?.rawValue
        self.movedAt = movedAt?.description
    }

    /// Rounds metres to centimetres.
    private static func rounded(_ value: Double, _ rule: FloatingPointRoundingRule) -> Double {
        (value * 100).rounded(rule) / 100
    }

    /// The error of a measurement that cannot be used; nil if it can.
    var error: String? {
        guard doubt == StationAverage.Doubt.moved.rawValue else { return nil }
        return "the device moved\(movedAt.map { " at \($0)" } ?? ""), and the average is of two places; measure again"
    }

    private var reason: String? {
        switch doubt.flatMap({ StationAverage.Doubt(rawValue: $0) }) {
        case .held: "The receiver holds its position, so nothing is averaged: this is the radius of one position."
        case .short: "Too short to be sure: errors that last for hours are only assumed. Measure for 24 h."
        case .unsettled: "Not settled: longer parts of the measurement differ more. Measure longer."
        case .moved, nil: nil
        }
    }

    /// The result as text, with lines for the configuration unless the device was moved.
    var lines: [String] {
        var lines = [
            "\(StationText.position(latitude, longitude)) ±\(LengthText.metres(horizontalAccuracy))",
            "\(DecimalText.count(positions, "position")) in \(TimeText.span(seconds)), \(outliers) left out",
        ]
        if let reason { lines.append(reason) }
        if error != nil { return lines }
        lines += [
            "", "[station]", "latitude = \(DecimalText.text(latitude, decimals: 7))",
            "longitude = \(DecimalText.text(longitude, decimals: 7))",
            "accuracy = \(DecimalText.text(horizontalAccuracy, decimals: 2))",
        ]
        if let altitude { lines.append("altitude = \(DecimalText.text(altitude, decimals: 1))") }
        return lines
    }
}

/// A fixed place as text.
enum StationText {
    static func position(_ latitude: Double, _ longitude: Double) -> String {
        "\(DecimalText.text(latitude, decimals: 7)), \(DecimalText.text(longitude, decimals: 7))"
    }

    /// What the last measurement found; nil without any.
    static func measurement(_ station: StationReport) -> String? {
        guard let receiver = station.receiver, let distance = station.distance,
            let accuracy = station.measuredAccuracy
        else { return nil }
        let time = station.measured.map { ", \(TimeText.moment($0))" } ?? ""
        return "\(receiver): \(LengthText.metres(distance)) away, ±\(LengthText.metres(accuracy))\(time)"
    }

    static func verdict(_ station: StationReport) -> String {
        switch station.verdict {
        case .agrees: "the receiver agrees"
        case .moved: "moved: the place in the configuration is wrong, or the receiver is elsewhere"
        case .unchecked, .unknown: "not checked by a receiver, which takes three minutes with a fix"
        }
    }

    /// The verdict with the measurement that it follows from.
    static func finding(_ station: StationReport) -> String {
        measurement(station).map { "\(verdict(station)); \($0)" } ?? verdict(station)
    }

    /// The check of `sextant doctor`; nil without a fixed place.
    static func check(_ station: StationReport?) -> Check? {
        guard let station else { return nil }
        guard station.verdict == .moved else {
            return .ok(.station, finding: "the location is the fixed place \(station.name); \(finding(station))")
        }
        return .wrong(
            .station, finding: "the fixed place has moved: \(measurement(station) ?? "a receiver is elsewhere")",
            remedy: "measure the place again, and correct [station] in the configuration; clients still get it",
            command: "sextant station average")
    }
}
