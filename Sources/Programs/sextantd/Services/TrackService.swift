import Chronology
import Geodesy
import Glibc
import Locator
import Permission
import Positioning
import Receivers
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import Varlink

/// Serves `Track` of `io.sextant.Location`, and records the track if the configuration says so.
///
/// The recorder is a client of the core like others: a passive stream of a program of its own, the
/// daemon, which the rules and decisions about programs apply to. It never needs a receiver.
final class TrackService: Service {
    /// The number of the stream. Those of connections are positive.
    static let stream = RequestID(-1)
    /// The distance in metres from each position to the recorded track.
    private static let tolerance = 5.0
    /// The time without a position, in milliseconds, after which a track begins anew, unless the
    /// device was at rest.
    private static let gap = Int64(300_000)
    /// The valid number of points per page.
    private static let pageSizes = 1...1000

    let context: ServiceContext
    let methods = [LocationMethods.track.name]
    private let program = ProgramID(user: geteuid(), unit: "sextantd.service")
    private let store: TrackStore
    private var isFollowing = false
    /// The request of the recorder; nil while nothing is recorded.
    private(set) var recorder: ActiveRequest?
    private var last: TrackRow?
    private var wasResting = false

    init(_ context: ServiceContext) {
        self.context = context
        store = TrackStore(directory: context.settings.state, log: context.log)
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        try session.serve(LocationMethods.track, call: call) { parameters throws(VarlinkError) in
            try page(parameters, for: session)
        }
    }

    /// When ``tick(at:)`` is due; nil if it is not.
    var deadline: Instant? { store.deadline }

    func tick(at now: Instant) { store.tick(at: now) }

    func stop(at now: Instant) { store.save(at: now) }

    /// Begins or ends recording.
    func apply(_ settings: Settings, at now: Instant) {
        store.apply(settings.trackLifetime, at: now)
        let isWanted = settings.trackLifetime > .zero
        if isWanted, !isFollowing { _ = permissions.follow(program) }
        if !isWanted, isFollowing { permissions.unfollow(program) }
        isFollowing = isWanted
        update(at: now)
    }

    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        if program == self.program { update(at: now) }
    }

    private func update(at now: Instant) {
        let verdict = permissions.verdict(of: program)
        let mayRecord = isFollowing && verdict.allowsFullLocation
        guard mayRecord != (recorder != nil) else { return }
        context.uses.setRecording(mayRecord ? verdict : nil, by: program, as: TrackService.stream, at: now)
        guard mayRecord else {
            recorder = nil
            context.locator.cancel([TrackService.stream])
            store.save(at: now)
            return store.close()
        }
        let request = StreamRequest(
            configuration: .otherNavigation,
            options: StreamOptions(isPassive: true, tolerance: TrackService.tolerance))
        recorder = ActiveRequest(
            .otherNavigation, program: Program(program), receiver: nil, stream: request, at: now)
        (last, wasResting) = (nil, false)
        add(context.locator.subscribe(request, id: TrackService.stream, at: now), at: now)
    }

    /// The recorder as one of the consumers; nil while nothing is recorded.
    func consumer(at now: Instant) -> Consumer? {
        guard let recorder else { return nil }
        var message = Consumer(recorder, process: nil, at: now)
        message.owner = program.description
        return message
    }

    /// Records an update of the stream.
    func add(_ update: Update, at now: Instant) {
        guard recorder != nil, let fix = update.location?.fix, let time = fix.time, let coordinate = fix.coordinate,
            let accuracy = fix.horizontalAccuracy, accuracy.isFinite
        else { return }
        var point = TrackRow(
            time: time.milliseconds, latitude: Int64((coordinate.latitude * 1e7).rounded()),
            longitude: Int64((coordinate.longitude * 1e7).rounded()),
            accuracy: Int64(min(accuracy * 10, 1e9).rounded(.up)),
            altitude: fix.altitude.flatMap { abs($0) < 1e8 ? Int64(($0 * 10).rounded()) : nil },
            isSimulated: fix.isSimulated)
        let sinceLast = last.map { point.time - $0.time }
        let isGap = sinceLast.map { $0 < 0 || $0 > TrackService.gap && !wasResting } ?? true
        point.begins = isGap || last?.isSimulated != point.isSimulated
        wasResting = update.stationary
        guard sinceLast != 0 else { return }
        last = point
        store.add(point, at: now)
        context.uses.recorded(TrackService.stream)
    }

    /// Erases the track. The next point begins another one. Returns the number of points.
    func erase() throws(StoreError) -> Int {
        last = nil
        return try store.erase()
    }
}

// MARK: Reading
extension TrackService {
    private func page(_ parameters: TrackParameters, for session: ClientSession) throws(VarlinkError) -> TrackReply {
        try session.requirePast(in: context)
        let limit = parameters.limit ?? TrackService.pageSizes.upperBound
        guard TrackService.pageSizes.contains(limit) else { throw ServiceError.invalid("limit") }
        let since = try ServiceError.time(parameters.since, of: "since") ?? .min
        let until = try ServiceError.time(parameters.until, of: "until") ?? .max
        guard since <= until else { throw ServiceError.invalid("until") }
        let place = try TrackService.place(parameters.after)
        session.awaitsDisk = true
        do throws(StoreError) {
            let page = try store.points(from: place, in: since..<until, limit: limit)
            return TrackReply(
                points: page.points.compactMap(RecordedPoint.init),
                next: page.next.map { "\($0.piece).\($0.index)" }, recording: recorder != nil, detail: detail)
        } catch {
            throw LocationError.persistenceUnavailable(reason: "\(error); \(error.remedy)").reply
        }
    }

    /// Why nothing is recorded; nil if positions are.
    private var detail: String? {
        guard recorder == nil else { return nil }
        guard isFollowing else { return "the configuration keeps no track; set keep = \"30 d\" in its section [track]" }
        let verdict = permissions.verdict(of: program)
        return verdict.detail(for: program) ?? verdict.decidedBy
    }

    private static func place(_ text: String?) throws(VarlinkError) -> TrackTable.Place {
        guard let text else { return TrackTable.Place() }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let piece = Int64(parts[0]), let index = Int(parts[1]), piece >= 0, index >= 0 else {
            throw ServiceError.invalid("after")
        }
        return TrackTable.Place(piece: piece, index: index)
    }
}

extension RecordedPoint {
    /// Creates the message of a stored point; nil if that has no valid position.
    fileprivate init?(_ row: TrackRow) {
        guard let coordinate = Coordinate(latitude: Double(row.latitude) / 1e7, longitude: Double(row.longitude) / 1e7)
        else { return nil }
        self.init(
            timestamp: UTCTime(milliseconds: row.time), latitude: coordinate.latitude, longitude: coordinate.longitude,
            horizontalAccuracy: Double(row.accuracy) / 10, altitude: row.altitude.map { Double($0) / 10 },
            begins: row.begins ? true : nil, simulated: row.isSimulated ? true : nil)
    }
}
