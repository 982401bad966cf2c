import Chronology
import Varlink

/// Programs that call each method of the daemon, with parameters that follow from the description
/// of its interface: right, unusual and wrong ones.
final class Prober: Actor {
    let name = "prober"
    private let plan: RunPlan
    /// A service, the programs of a user, and the administrator.
    private let peers = [
        Machine.Peer(process: 5500, user: 1009, unit: "prober.service"), Machine.Peer(process: 5501, user: 1009),
        Machine.Peer(process: 5502, user: 0),
    ]
    private var random: RandomStream
    private var agenda = Agenda()
    private var interfaces: [InterfaceDescription] = []
    private var connections: [Connection] = []
    /// What the program has set up and must remove at the end.
    private var remainders: [(Machine.Peer, Call)] = []
    /// The longest time that a location is waited for, and some more.
    private static let longestCall = Instant.Span.seconds(330)

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] in learn(in: $0) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private static func method(_ name: String) -> Method<AnyMessage, AnyMessage> { Method(named: name) }

    /// Asks the daemon for its interfaces.
    private func learn(in world: World) {
        agenda.at(world.now + .seconds(20)) { [unowned self] in
            if interfaces.isEmpty { learn(in: $0) } else { probe(in: $0) }
        }
        guard let connection = connect(as: peers[0], in: world) else { return }
        let service = ServiceInterface.name
        connection.call(Prober.method("\(service).GetInfo"), AnyMessage(), in: world) { [unowned self] answer in
            guard case .reply(let info, _) = answer, let names = info.members["interfaces"]?.array else { return }
            var found: [InterfaceDescription] = []
            for name in names {
                let parameters = AnyMessage(members: ["interface": name])
                connection.call(Prober.method("\(service).GetInterfaceDescription"), parameters, in: world) {
                    [unowned self] answer in
                    guard case .reply(let reply, _) = answer else { return }
                    guard let text = reply.members["description"]?.string,
                        let interface = try? InterfaceDescription(parsing: text)
                    else { return world.report(73, "\(name) has no description that can be read") }
                    found.append(interface)
                    if found.count == names.count { interfaces = found }
                }
            }
        }
    }

    private func connect(as peer: Machine.Peer, in world: World) -> Connection? {
        guard let connection = Connection(name, as: peer, in: world) else { return nil }
        if plan.has(.smallBuffers) { connection.setCapacity(4096, in: world) }
        connections.append(connection)
        return connection
    }

    private func probe(in world: World) {
        guard !world.faultsHaveEnded else { return }
        agenda.at(world.now + random.span(0.1..<300)) { [unowned self] in probe(in: $0) }
        guard connections.count < 12, let peer = random.element(of: peers),
            let connection = connect(as: peer, in: world)
        else { return }
        if plan.has(.splitCalls) { connection.sendLimit = random.integer(in: 1..<60) }
        var lasts = false
        for _ in 0..<random.integer(in: 1..<5) where !lasts { lasts = call(on: connection, as: peer, in: world) }
        if random.chance(0.05) { connection.sendRaw(Array("{\"method\":7}\0".utf8), in: world) }
        let crashes = plan.has(.crashingPrograms) && random.chance(0.2)
        let span = lasts || crashes ? random.span(0.01..<200) : Prober.longestCall
        agenda.at(world.now + span) { [unowned self] in end(connection, lasts || crashes, in: $0) }
    }

    private func end(_ connection: Connection, _ isEarly: Bool, in world: World) {
        let ready = world.manager.readySince ?? world.now
        if !isEarly, !plan.suspends, !plan.has(.failingSockets), world.now - ready > Prober.longestCall {
            for call in connection.unanswered { world.report(11, "\(name): \(call.method) has no answer") }
        }
        connection.close(in: world)
        connections.removeAll { !$0.isOpen }
    }

    /// Calls a method. Returns whether its replies may go on.
    private func call(on connection: Connection, as peer: Machine.Peer, in world: World) -> Bool {
        guard let interface = random.element(of: interfaces) else { return false }
        let methods = interface.members.filter { if case .method = $0.definition { true } else { false } }
        guard let method = random.element(of: methods)?.name, mayCall(method, as: peer),
            case .object(let members)? = sample(interface, .structure(interface.method(method)?.input ?? []))
        else { return false }
        let mode: Call.Mode =
            method == "Feed" ? .upgrade : random.chance(0.5) ? .more : random.chance(0.1) ? .oneway : .single
        connection.call(
            Prober.method("\(interface.name).\(method)"), AnyMessage(members: members), mode: mode, in: world
        ) { [unowned self] answer in
            judge(answer, to: method, of: interface, in: world)
            // A receiver that finds no satellites.
            if case .reply = answer, mode == .upgrade {
                world.reached(.receiverFed)
                connection.sendRaw(Array("$GPGGA,,,,,,0,00,,,M,,M,,*66\r\n".utf8), in: world)
            }
        }
        return mode == .more || mode == .upgrade
    }

    /// What changes the state of others is called by those who may not do it.
    private func mayCall(_ method: String, as peer: Machine.Peer) -> Bool {
        let excluded = ["SetEnabled", "Serve"] + (plan.has(.visits) ? ["Forget", "ForgetVisits"] : [])
        return peer.user != 0 || !excluded.contains(method)
    }

    /// A reply, or an error that an interface declares.
    private func judge(
        _ answer: Connection.Answer<AnyMessage>, to method: String, of interface: InterfaceDescription, in world: World
    ) {
        do throws(ValidationFailure) {
            switch answer {
            case .reply(let reply, _):
                world.reached(.methodProbed)
                try Validator(interface).checkOutput(
                    reply.members, of: world.breaks(73) ? "GetInterfaceDescription" : method)
            case .error(let error):
                let dot = error.name.lastIndex(of: ".") ?? error.name.startIndex
                let declaring = interfaces.first { $0.name == error.name[..<dot] } ?? interface
                try Validator(declaring).checkParameters(
                    error.parameters, ofError: String(error.name[dot...].dropFirst()))
            case .lost: break
            }
        } catch {
            world.report(73, "\(interface.name).\(method): \(error)")
        }
    }

    func receive(in world: World) {
        for connection in connections where connection.hasInput(in: world) { connection.pump(in: world) }
        connections.removeAll { !$0.isOpen }
    }

    func daemonEnded(in world: World) {
        for connection in connections { connection.close(in: world) }
        connections = []
    }

    /// Nothing of the program may remain: others are judged.
    func endFaults(in world: World) {
        daemonEnded(in: world)
        agenda.clear()
        for peer in peers {
            for monitor in Prober.monitors {
                for application in Prober.applications {
                    let parameters = ["name": monitor, "application": application]
                    remainders.append((peer, Call(method: "io.sextant.Monitor.Delete", parameters: parameters)))
                }
            }
            let text = peer.unit.isEmpty ? "\(peer.user)" : "\(peer.user):\(peer.unit)"
            remainders.append(
                (peers[2], Call(method: "io.sextant.Permission.Remove", parameters: ["program": .string(text)])))
        }
        agenda.at(world.now) { [unowned self] in clean(in: $0) }
    }

    /// Removes one thing after another, and repeats what cannot be saved.
    private func clean(in world: World) {
        guard let (peer, call) = remainders.first else { return }
        agenda.at(world.now + .seconds(20)) { [unowned self] in clean(in: $0) }
        guard let connection = connect(as: peer, in: world) else { return }
        connection.call(Prober.method(call.method), AnyMessage(members: call.parameters), in: world) {
            [unowned self] answer in
            connection.close(in: world)
            switch answer {
            case .error(let error) where error.name.hasSuffix("PersistenceUnavailable"): return
            case .lost: return
            default: break
            }
            remainders.removeFirst()
            agenda.clear()
            agenda.at(world.now) { [unowned self] in clean(in: $0) }
        }
    }
}

