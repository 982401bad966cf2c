import Chronology
import Varlink

/// Programs that watch: what a watch has said last must be what the lists say.
final class Watcher: Actor {
    /// A method that says what has changed, and the one that returns everything.
    private struct Kind: Sendable {
        let watch: String
        let list: String
        let peer: Machine.Peer
        /// The facts in a reply of either, by names; an absent value ends a fact.
        let facts: @Sendable (JSONValue) -> [String: JSONValue?]
    }

    private final class Watch {
        let kind: Kind
        var connection: Connection?
        var facts: [String: JSONValue] = [:]
        init(_ kind: Kind) { self.kind = kind }
    }

    let name = "watcher"
    private let watches = Watcher.kinds.map(Watch.init)
    private var random: RandomStream
    private var agenda = Agenda()
    private var questions: [Connection] = []

    private static let administrator = Machine.Peer(process: 5600, user: 0)

    private static let kinds = [
        Kind(watch: "Monitor.Watch", list: "Monitor.ListMonitors", peer: administrator) { reply in
            // A watch does not tell that the configuration has another limit.
            let members = ["isOpen", "conditions", "unmonitored", "pending"]
            let monitors: [(JSONValue, JSONValue?)] =
                reply["monitors"]?.array?.map { ($0, $0) } ?? [(reply, reply["monitor"])]
            return Dictionary(
                monitors.map { (["program", "name"].text(in: $0), $1.map { .string(members.text(in: $0)) }) }
            ) { $1 }
        },
        Kind(watch: "Receiver.Watch", list: "Receiver.List", peer: administrator) { reply in
            // Absent ones are left out of later replies. The watch does not tell when the last fix
            // before a sleep has become old: that would be a wakeup per sleep.
            let states = (reply["receivers"]?.array ?? []).map { receiver in
                ["name"].text(in: receiver)
                    + (receiver["state"] == "hasFix" ? "\"asleep\"" : ["state"].text(in: receiver))
            }
            return ["states": .string(states.joined())]
        },
        Kind(watch: "Manager.Watch", list: "Manager.GetStatus", peer: administrator) { reply in
            let status = reply["status"]
            let names = ["enabled", "receivers", "receiversWithFix", "streams", "configuration"]
            var facts = Dictionary(uniqueKeysWithValues: names.map { ($0, status?[$0]) })
            // Each reply computes the date again, and two can differ by a millisecond.
            facts["rests"] = .bool((status?["restingSince"] ?? .null) != .null)
            return facts
        },
        Kind(watch: "Manager.Watch", list: "Manager.GetConsumers", peer: administrator) { reply in
            let consumers = reply["consumers"]?.array ?? []
            let texts = consumers.map { ["owner", "kind", "pid", "holds", "silent"].text(in: $0) }
            return ["consumers": .string(texts.sorted().joined(separator: " "))]
        },
        Kind(
            watch: "Session.WatchAuthorization", list: "Session.GetAuthorization",
            peer: Machine.Peer(process: 5601, user: 1002, unit: "guest.service")
        ) { ["permission": $0["permission"]] },
    ]

    init(_ plan: RunPlan) {
        random = RandomStream(seed: plan.seed, purpose: name)
        for watch in watches { agenda.at(.zero) { [unowned self] in begin(watch, in: $0) } }
        agenda.at(.zero) { [unowned self] in ask(in: $0) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private static func method(_ name: String) -> Method<AnyMessage, AnyMessage> { Method(named: "io.sextant.\(name)") }

    private func begin(_ watch: Watch, in world: World) {
        watch.facts = [:]
        watch.connection = Connection("\(name).\(watch.kind.watch)", as: watch.kind.peer, in: world)
        guard let connection = watch.connection else { return again(watch, in: world) }
        connection.call(Watcher.method(watch.kind.watch), AnyMessage(), mode: .more, in: world) { answer in
            // An error ends the watch, such as that of a database that cannot be read.
            if case .error = answer { connection.close(in: world) }
            guard case .reply(let reply, _) = answer, watch.facts.isEmpty || !world.breaks(74) else { return }
            for (name, value) in watch.kind.facts(.object(reply.members)) { watch.facts[name] = value }
        }
        if world.plan.has(.crashingPrograms), !world.faultsHaveEnded, random.chance(0.5) {
            agenda.at(world.now + random.span(1..<3000)) { connection.close(in: $0) }
        }
    }

    private func again(_ watch: Watch, in world: World) {
        watch.connection = nil
        agenda.at(world.now + random.span(0.05..<5)) { [unowned self] in begin(watch, in: $0) }
    }

    private func ask(in world: World) {
        agenda.at(world.now + random.span(30..<1500)) { [unowned self] in ask(in: $0) }
        for watch in watches { compare(watch, attempts: 12, in: world) }
    }

    /// A change may be on its way: only a difference that stays is wrong.
    private func compare(_ watch: Watch, attempts: Int, in world: World) {
        guard world.daemonWorks, !world.locationMayBeOff(),
            let connection = Connection("\(name).question", as: watch.kind.peer, in: world)
        else {
            return
        }
        questions.append(connection)
        connection.call(Watcher.method(watch.kind.list), AnyMessage(), in: world) { [unowned self] answer in
            connection.close(in: world)
            guard case .reply(let reply, _) = answer, let watching = watch.connection, watching.isOpen else { return }
            watching.pump(in: world)
            let listed = watch.kind.facts(.object(reply.members)).compactMapValues(\.self)
            guard listed.contains(where: { watch.facts[$0.key] != $0.value }) || listed.count != watch.facts.count
            else { return world.reached(.watchCompared) }
            guard attempts == 0 else {
                return agenda.at(world.now + .seconds(2.5)) { [unowned self] in
                    compare(watch, attempts: attempts - 1, in: $0)
                }
            }
            world.report(74, "\(watch.kind.watch) has said \(watch.facts), and \(watch.kind.list) says \(listed)")
        }
    }

    func receive(in world: World) {
        for question in questions where question.hasInput(in: world) { question.pump(in: world) }
        questions.removeAll { !$0.isOpen }
        for watch in watches {
            guard let connection = watch.connection else { continue }
            if connection.hasInput(in: world) { connection.pump(in: world) }
            if !connection.isOpen { again(watch, in: world) }
        }
    }

    func daemonEnded(in world: World) {
        for connection in questions + watches.compactMap({ $0.connection }) { connection.close(in: world) }
    }
}

extension [String] {
    /// The members with these names as a text.
    fileprivate func text(in value: JSONValue) -> String {
        map { name in value[name].map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-" }.joined(separator: "/")
    }
}
