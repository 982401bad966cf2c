import Chronology
import Geodesy
import SextantAPI

// What calls change, and what is judged at the end.
extension MonitorModel {
    /// A call to add a condition is sent.
    mutating func add(_ condition: Condition) {
        let identifier = condition.identifier
        guard conditions[identifier] != nil else {
            conditions[identifier] = KnownCondition(condition: condition)
            return
        }
        conditions[identifier]?.condition = condition
        conditions[identifier]?.existence = .possible
        conditions[identifier]?.isInFlight = true
        conditions[identifier]?.lastState = nil
    }

    /// A call to add conditions was answered, or with nil it was not and never will be.
    mutating func answered(_ identifiers: [String], _ existence: Existence?) {
        for identifier in identifiers {
            conditions[identifier]?.isInFlight = false
            if let existence { conditions[identifier]?.existence = existence }
        }
        if existence != nil { openBatches.removeAll { $0 == identifiers } }
    }

    /// A one-way call to add a condition was sent.
    mutating func addOneWay(_ condition: Condition, at now: Instant) {
        add(condition)
        conditions[condition.identifier]?.sentOnce = now
        conditions[condition.identifier]?.isInFlight = false
        conditions[condition.identifier]?.mustExist = true
    }

    /// Calls without an answer may have been lost.
    mutating func mayLoseCalls() {
        for identifier in conditions.keys { conditions[identifier]?.mustExist = false }
    }

    /// A condition was removed, with its pending events.
    mutating func removed(_ identifier: String) {
        conditions[identifier]?.existence = .removed
        conditions[identifier]?.isInFlight = false
        conditions[identifier]?.mustExist = false
        conditions[identifier]?.lastState = nil
        // Others may wait that were not sent yet.
        if openSince == nil { mayHaveLost = true }
        for (id, known) in events where known.event.identifier == identifier && known.acknowledgement != .confirmed {
            events[id] = nil
            mayHaveLost = true
        }
    }

    /// Judges a condition at the quiet end of a run.
    func judge(_ record: ConditionRecord, in world: World, _ name: String) {
        let identifier = record.condition.identifier
        world.require(
            record.state != .unmonitored && !record.conditionLimitExceeded && record.permission.isEmpty, 52,
            "\(name): \(identifier) is \(record.state)")
        world.require(!record.persistenceUnavailable, 54, "\(name): \(identifier) cannot be saved")
        judgePending(record, in: world, name)
        judgeState(record, in: world, name)
    }

    /// An event that waits was sent to the open monitor.
    func judgePending(_ record: ConditionRecord, in world: World, _ name: String) {
        let identifier = record.condition.identifier
        if let pending = record.pending, events[pending.id].map({ $0.sent < world.now - .seconds(60) }) ?? true {
            world.require(
                sentInOpening.contains(pending.id) || pending.recorded > utc(world, -30), 19,
                "\(name): event \(pending.id) of \(identifier) is pending and was not sent")
        }
    }

    private func judgeState(_ record: ConditionRecord, in world: World, _ name: String) {
        let identifier = record.condition.identifier
        guard !world.isWithoutView, let circle = record.condition.circle,
            let centre = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude),
            let isInside = world.journey.isInside(
                centre, radius: circle.radius, margin: 100,
                from: world.now - .seconds(world.plan.has(.motion) ? 3700 : 600), to: world.now)
        else { return }
        world.require(
            record.state == (isInside ? .satisfied : .unsatisfied), 52,
            "\(name): \(identifier) is \(record.state), and the device is \(isInside ? "inside" : "outside")")
    }

    /// Keeps the conditions as they are before the last restart.
    mutating func remember(_ records: [ConditionRecord]) {
        for record in records { remembered[record.condition.identifier] = record }
    }

    /// The conditions are the same after the last restart.
    func checkRemembered(_ records: [ConditionRecord], in world: World, _ name: String) {
        for record in records {
            guard let before = remembered[record.condition.identifier] else { continue }
            world.require(
                before.condition == record.condition && before.added == record.added, 55,
                "\(name): \(record.condition.identifier) is not as before the restart: \(before) and \(record)")
        }
    }

    /// Judges the numbers of all events at the end: none is missing without a reason.
    func judgeNumbers(in world: World, _ name: String) {
        guard !mayHaveLost, let last = events.keys.max() else { return }
        let missing = last - events.count + (world.breaks(20) ? 1 : 0)
        world.require(
            missing <= folded, 20, "\(name): of \(last) events \(missing) are missing, and \(folded) were folded")
    }

    private func utc(_ world: World, _ seconds: Double) -> UTCTime {
        let time = (world.now + .seconds(seconds)).nanoseconds + world.machine.clockOffset
        return UTCTime(milliseconds: time / 1_000_000)
    }
}
