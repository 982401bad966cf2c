import Chronology
import Delivery
import Geofencing
import NMEA
import Positioning

/// The whole core as one value: bytes and wishes go in, each stamped with an instant; effects come out.
///
/// No clock, no file, no socket. The daemon feeds it live, `sextant replay` from captures, tests from drawings of time.
public struct Locator: Sendable {
    var tracks: [ReceiverTrack] = []
    var streams = StreamTable()
    var questions = QuestionTable()
    var visits = VisitTable()
    var choice = ReceiverChoice()
    /// The last position of a receiver that was the chosen one until its port was closed.
    var remembered: (location: Location, at: Instant)?
    private var calendar = Calendar()
    var motion = MotionTable()
    /// The conditions that are watched, how they stand and how the device lies to them.
    public internal(set) var fences = FenceWatch()
    /// Whose fix they were shown last.
    var shown: (source: ReceiverID, time: UTCTime?)?
    /// Who needs what has changed, and the receivers have not been told yet.
    var needsChanged = false
    /// Counts the times that who needs what was worked out anew; for whoever keeps accounts of it.
    public internal(set) var needsRevision: UInt64 = 0
    /// Receivers that are let rest beside a better one.
    var spares: [ReceiverID] = []
    /// When boundaries want the next position; nil while nobody watches any.
    private(set) var nextLook: NextLook?

    /// Whether receivers are told by ``Effect/plan(_:_:)`` to do no more than is needed. Set it before the first is attached.
    public var plansPower = false
    /// Whether ports are told by ``Effect/pace(_:_:)`` how soon they need be read. Set it before the first is attached.
    public var pacesReads = false
    /// Whether streams in a hurry are told of a fix once it is settled, before its epoch is over. How a log is cut into reads then decides
    /// when: not for replays.
    public var tellsSettled = false

    /// A core without receivers or streams.
    public init() {}

    /// Tells the core a moment of UTC near the present: undoes week rollovers, and if `guessesDay` dates epochs before the receiver can.
    /// `isFloor`: it is only known to have passed. Holds for receivers that are attached or lose their port from now on.
    public mutating func setReference(_ moment: UTCTime, guessesDay: Bool, isFloor: Bool = false, at now: Instant = .zero) {
        calendar = Calendar()
        calendar.setReference(moment, guessesDay: guessesDay, isFloor: isFloor, at: now)
    }

    /// When ``tick(at:into:)`` wants to be called next; nil while nothing is due. One that has passed is due at once, and gone after that tick.
    ///
    /// - Parameter isWatched: Whether somebody without a stream wants to be told how receivers stand; asked only while there are no streams.
    public func deadline(isWatched: @autoclosure () -> Bool = false) -> Instant? {
        if needsChanged { return .zero }
        var soonest = earliest(earliest(questions.deadline, visits.deadline), streams.deadline)
        if !fences.isEmpty { soonest = earliest(soonest, fences.deadline) }
        // Health matters to those who listen; else it is judged when somebody asks.
        let isHeeded = !streams.isEmpty || isWatched()
        if isHeeded { soonest = earliest(soonest, choice.deadline) }
        for at in tracks.indices {
            soonest = earliest(soonest, tracks[at].deadline)
            if plansPower { soonest = earliest(soonest, tracks[at].power.planner.deadline) }
            if isHeeded { soonest = earliest(soonest, tracks[at].healthDeadline) }
        }
        return soonest
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant, into effects: inout [Effect]) {
        for at in tracks.indices {
            if tracks[at].isHealthDue(at: now) { effects.append(.receiverChanged(tracks[at].id)) }
            guard let epoch = tracks[at].tick(at: now) else { continue }
            close(epoch, from: at, now, &effects)
        }
        handOver(to: choice.tick(at: now), now, &effects)
        noteSpares()
        streams.tick(at: now, &effects)
        if let action = visits.tick(at: now) { tell(action, &effects) }
        refresh(at: now, &effects)
        for question in questions.expire(at: now) {
            let late = Unavailability(.noFix, "no new epoch came within the time asked for")
            effects.append(.refuse(question.id, unavailability(question.receiver, at: now) ?? late))
            needsChanged = plansPower || pacesReads
        }
        if !fences.isEmpty { tickFences(at: now, &effects) }
        tickPower(at: now, &effects)
    }
}

// MARK: Receivers
extension Locator {
    /// A receiver has been found or named.
    public mutating func attach(
        _ id: ReceiverID, name: String, port: String, status: PortStatus, at now: Instant, into effects: inout [Effect]
    ) {
        tracks.append(ReceiverTrack(id, name: name, port: port, status: status, calendar: calendar, at: now))
        effects.append(.receiverChanged(id))
        refresh(at: now, &effects)
        tellNeeds(at: now, &effects)
    }

