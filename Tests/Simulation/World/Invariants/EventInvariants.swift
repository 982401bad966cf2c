import Chronology
import Geodesy
import SextantAPI

extension Invariant {
    /// Events of conditions.
    static let events = [
        Invariant(13, "an event is durable before it is sent"),
        Invariant(14, "a number always names the same event"),
        Invariant(15, "events of a condition alternate as the true crossings"),
        Invariant(16, "a confirmed acknowledgement is never undone"),
        Invariant(17, "a sent, unacknowledged event is sent again"),
        Invariant(18, "of a condition only the first unacknowledged event is sent"),
        Invariant(19, "every pending event that may be sent reaches its open client"),
        Invariant(20, "folded events and the log account for every missing event"),
        Invariant(21, "a confirmed condition exists until it is removed"),
        Invariant(22, "a wake file exists exactly while an event waits unopened"),
        Invariant(23, "an arrival has at most one departure"),
    ]
}

extension MonitorModel {
    /// The monitor is open: what was sent and not acknowledged is sent again.
    mutating func opened(at now: Instant) {
        opening += 1
        openSince = now
        sentInOpening = []
    }

    /// The monitor is not open any more.
    mutating func closed() { openSince = nil }

    /// Judges an event that the daemon has sent.
    mutating func observe(_ event: Event, in world: World, _ name: String) {
        guard var condition = conditions[event.identifier] else {
            return world.report(14, "\(name): event \(event.id) of the unknown condition \(event.identifier)")
        }
        if event.kind == .retracted { world.reached(.eventRetracted) }
        if let known = events[event.id] {
            world.reached(.eventSentAgain)
            if world.manager.powerCuts > 0 { world.reached(.eventSentAgainAfterPowerCut) }
            repeated(event, known, in: world, name)
        } else {
            world.require(
                event.id > condition.lastEvent, 14,
                "\(name): the new event \(event.id) of \(event.identifier) after its event \(condition.lastEvent)")
            checkCrossing(event, condition, in: world, name)
            condition.lastEvent = event.id
            condition.lastState = event.state
            folded += event.folded
            conditions[event.identifier] = condition
        }
        checkOrder(event, in: world, name)
        var known = events[event.id] ?? Known(event: event, opening: opening, sent: world.now, timesSent: 0)
        known.opening = opening
        known.sent = world.now
        known.timesSent += 1
        events[event.id] = known
        sentInOpening.insert(event.id)
    }

    private func repeated(_ event: Event, _ known: Known, in world: World, _ name: String) {
        let first = known.event
        let isSame =
            first.identifier == event.identifier && first.kind == event.kind && first.state == event.state
            && first.recorded == event.recorded && first.date == event.date && first.location == event.location
        world.require(isSame, 14, "\(name): event \(event.id) was \(first) and is \(event)")
        world.require(known.acknowledgement != .confirmed, 16, "\(name): event \(event.id) was acknowledged")
    }

    /// Earlier events of the same condition are acknowledged, or were sent before.
    private func checkOrder(_ event: Event, in world: World, _ name: String) {
        for (id, known) in events where id < event.id && known.event.identifier == event.identifier {
            guard known.acknowledgement == .none else { continue }
            world.require(
                sentInOpening.contains(id), 17,
                "\(name): event \(event.id) of \(event.identifier) before event \(id), which was not acknowledged"
            )
            world.require(
                !sentInOpening.contains(id), 18,
                "\(name): event \(event.id) of \(event.identifier) while event \(id) is not acknowledged")
        }
    }

