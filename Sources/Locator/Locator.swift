import Chronology
import Delivery
import NMEA
import Positioning

/// The whole core as one value: bytes and wishes go in, each stamped with an instant; effects come out.
///
/// No clock, no file, no socket. The daemon feeds it live, `sextant replay` from captures, tests from drawings of time.
public struct Locator: Sendable {
    private var tracks: [ReceiverTrack] = []
    private var streams = StreamTable()
    private var questions = QuestionTable()
    private var choice = ReceiverChoice()
    /// The last position of a receiver that was the chosen one until its port was closed.
    private var remembered: (location: Location, at: Instant)?
    private var calendar = Calendar()

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
        var soonest = questions.deadline
        // Health matters to those who listen; else it is judged when somebody asks.
        let isHeeded = !streams.isEmpty || isWatched()
        if isHeeded { soonest = earliest(soonest, choice.deadline) }
        for at in tracks.indices {
            soonest = earliest(soonest, tracks[at].deadline)
            if isHeeded { soonest = earliest(soonest, tracks[at].healthDeadline) }
        }
        return soonest
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant, into effects: inout [Effect]) {
        for at in tracks.indices {
            if tracks[at].isHealthDue(at: now) { effects.append(.receiverChanged(tracks[at].id)) }
            guard let fix = tracks[at].tick(at: now) else { continue }
            publish(fix, from: at, now, &effects)
        }
        handOver(to: choice.tick(at: now), now, &effects)
        refresh(at: now, &effects)
        for question in questions.expire(at: now) {
            let late = Unavailability(.noFix, "no new epoch came within the time asked for")
            effects.append(.refuse(question.id, unavailability(question.receiver, at: now) ?? late))
        }
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
    }

    /// Its port has been opened, lost, refused.
    public mutating func set(_ status: PortStatus, of id: ReceiverID, at now: Instant, into effects: inout [Effect]) {
        guard let at = index(id) else { return }
        tracks[at].set(status, calendar, at: now)
        effects.append(.receiverChanged(id))
        if status.unavailability != nil { forgo(tracks[at], at: now, &effects) }
        refresh(at: now, &effects)
    }

    /// It is not looked for any more.
    public mutating func detach(_ id: ReceiverID, at now: Instant, into effects: inout [Effect]) {
        guard let at = index(id) else { return }
        let track = tracks.remove(at: at)
        effects.append(.receiverChanged(id))
        forgo(track, at: now, &effects)
        refresh(at: now, &effects)
    }

    /// Bytes have arrived from it. Returns how many good sentences they held.
    @discardableResult
    public mutating func receive(_ bytes: RawSpan, from id: ReceiverID, at now: Instant, into effects: inout [Effect]) -> Int {
        guard let at = index(id) else { return 0 }
        // Bytes that come no earlier than the tick that was due take its place: what the time before them has changed is told now or never.
        let isOverdue = tracks[at].isHealthDue(at: now)
        var fixes: [Fix] = []
        let sentences = tracks[at].receive(bytes, at: now) { fixes.append($0) }
        for fix in fixes { publish(fix, from: at, now, &effects) }
        if isOverdue {
            effects.append(.receiverChanged(id))
            refresh(at: now, &effects)
        }
        return sentences
    }

    /// No more bytes will come from any receiver: every open epoch is over.
    public mutating func drain(at now: Instant, into effects: inout [Effect]) {
        for at in tracks.indices {
            guard let fix = tracks[at].drain(at: now) else { continue }
            publish(fix, from: at, now, &effects)
        }
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

    private func index(_ id: ReceiverID) -> Int? {
        tracks.firstIndex { $0.id == id }
    }
}

// MARK: Streams
extension Locator {
    /// Opens a stream; its first update, the present state, is among the effects.
    public mutating func subscribe(_ id: StreamID, _ request: StreamRequest, at now: Instant, into effects: inout [Effect]) {
        handOver(to: choice.tick(at: now), now, &effects)
        var stream = LiveStream(id, request)
        let source = source(request.receiver, at: now)
        let update = present(source, request.receiver, at: now)
        effects.append(.publish(stream.first(update, from: source?.id, at: now), [id]))
        streams.add(stream)
    }

    /// Closes a stream or gives up a question.
    public mutating func cancel(_ id: StreamID) {
        streams.remove(id)
        questions.remove(id)
    }

    /// Asks for the position once.
    ///
    /// - Parameters:
    ///   - maximumAge: A position whose epoch ended no longer ago than this will do.
    ///   - timeout: How long to wait for one.
    ///   - receiver: Only this one's, by name or port.
    public mutating func locate(
        _ id: StreamID, maximumAge: Instant.Span, timeout: Instant.Span, receiver: String?, at now: Instant, into effects: inout [Effect]
    ) {
        handOver(to: choice.tick(at: now), now, &effects)
        if maximumAge > .zero, let last = lastPosition(receiver, at: now), now - last.at <= maximumAge {
            effects.append(.answer(id, last.location, age: now - last.at))
        } else {
            questions.add(Question(id: id, receiver: receiver, deadline: now + timeout))
        }
    }