    /// Its port has been opened, lost, refused.
    public mutating func set(_ status: PortStatus, of id: ReceiverID, at now: Instant, into effects: inout [Effect]) {
        guard let at = index(id) else { return }
        tracks[at].set(status, calendar, at: now)
        effects.append(.receiverChanged(id))
        if status.unavailability != nil { forgo(tracks[at], at: now, &effects) }
        refresh(at: now, &effects)
        tellNeeds(at: now, &effects)
    }

    /// It is not looked for any more.
    public mutating func detach(_ id: ReceiverID, at now: Instant, into effects: inout [Effect]) {
        guard let at = index(id) else { return }
        let track = tracks.remove(at: at)
        effects.append(.receiverChanged(id))
        forgo(track, at: now, &effects)
        refresh(at: now, &effects)
        tellNeeds(at: now, &effects)
    }

    /// Bytes have arrived from it.
    @discardableResult
    public mutating func receive(_ bytes: RawSpan, from id: ReceiverID, at now: Instant, into effects: inout [Effect]) -> Reception {
        guard let at = index(id) else { return Reception() }
        // Bytes that come no earlier than the tick that was due take its place: what the time before them has changed is told now or never.
        let isOverdue = tracks[at].isHealthDue(at: now)
        var epochs: [ClosedEpoch] = []
        var reception = Reception(sentences: tracks[at].receive(bytes, at: now) { epochs.append($0) })
        (reception.closed, reception.isOpen) = (epochs.count, tracks[at].deadline != nil)
        // What was read together did not happen together, and whoever tells rest from movement goes by time.
        let newest = epochs.count > 1 ? epochs.last?.fix.time : nil
        for epoch in epochs { close(epoch, from: at, now, made: now - Locator.age(of: epoch.fix, before: newest), &effects) }
        if tellsSettled, reception.isOpen, reception.sentences > 0, streams.hasUrgent, let fix = tracks[at].settledFix(at: now) {
            publish(fix, from: at, now, made: now, &effects)
        }
        if isOverdue {
            effects.append(.receiverChanged(id))
            refresh(at: now, &effects)
        }
        return reception
    }

    /// How much earlier than the newest of those that were read with it a fix was made.
    private static func age(of fix: Fix, before newest: UTCTime?) -> Instant.Span {
        guard let newest, let time = fix.time else { return .zero }
        return max(.zero, min(newest.since(time), .seconds(10)))
    }

    /// No more bytes will come from any receiver: every open epoch is over.
    public mutating func drain(at now: Instant, into effects: inout [Effect]) {
        for at in tracks.indices {
            guard let epoch = tracks[at].drain(at: now) else { continue }
            close(epoch, from: at, now, &effects)
        }
        streams.tick(at: now, all: true, &effects)
    }

    /// Receivers in the order they were attached.
    public func reports(at now: Instant) -> [ReceiverReport] {
        tracks.map { track in
            var report = ReceiverReport(track, at: now)
            report.isChosen = track.id == choice.chosen
            report.horizontalAccuracy = choice.accuracy(of: track.id, at: now)
            return report
        }
    }

    /// Whether an epoch of this receiver has begun and is not over; for whoever decides when its port is read next.
    public func isMidEpoch(_ id: ReceiverID) -> Bool { index(id).map { tracks[$0].deadline != nil } ?? false }

    /// Whether a client's word, a name or a port, means a known receiver.
    public func knows(_ receiver: String) -> Bool {
        tracks.contains { $0.answers(to: receiver) }
    }

    func index(_ id: ReceiverID) -> Int? {
        tracks.firstIndex { $0.id == id }
    }

    /// Whoever watches boundaries says when the next position is needed; nil where nobody does any more. To be said after each fix, before
    /// planners hear of it, and when boundaries come and go. While it is said, the device is watched for rest.
    public mutating func needLook(_ next: NextLook?, at now: Instant) {
        guard next != nextLook else { return }
        if (next == nil) != (nextLook == nil) { needsChanged = plansPower || pacesReads }
        nextLook = next
        if next != nil { motion.add(.any, nil) } else { motion.keep(where: waits) }
        guard plansPower else { return }
        for at in tracks.indices where !spares.contains(tracks[at].id) { tracks[at].power.planner.look(next, at: now) }
    }

    /// Whether somebody waits with that patience for the device, or for one receiver, to rest.
    func waits(_ patience: MotionPatience, _ receiver: String?) -> Bool {
        streams.waits(patience, receiver) || visits.waits(patience, receiver) || nextLook != nil && patience == .any && receiver == nil
    }
}
