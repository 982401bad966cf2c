import Chronology
import Geodesy
import SextantAPI
import Varlink

/// A program with a monitor: it adds conditions, gets their events and acknowledges them.
///
/// It has one connection for the events and one for all other calls, and repeats what was refused.
final class FenceProgram: Actor {
    let name: String
    let plan: RunPlan
    let peer: Machine.Peer
    var random: RandomStream
    var agenda = Agenda()
    var model: MonitorModel
    /// The connection of all calls but Open.
    var control: Connection?
    private var stream: Connection?
    /// Whether the daemon has said that it cannot save events.
    private var cannotSave = false
    /// Since when nobody has the monitor open; nil while it is open.
    private var closedSince: Instant?
    /// Whether a file has woken the program that opens its monitor.
    private var wakes = false
    /// For how long the monitor stays closed.
    private var pauses: RandomStream
    /// Whether the daemon has said that the program may not know the location: it hides counts.
    private var isDenied = false
    private var isAdding = false
    /// The events whose acknowledgement was refused.
    private var refused: Set<Int> = []
    /// The conditions that the program wants.
    var wanted: [String: Condition] = [:]

    init(_ name: String, _ index: Int, _ plan: RunPlan) {
        self.name = name
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        pauses = RandomStream(seed: plan.seed, purpose: "pauses of \(name)")
        peer = Machine.Peer(
            process: Int32(2000 + index), user: UInt32(1000 + index % 4), unit: "fences\(index).service")
        model = MonitorModel(name: "m\(index)")
        agenda.at(.zero) { [unowned self] world in begin(in: world) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    func receive(in world: World) {
        if let stream, stream.hasInput(in: world) {
            stream.pump(in: world)
            if !stream.isOpen, stream === self.stream { streamEnded(in: world) }
        }
        if let control, control.hasInput(in: world) {
            control.pump(in: world)
            if !control.isOpen, control === self.control { controlEnded(in: world) }
        }
    }

    func daemonEnded(in world: World) {
        model.mayLoseCalls()
        stream?.close(in: world)
        control?.close(in: world)
        if stream != nil { streamEnded(in: world) }
        if control != nil { controlEnded(in: world) }
    }

    private func streamEnded(in world: World) {
        stream = nil
        model.closed()
        closedSince = world.now
        let isLong = plan.has(.longPauses) && !world.faultsHaveEnded && pauses.chance(0.3)
        agenda.at(world.now + (isLong ? pauses.span(5..<2000) : random.span(0.05..<5))) { [unowned self] world in
            open(in: world)
        }
    }

    /// Judges the file that wakes the program, while nobody has its monitor open.
    private func judgeWakeFile(in world: World) {
        wakes = false
        guard let closedSince, world.now - closedSince > .seconds(2), world.diskWorks, !isDenied,
            let ready = world.manager.readySince, world.now - ready > .seconds(2), !world.manager.deniesAll,
            !world.locationMayBeOff()
        else { return }
        let exists = hasWakeFile(in: world) != world.breaks(22)
        for (id, known) in model.events where known.acknowledgement == .none && model.exists(known.event.identifier) {
            world.require(exists, 22, "\(name): event \(id) waits, and no file wakes the program")
        }
        // A call under way may end what waits.
        wakes =
            exists && model.conditions.allSatisfy { model.exists($0.key) || $0.value.existence == .removed }
            && model.events.values.allSatisfy { $0.acknowledgement != .attempted }
    }

    private func hasWakeFile(in world: World) -> Bool {
        FileTree.size(of: "\(world.machine.root)/run/sextant/wake/\(peer.user)/\(peer.unit):\(model.name)") != nil
    }

    private func controlEnded(in world: World) {
        control = nil
        isAdding = false
        later(0.05..<5, in: world) { [unowned self] world in connect(in: world) }
    }

    /// Does something after a random time, in seconds.
    func later(_ span: Range<Double>, in world: World, _ action: @escaping (World) -> Void) {
        agenda.at(world.now + random.span(span), action)
    }

    // MARK: The beginning

    private func begin(in world: World) {
        for index in 0..<random.integer(in: 2..<10) { wanted["c\(index)"] = circle("c\(index)", in: world) }
        connect(in: world)
        if plan.has(.changingConditions) { later(10..<2000, in: world) { [unowned self] in change(in: $0) } }
        lookAtPending(in: world)
        // Before and after the last restart.
        for (seconds, isLast) in [(430.0, false), (20, true)] {
            agenda.at(world.endTime - .seconds(seconds)) { [unowned self] world in judge(isLast: isLast, in: world) }
        }
    }

    /// Returns a circle that the device enters or passes during the run.
    func circle(_ identifier: String, in world: World) -> Condition {
        let time = world.now + .seconds(random.number(in: 0..<1) * (world.endTime - world.now).seconds)
        let centre = world.journey.place(at: time).moved(
            by: random.number(in: 0..<200), bearing: random.number(in: 0..<360))
        return Condition(
            identifier: identifier,
            circle: ConditionCircle(
                center: Point(latitude: centre.latitude, longitude: centre.longitude),
                radius: random.number(in: 120..<900).rounded()))
    }

    private func connect(in world: World) {
        guard control == nil else { return }
        control = Connection("\(name).control", as: peer, in: world)
        guard control != nil else { return later(0.5..<2, in: world) { [unowned self] in connect(in: $0) } }
        list(in: world) { [unowned self] world in
            add(in: world)
            if stream == nil { open(in: world) }
        }
        guard plan.has(.crashingPrograms), !world.faultsHaveEnded else { return }
        let connection = control
        later(1..<3000, in: world) { [unowned self] world in
            guard let connection, connection === control, !world.faultsHaveEnded else { return }
            connection.close(in: world)
            controlEnded(in: world)
        }
    }

    /// Asks for the conditions and judges them.
    private func list(in world: World, then next: @escaping (World) -> Void) {
        guard let control else { return }
        let parameters = PageParameters(name: model.name, limit: 1000)
        control.call(MonitorMethods.list, parameters, in: world) { [unowned self] answer in
            switch answer {
            case .reply(let reply, _): model.observe(reply.records, in: world, name)
            case .error(let error) where error.name.hasSuffix("NoSuchMonitor"): model.observe([], in: world, name)
            case .error:
                return later(1..<10, in: world) { [unowned self] world in list(in: world, then: next) }
            case .lost: return
            }
            next(world)
        }
    }

    // MARK: Conditions

    /// Adds the conditions that the program wants and that do not exist.
    private func add(in world: World) {
        let missing = wanted.keys.sorted().filter {
            model.conditions[$0]?.existence ?? .removed == .removed
        }
        guard let control, !isAdding, !missing.isEmpty else { return }
        isAdding = true
        for identifier in missing {
            if let condition = wanted[identifier] { model.add(condition) }
        }
        model.openBatches.append(missing)
        let parameters = AddParameters(name: model.name, conditions: missing.compactMap { wanted[$0] })
        control.call(MonitorMethods.add, parameters, in: world) { [unowned self] answer in
            isAdding = false
            switch answer {
            case .reply(let reply, _):
                model.answered(missing, .confirmed)
                world.require(
                    reply.added + reply.replaced == missing.count, 40,
                    "\(name): of \(missing.count) conditions \(reply.added) were added and \(reply.replaced) replaced")
            case .error:
                world.reached(.additionRefused)
                model.answered(missing, .removed)
                later(1..<10, in: world) { [unowned self] in add(in: $0) }
            case .lost:
                world.reached(.additionUnanswered)
                model.answered(missing, nil)
            }
        }
    }

    /// Adds a condition by a one-way call on a connection that ends with it.
    private func addOneWay(in world: World) {
        let identifier = "c\(model.conditions.count)"
        let condition = circle(identifier, in: world)
        guard let connection = Connection("\(name).once", as: peer, in: world) else { return }
        wanted[identifier] = condition
        model.addOneWay(condition, at: world.now)
        if !world.daemonWorks { model.mayLoseCalls() }
        let parameters = AddParameters(name: model.name, conditions: [condition])
        // The daemon sees the call and the end of the connection together, as it accepts the
        // connection or later.
        agenda.at(world.now + (plan.has(.longPauses) ? .seconds(1) : .zero)) { world in
            if !world.breaks(12) { connection.call(MonitorMethods.add, parameters, mode: .oneway, in: world) }
            connection.close(in: world)
        }
    }

    /// Removes a condition, or adds a new one.
    private func change(in world: World) {
        guard !world.faultsHaveEnded else { return }
        later(10..<2000, in: world) { [unowned self] in change(in: $0) }
        let present = model.conditions.keys.sorted().filter { model.conditions[$0]?.existence == .confirmed }
        guard let control, !isAdding else { return }
        guard random.chance(0.5), present.count > 1, let identifier = random.element(of: present) else {
            guard present.count < 10 else { return }
            guard random.chance(0.7) else { return addOneWay(in: world) }
            let identifier = "c\(model.conditions.count)"
            wanted[identifier] = circle(identifier, in: world)
            return add(in: world)
        }
        wanted[identifier] = nil
        model.conditions[identifier]?.existence = .leaving
        model.conditions[identifier]?.isInFlight = true
        model.conditions[identifier]?.mustExist = false
        let parameters = RemoveParameters(name: model.name, identifiers: [identifier])
        control.call(MonitorMethods.remove, parameters, in: world) { [unowned self] answer in
            switch answer {
            case .reply:
                // What waits for the permission goes with it.
                if isDenied || world.locationMayBeOff() { model.mayHaveLost = true }
                model.removed(identifier)
            case .error:
                world.reached(.removalRefused)
                model.answered([identifier], .confirmed)
            case .lost: model.answered([identifier], nil)
            }
        }
    }

    // MARK: Events

    private func open(in world: World) {
        guard stream == nil else { return }
        judgeWakeFile(in: world)
        guard let connection = Connection("\(name).events", as: peer, in: world) else {
            return later(0.5..<2, in: world) { [unowned self] in open(in: $0) }
        }
        stream = connection
        closedSince = nil
        if plan.has(.smallBuffers) { connection.setCapacity(4096, in: world) }
        connection.call(MonitorMethods.open, OpenParameters(name: model.name), mode: .more, in: world) {
            [unowned self] answer in
            switch answer {
            case .reply(let reply, _): handle(reply, of: connection, in: world)
            case .error(let error):
                if error.name.hasSuffix("MonitorInUse") { world.reached(.monitorInUse) }
                connection.close(in: world)
                streamEnded(in: world)
            case .lost: break
            }
        }
        guard plan.has(.crashingPrograms), !world.faultsHaveEnded else { return }
        later(1..<3000, in: world) { [unowned self] world in
            guard connection === stream, !world.faultsHaveEnded else { return }
            connection.close(in: world)
            streamEnded(in: world)
        }
    }

    private func handle(_ reply: OpenReply, of connection: Connection, in world: World) {
        if let monitor = reply.monitor {
            if monitor.persistenceUnavailable { world.reached(.eventsCannotBeSaved) }
            if cannotSave, !monitor.persistenceUnavailable { world.reached(.eventsCanBeSavedAgain) }
            cannotSave = monitor.persistenceUnavailable
            isDenied = !monitor.permission.isEmpty
            if model.openSince == nil { opened(in: world) }
        }
        guard let event = reply.event else { return }
        if model.events[event.id] == nil, world.diskIsExact {
            world.require(
                world.machine.isDurable("/var/lib/sextant/sextant.db-wal"), 13,
                "\(name): event \(event.id) was sent before it was on disk")
        }
        model.observe(event, in: world, name)
        let span = plan.has(.lateAcknowledgements) && !world.faultsHaveEnded ? 0.01..<900.0 : 0.01..<1
        later(span, in: world) { [unowned self] in acknowledge(event.id, in: $0) }
        if plan.has(.lateAcknowledgements), random.chance(0.1) {
            later(1..<100, in: world) { [unowned self] in acknowledge(event.id, in: $0) }
        }
    }

    private func opened(in world: World) {
        model.opened(at: world.now)
        let (opening, wakes) = (model.opening, wakes)
        agenda.at(world.now + .seconds(60)) { [unowned self] world in
            // A disk that fails delays the events.
            guard opening == model.opening, model.openSince != nil, !cannotSave, world.diskWorks,
                !world.locationMayBeOff()
            else { return }
            model.checkRedelivery(in: world, name)
            world.require(
                !wakes || !model.sentInOpening.isEmpty, 22, "\(name): it was woken by a file, and no event waits")
            world.require(!hasWakeFile(in: world), 22, "\(name): a file wakes a program that has its monitor open")
        }
    }

    private func acknowledge(_ id: Int, in world: World) {
        guard let known = model.events[id] else { return }
        guard let control else { return later(1..<10, in: world) { [unowned self] in acknowledge(id, in: $0) } }
        let before = known.acknowledgement
        if before == .none { model.events[id]?.acknowledgement = .attempted }
        let parameters = AcknowledgeParameters(name: model.name, events: [id])
        control.call(MonitorMethods.acknowledge, parameters, in: world) { [unowned self] answer in
            switch answer {
            case .reply(let reply, _):
                guard model.events[id] != nil else { return }
                // A denied program cannot acknowledge.
                if reply.acknowledged == 0, world.locationMayBeOff() {
                    return later(1..<100, in: world) { [unowned self] in acknowledge(id, in: $0) }
                }
                model.events[id]?.acknowledgement = world.breaks(18) ? .none : .confirmed
                world.mark(before == .attempted, isNew: reply.acknowledged > 0)
                let wasRefused = refused.remove(id) != nil
                world.require(
                    before != .none || reply.acknowledged == 1 || isDenied || world.manager.deniesAll,
                    wasRefused ? 40 : 17,
                    "\(name): event \(id), \(wasRefused ? "refused" : "not acknowledged"), is not pending")
                world.require(
                    before != .confirmed || reply.acknowledged == 0, 16,
                    "\(name): event \(id) was acknowledged twice")
            case .error:
                world.reached(.acknowledgementRefused)
                // A refused call has changed nothing.
                if before == .none { model.events[id]?.acknowledgement = .none }
                refused.insert(id)
                later(1..<10, in: world) { [unowned self] in acknowledge(id, in: $0) }
            case .lost:
                world.reached(.acknowledgementUnanswered)
                later(1..<10, in: world) { [unowned self] in acknowledge(id, in: $0) }
            }
        }
    }

    // MARK: The end

    func endFaults(in world: World) {
        // What the program forgot to acknowledge while it had other things to do.
        for id in model.events.keys.sorted() where model.events[id]?.acknowledgement != .confirmed {
            later(0.01..<60, in: world) { [unowned self] in acknowledge(id, in: $0) }
        }
        later(1..<5, in: world) { [unowned self] in add(in: $0) }
        agenda.at(world.now + .seconds(5)) { [unowned self] in open(in: $0) }
    }

    /// Now and then, while nothing is in the way: what waits was sent.
    private func lookAtPending(in world: World) {
        later(100..<700, in: world) { [unowned self] in lookAtPending(in: $0) }
        guard let control, let openSince = model.openSince, world.now - openSince > .seconds(120), world.daemonWorks,
            !world.hasFaults, !cannotSave, !isDenied, !world.locationMayBeOff(), !world.manager.deniesAll,
            !plan.has(.clockSteps), !plan.suspends
        else { return }
        let opening = model.opening
        control.call(MonitorMethods.list, PageParameters(name: model.name, limit: 1000), in: world) {
            [unowned self] answer in
            guard case .reply(let reply, _) = answer, opening == model.opening, model.openSince != nil else { return }
            for record in reply.records { model.judgePending(record, in: world, name) }
        }
    }

    private func judge(isLast: Bool, in world: World) {
        guard let control else { return world.report(11, "\(name) has no connection") }
        let parameters = PageParameters(name: model.name, limit: 1000)
        control.call(MonitorMethods.list, parameters, in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return world.report(54, "\(name): List fails") }
            model.observe(reply.records, in: world, name)
            if isLast { model.checkRemembered(reply.records, in: world, name) } else { model.remember(reply.records) }
            for record in reply.records { model.judge(record, in: world, name) }
        }
    }

    func examine(in world: World) { finish(in: world) }

    func finish(in world: World) {
        world.require(stream != nil && model.openSince != nil, 19, "\(name): the monitor is not open")
        world.require(!cannotSave, 54, "\(name): the monitor still says that events cannot be saved")
        for call in control?.unanswered ?? [] {
            world.require(
                world.now - call.since < .seconds(60), 11, "\(name): \(call.method) has no answer since \(call.since)")
        }
        model.judgeNumbers(in: world, name)
    }
}