    /// What streams would be told if the epoch that this receiver has begun were over now; nil while none is, or nobody is in a hurry.
    public func expected(from id: ReceiverID, at now: Instant) -> Update? {
        guard streams.hasUrgent, let at = index(id), tracks.count == 1 || choice.chosen == id else { return nil }
        guard let fix = tracks[at].pipeline.expected(at: now), fix.coordinate != nil, streams.wouldAdmit(fix, at: now) else { return nil }
        return Update(location: Location(fix: fix, receiver: tracks[at].name))
    }

    /// How many streams are open.
    public var streamCount: Int { streams.count }
}

// MARK: From one to many
extension Locator {
    private mutating func publish(_ fix: Fix, from at: Int, _ now: Instant, _ effects: inout [Effect]) {
        let (id, name, port) = (tracks[at].id, tracks[at].name, tracks[at].port)
        effects.append(.epoch(id, fix))
        effects.append(.receiverChanged(id))
        guard fix.coordinate != nil else {
            refresh(at: now, &effects)
            return
        }
        let speaker = choice.offer(fix.horizontalAccuracy, from: id, period: tracks[at].pipeline.period, at: now)
        if speaker != id { handOver(to: speaker, now, &effects) }
        let isChosen = speaker == id
        let location = Location(fix: fix, receiver: name)
        let concerned: (String?) -> Bool = { wanted in wanted.map { $0 == name || $0 == port } ?? isChosen }
        let reached = streams.admit(fix, from: id, at: now, where: concerned)
        if !reached.isEmpty { effects.append(.publish(Update(location: location), reached)) }
        questions.answer(location, &effects, where: concerned)
    }

    /// Another receiver speaks for the device from now on, and its last position is news to those who follow the best one.
    private mutating func handOver(to heir: ReceiverID?, _ now: Instant, _ effects: inout [Effect]) {
        guard let heir, let at = index(heir), let last = tracks[at].pipeline.lastFix else { return }
        effects.append(.receiverChanged(heir))
        let reached = streams.admit(last.fix, from: heir, at: now) { $0 == nil }
        guard !reached.isEmpty else { return }
        effects.append(.publish(Update(location: Location(fix: last.fix, receiver: tracks[at].name)), reached))
    }

    /// A receiver's port is closed: what it said last is remembered if it spoke for the device, and another may speak now.
    private mutating func forgo(_ track: ReceiverTrack, at now: Instant, _ effects: inout [Effect]) {
        if choice.chosen == track.id, let last = track.lastPosition {
            remembered = (Location(fix: last.fix, receiver: track.name), last.at)
        }
        handOver(to: choice.remove(track.id, at: now), now, &effects)
    }

    /// Tells the streams whose source has none that there is no position.
    private mutating func refresh(at now: Instant, _ effects: inout [Effect]) {
        guard !streams.isEmpty else { return }
        var told: [String?: Unavailability?] = [:]
        for wanted in streams.wishes where told[wanted] == nil { told[wanted] = .some(unavailability(wanted, at: now)) }
        for (reason, ids) in streams.admit(told) {
            effects.append(.publish(Update(unavailability: reason), ids))
        }
    }

    private func present(_ track: ReceiverTrack?, _ wanted: String?, at now: Instant) -> Update {
        guard let track, let last = track.pipeline.lastFix, track.isFixing(at: now) else {
            return Update(unavailability: unavailability(wanted, at: now))
        }
        return Update(location: Location(fix: last.fix, receiver: track.name))
    }

    /// The last position of a receiver, or of whichever spoke for the device, however old.
    private func lastPosition(_ wanted: String?, at now: Instant) -> (location: Location, at: Instant)? {
        guard let track = source(wanted, at: now), let last = track.lastPosition else { return wanted == nil ? remembered : nil }
        return (Location(fix: last.fix, receiver: track.name), last.at)
    }

    private func source(_ wanted: String?, at now: Instant) -> ReceiverTrack? {
        if let wanted { return tracks.first { $0.answers(to: wanted) } }
        let chosen = tracks.first { $0.id == choice.chosen }
        // When all are late, one that was not the chosen one may still have the younger position.
        return chosen.flatMap { $0.isFixing(at: now) ? $0 : nil } ?? tracks.first { $0.isFixing(at: now) } ?? chosen
    }

    /// Why there is no position; nil while there is one. Of several receivers, the one that is nearest to a fix speaks.
    private func unavailability(_ wanted: String?, at now: Instant) -> Unavailability? {
        let concerned = tracks.filter { wanted.map($0.answers(to:)) ?? true }
        let judged = concerned.map { $0.judge(at: now) }
        if judged.contains(where: { $0.unavailability == nil }) { return nil }
        let order = ReceiverHealth.allCases
        let best = judged.max { (order.firstIndex(of: $0.health) ?? 0) < (order.firstIndex(of: $1.health) ?? 0) }
        let none =
            wanted.map { "no receiver has the name or port \($0) now; it is waited for" }
            ?? "no receiver has been found: plug one in, or name its port with --device"
        return best?.unavailability ?? Unavailability(.noReceiver, none)
    }
}
