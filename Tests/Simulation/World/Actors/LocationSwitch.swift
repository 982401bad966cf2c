import Chronology
import SextantAPI
import Varlink

/// The administrator who switches the location off for all programs, and on again.
final class LocationSwitch: Actor {
    /// What the daemon has confirmed, and since when.
    enum State: Equatable {
        case on(since: Instant)
        case off(since: Instant)
        /// A call is under way, or was not answered.
        case unknown
    }

    let name = "switch"
    private let peer = Machine.Peer(process: 5300, user: 0)
    private var random: RandomStream
    private var agenda = Agenda()
    private var connection: Connection?
    private var offSince: Instant?

    init(_ plan: RunPlan) {
        random = RandomStream(seed: plan.seed, purpose: name)
        later(100..<4000, at: .zero) { [unowned self] in set(false, in: $0) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func later(_ span: Range<Double>, at now: Instant, _ action: @escaping (World) -> Void) {
        agenda.at(now + random.span(span), action)
    }

    /// Switches the location, until that is confirmed.
    private func set(_ isOn: Bool, in world: World) {
        guard isOn || !world.faultsHaveEnded else { return }
        world.locationSwitch = .unknown
        offSince = offSince ?? world.now
        guard let connection = Connection(name, as: peer, in: world) else {
            return later(0.5..<5, at: world.now) { [unowned self] in set(isOn, in: $0) }
        }
        self.connection = connection
        let parameters = SetEnabledParameters(enabled: isOn || world.breaks(71))
        connection.call(PermissionMethods.setEnabled, parameters, in: world) { [unowned self] answer in
            connection.close(in: world)
            guard case .reply = answer else {
                return later(0.5..<5, at: world.now) { [unowned self] in set(isOn, in: $0) }
            }
            confirmed(isOn, in: world)
        }
    }

    private func confirmed(_ isOn: Bool, in world: World) {
        world.locationSwitch = isOn ? .on(since: world.now) : .off(since: world.now)
        guard isOn else {
            world.reached(.locationOff)
            return later(5..<1500, at: world.now) { [unowned self] in set(true, in: $0) }
        }
        // For programs, the time between is one without positions.
        if let offSince { world.gaps.append(LineReader.Gap(start: offSince, end: world.now + .seconds(1))) }
        offSince = nil
        later(100..<4000, at: world.now) { [unowned self] in set(false, in: $0) }
    }

    func receive(in world: World) {
        guard let connection, connection.hasInput(in: world) else { return }
        connection.pump(in: world)
        if !connection.isOpen { self.connection = nil }
    }

    func daemonEnded(in world: World) { connection?.close(in: world) }

    func endFaults(in world: World) {
        agenda.clear()
        guard offSince != nil else { return }
        agenda.at(world.now) { [unowned self] in set(true, in: $0) }
    }
}

extension World {
    /// Whether the location is off for all programs, or may have been within the last seconds.
    func locationMayBeOff(within seconds: Double = 70) -> Bool {
        guard case .on(let since) = locationSwitch else { return true }
        return since != .zero && now - since < .seconds(seconds)
    }

    /// Whether the location has been off for all programs for some time.
    func locationIsOff(for seconds: Double = 1) -> Bool {
        guard case .off(let since) = locationSwitch, manager.readySince != nil else { return false }
        return now - since > .seconds(seconds)
    }

    /// Judges a position that a program gets.
    func judgeSwitch(_ location: Location?, _ program: String) {
        guard location != nil, !plan.has(.slowReaders), !plan.has(.smallBuffers) else { return }
        require(!locationIsOff(), 71, "\(program) gets a position while the location is off for all")
    }
}