// MARK: Parameters
extension Prober {
    fileprivate static let monitors: [JSONValue] = ["probe", "probe2"]
    fileprivate static let applications: [JSONValue] = [nil, "org.example.Map"]

    /// Values that mean something, by the names of the members.
    private static let known: [String: JSONValue] = [
        "name": ["probe", "probe2"], "receiver": ["ttyUSB0", "/dev/ttyUSB0", "ttyACM0", "none"],
        "identifier": ["a", "b"], "identifiers": ["a", "b"], "source": ["tap"],
        "interface": ["io.sextant.Monitor", "x"],
        "program": ["1009:prober.service", "1009"], "application": .array(applications),
        "latitude": [47.285, 47.2851, 47.29], "longitude": [8.565, 8.5651, 8.57], "radius": [50, 200, 5000],
        "width": [50, 500], "distance": [500], "interval": [300], "dwell": [30], "timeout": [0.1, 5, 60],
        "timestamp": ["2027-01-01T00:00:00.000Z"], "since": ["2027-01-01T00:00:00.000Z"],
        "until": ["2027-01-01T03:00:00.000Z"], "before": ["2027-01-01T01:00:00.000Z"],
        "expiry": ["2027-01-01T02:00:00.000Z", "2028-01-01T00:00:00.000Z"], "limit": [1, 10, 100], "count": [1, 10],
        "days": [1, 60], "events": [1, 2, 5], "number": [1, 2], "minimumInterval": [0.2, 1, 10],
        "maximumDelay": [1, 60], "tolerance": [1, 60], "distanceFilter": [5, 100], "maximumAge": [0, 10],
        "headingFilter": [5], "types": ["RMC", "GGA"], "frames": ["0wAEPtAAA0Gd3Q==", "0wAT"],
        "uuid": ["e2c56db5-dffb-48d2-b060-d0f5a71096e0"], "major": [1], "minor": [1, 2], "rssi": [-60, -80.5],
        "power": [-59], "listened": [1], "purpose": ["navigation"], "product": ["modem"],
        "assuming": ["satisfied", "unsatisfied", "unknown"], "metadata": [["colour": "red"]],
        "geojson": [
            [
                "type": "Feature", "properties": ["identifier": "a", "radius": 100],
                "geometry": ["type": "Point", "coordinates": [8.565, 47.285]],
            ],
            ["type": "FeatureCollection", "features": []], ["type": "Point", "coordinates": [8, 47]],
        ],
    ]
    private static let unusual: [JSONValue] = [
        nil, true, 0, -1, 7, 1_000_000_007, 0.5, -1e30, "", "x", "\u{0}é\n", ["a"], [], [:], ["a": 1],
    ]
    /// Of these members a condition has one.
    private static let shapes = ["circle", "polygon", "corridor", "visits", "significantChange", "beacon"]