    private func checkCrossing(_ event: Event, _ condition: KnownCondition, in world: World, _ name: String) {
        guard [.determined, .entered, .left].contains(event.kind) else { return }
        world.require(
            event.state != condition.lastState, 15,
            "\(name): event \(event.id) \(event.kind) of \(event.identifier), which was \(event.state) already")
        guard let circle = condition.condition.circle, let location = event.location, let time = location.timestamp,
            let centre = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude),
            !world.plan.has(.noise)
        else { return }
        func depth(_ time: UTCTime) -> Double {
            circle.radius - centre.nearbyDistance(to: world.journey.place(at: world.corrected(time)))
        }
        func isOnBoundary(_ date: UTCTime) -> Bool {
            abs(depth(date)) < 100
                || world.isOnBoundary(of: (centre, circle.radius), at: date, movingStraight: world.gaps)
                || world.isAfterGap(date) && (event.state == .satisfied ? depth(date) > 0 : depth(date) < 0)
        }
        // After a gap, a crossing is reported whose position is on the other side again.
        let isCrossing = event.kind != .determined && event.date.map(isOnBoundary) ?? false
        let trueDepth = depth(time)
        if isCrossing, event.state == .satisfied ? trueDepth < -100 : trueDepth > 100 { world.reached(.eventOfGap) }
        let isRight = isCrossing || (event.state == .satisfied ? trueDepth > -60 : trueDepth < 60)
        world.require(
            isRight, 15,
            "\(name): event \(event.id) \(event.kind) of \(event.identifier) at a true depth of \(trueDepth) m")
    }

    /// Everything that was sent and not acknowledged was sent again soon after the monitor was
    /// opened.
    func checkRedelivery(in world: World, _ name: String) {
        for (id, known) in events.sorted(by: { $0.key < $1.key }) where known.acknowledgement == .none {
            world.require(
                sentInOpening.contains(id), 17, "\(name): event \(id) of \(known.event.identifier) was not sent again")
        }
    }

    /// Judges the conditions of a monitor as the daemon lists them.
    mutating func observe(_ records: [ConditionRecord], in world: World, _ name: String) {
        let listed = Set(records.map(\.condition.identifier))
        for (identifier, condition) in conditions.sorted(by: { $0.key < $1.key }) where !condition.isInFlight {
            world.require(
                !condition.mustExist || listed.contains(identifier), 12,
                "\(name): \(identifier) was not added by a one-way call")
            if condition.mustExist { world.reached(.oneWayAdditionDone) }
            conditions[identifier]?.mustExist = false
            switch condition.existence {
            case .confirmed:
                world.require(
                    listed.contains(identifier), 21, "\(name): the confirmed condition \(identifier) does not exist")
            case .removed:
                world.require(
                    !listed.contains(identifier), 40, "\(name): the removed condition \(identifier) exists")
            // An unanswered call did everything or nothing; now it is known.
            case .possible where !listed.contains(identifier) && condition.mayBeServedLater(in: world): break
            case .possible:
                world.reached(listed.contains(identifier) ? .unansweredAdditionDone : .unansweredAdditionNotDone)
                conditions[identifier]?.existence = listed.contains(identifier) ? .confirmed : .removed
            case .leaving:
                world.reached(listed.contains(identifier) ? .unansweredRemovalNotDone : .unansweredRemovalDone)
                conditions[identifier]?.existence = .confirmed
                // Its pending events are gone too.
                if !listed.contains(identifier) { removed(identifier) }
            }
        }
        checkBatches(listed, in: world, name)
    }

    private mutating func checkBatches(_ listed: Set<String>, in world: World, _ name: String) {
        for batch in openBatches where batch.allSatisfy({ conditions[$0]?.isInFlight == false }) {
            let found = batch.filter(listed.contains)
            world.require(
                found.isEmpty || found.count == batch.count, 40,
                "\(name): of the batch \(batch.joined(separator: ", ")) only \(found.joined(separator: ", ")) was added"
            )
        }
        openBatches.removeAll { batch in batch.allSatisfy { conditions[$0]?.isInFlight == false } }
    }
}

extension MonitorModel.KnownCondition {
    /// The daemon serves what has waited for it within this time.
    private static let serviceTime = Instant.Span.seconds(30)

    /// Whether a one-way call to add it may still wait in the daemon.
    fileprivate func mayBeServedLater(in world: World) -> Bool {
        guard let sentOnce else { return false }
        return world.manager.readySince.map { world.now - max($0, sentOnce) < Self.serviceTime } ?? true
    }
}
