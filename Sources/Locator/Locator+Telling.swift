import Chronology
import Delivery
import Geofencing
import Positioning

/// From one receiver to many clients.
extension Locator {
    /// An epoch is over.
    ///
    /// - Parameter made: when it was; earlier than `now` where its port was read late.
    mutating func close(_ epoch: ClosedEpoch, from at: Int, _ now: Instant, made: Instant? = nil, _ effects: inout [Effect]) {
        effects.append(.epoch(tracks[at].id, epoch.fix))
        effects.append(.receiverChanged(tracks[at].id))
        if !epoch.isTold { publish(epoch.fix, from: at, now, made: made ?? now, &effects) }
    }

    /// Tells of an epoch's fix: of each epoch once.
    mutating func publish(_ fix: Fix, from at: Int, _ now: Instant, made: Instant, _ effects: inout [Effect]) {
        let (id, name, port) = (tracks[at].id, tracks[at].name, tracks[at].port)
        guard fix.coordinate != nil else {
            if !motion.watches.isEmpty { observe(fix, name, port, isChosen: choice.chosen == id, at: now, made: made, &effects) }
            refresh(at: now, &effects)
            return
        }
        let speaker = choice.offer(fix.horizontalAccuracy, from: id, period: tracks[at].pipeline.period, at: now)
        if speaker != id { handOver(to: speaker, now, &effects) }
        let isChosen = speaker == id
        noteSpares()
        let location = Location(fix: fix, receiver: name)
        let concerned: (String?) -> Bool = { wanted in wanted.map { $0 == name || $0 == port } ?? isChosen }
        var action: MotionAction?
        if !motion.watches.isEmpty { action = observe(fix, name, port, isChosen: isChosen, at: now, made: made, &effects) }
        if isChosen, !fences.isEmpty { showFences(fix, from: id, action, at: now, made: made, &effects) }
        streams.tell(location, from: id, at: now, &effects, where: concerned)
        if questions.answer(location, &effects, where: concerned) { needsChanged = plansPower || pacesReads }
        if plansPower { tracks[at].power.planner.fixed(at: made, isDoubtful: motion.suspectsDeparture(where: concerned)) }
        if plansPower || pacesReads { tellPower(at, at: now, &effects) }
    }

    /// Another receiver speaks for the device from now on, and its last position is news to those who follow the best one.
    mutating func handOver(to heir: ReceiverID?, _ now: Instant, _ effects: inout [Effect]) {
        guard let heir, let at = index(heir), let last = tracks[at].pipeline.lastFix else { return }
        effects.append(.receiverChanged(heir))
        streams.tell(Location(fix: last.fix, receiver: tracks[at].name), from: heir, at: now, &effects) { $0 == nil }
    }

    /// A receiver's port is closed: what it said last is remembered if it spoke for the device, and another may speak now.
    mutating func forgo(_ track: ReceiverTrack, at now: Instant, _ effects: inout [Effect]) {
        if choice.chosen == track.id, let last = track.lastPosition {
            remembered = (Location(fix: last.fix, receiver: track.name), last.at)
        }
        handOver(to: choice.remove(track.id, at: now), now, &effects)
        noteSpares()
    }

    /// Tells the streams whose source has none that there is no position.
    mutating func refresh(at now: Instant, _ effects: inout [Effect]) {
        guard !streams.isEmpty else { return }
        var told: [String?: Unavailability?] = [:]
        for wanted in streams.wishes where told[wanted] == nil { told[wanted] = .some(unavailability(wanted, at: now)) }
        streams.tell(told, at: now, &effects)
    }

    func present(_ track: ReceiverTrack?, _ wanted: String?, at now: Instant) -> Update {
        guard let track, let last = track.pipeline.lastFix, track.isFixing(at: now) else {
            let waking = track.map { Unavailability(.starting, "\($0.name) was let rest to save power and is being woken") }
            return Update(unavailability: unavailability(wanted, at: now) ?? waking)
        }
        return Update(location: Location(fix: last.fix, receiver: track.name))
    }

    /// The last position of a receiver, or of whichever spoke for the device, however old.
    func lastPosition(_ wanted: String?, at now: Instant) -> (location: Location, at: Instant)? {
        guard let track = source(wanted, at: now), let last = track.lastPosition else { return wanted == nil ? remembered : nil }
        return (Location(fix: last.fix, receiver: track.name), last.at)
    }

    func source(_ wanted: String?, at now: Instant) -> ReceiverTrack? {
        if let wanted { return tracks.first { $0.answers(to: wanted) } }
        let chosen = tracks.first { $0.id == choice.chosen }
        // When all are late, one that was not the chosen one may still have the younger position.
        return chosen.flatMap { $0.isFixing(at: now) ? $0 : nil } ?? tracks.first { $0.isFixing(at: now) } ?? chosen
    }

    /// Why there is no position; nil while there is one. Of several receivers, the one that is nearest to a fix speaks.
    func unavailability(_ wanted: String?, at now: Instant) -> Unavailability? {
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