    /// Returns parameters of a type. Some calls have only right values, others a wrong one now and
    /// then, and each has few or many of the optional members.
    private func sample(_ interface: InterfaceDescription, _ type: InterfaceDescription.TypeReference) -> JSONValue? {
        var sampler = Sampler(
            interface: interface, random: random, wrong: random.chance(0.7) ? 0 : 0.1,
            filled: random.element(of: [0.05, 0.3, 0.8]) ?? 0)
        defer { random = sampler.random }
        return sampler.value(of: type, named: "")
    }

    private struct Sampler {
        let interface: InterfaceDescription
        var random: RandomStream
        let wrong: Double
        let filled: Double

        mutating func value(of type: InterfaceDescription.TypeReference, named name: String) -> JSONValue {
            if !name.isEmpty, random.chance(wrong) { return random.element(of: Prober.unusual) ?? nil }
            switch type {
            case .optional(let wrapped): return random.chance(filled) ? value(of: wrapped, named: name) : nil
            case .array(let element):
                return .array((0..<random.integer(in: 0..<5)).map { _ in value(of: element, named: name) })
            case .map(let element): return ["a": value(of: element, named: name)]
            case .named(let other): return interface.type(other).map { value(of: $0, named: "") } ?? nil
            case .structure(let fields): return .object(members(fields))
            default: break
            }
            if let known = random.element(of: Prober.known[name]?.array ?? []) { return known }
            switch type {
            case .bool: return .bool(random.chance(0.5))
            case .int: return .int(Int64(random.integer(in: 0..<100)))
            case .float: return .double(random.logarithmic(in: 0.1..<1000))
            case .enumeration(let names): return .string(random.element(of: names) ?? "")
            case .object: return [:]
            default: return "text"
            }
        }

        private mutating func members(_ fields: [InterfaceDescription.Field]) -> [String: JSONValue] {
            var members: [String: JSONValue] = [:]
            let isCondition = fields.contains { $0.name == "circle" }
            let shape = random.element(of: Prober.shapes)
            for field in fields {
                var type = field.type
                if isCondition, Prober.shapes.contains(field.name), case .optional(let wrapped) = type {
                    guard field.name == shape else { continue }
                    type = wrapped
                }
                members[field.name] = value(of: type, named: field.name)
            }
            return members
        }
    }
}
