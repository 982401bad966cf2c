import Chronology
import Varlink

/// A broker of MQTT 3.1.1 to which the reporting program sends records. It refuses, says nothing,
/// loses the connection, and comes back.
final class MQTTBroker: Actor {
    /// The host that the program connects to.
    static let host = "10.9.8.7"

    let name = "broker"
    private let listener: Int32
    private var random: RandomStream
    private var channel: Int32?
    private var buffer: [UInt8] = []
    private var trouble = Trouble.none
    private var changeTime: Instant? = .zero
    /// The newest time of a record that was confirmed.
    private var newest: Int64 = 0
    private var records = 0
    /// Records whose confirmation was sent on a connection that lived on, with its time.
    private var confirmed: [[UInt8]: Instant] = [:]
    private var unsure: [(payload: [UInt8], time: Instant)] = []
    /// When the program was started that is connected.
    private var programStart = Instant.zero
    /// The program deletes what was confirmed twice a minute. Its disk may take seconds.
    private static let deletionInterval = Instant.Span.seconds(40)

    private enum Trouble: CaseIterable { case none, refuses, isUnreachable, isSilent, closes }

    init(_ plan: RunPlan, _ machine: Machine) throws(RunFailure) {
        random = RandomStream(seed: plan.seed, purpose: name)
        listener = try machine.listen(at: "tcp:\(MQTTBroker.host):1883", name: "broker")
    }

    var deadline: Instant? { changeTime }

    func act(in world: World) {
        changeTime = world.now + random.span(5..<2000)
        trouble = random.chance(0.5) ? .none : random.element(of: Trouble.allCases) ?? .none
        world.trace.add(world.now, name, "\(trouble)")
        if trouble == .closes || trouble == .isUnreachable { drop(in: world) }
    }

    private func drop(in world: World) {
        if let channel { world.machine.close(channel, end: 1) }
        channel = nil
        buffer = []
        unsure = []
    }

    func receive(in world: World) {
        if world.machine.hasConnection(listener) {
            guard trouble != .isUnreachable else { return _ = world.machine.refuse(listener) }
            drop(in: world)
            channel = world.machine.accept(listener)
            forgetWhatMayBeRepeated(in: world)
        }
        while let channel, world.machine.hasInput(on: channel, at: 1) {
            guard let bytes = world.machine.receive(on: channel, at: 1) else { return drop(in: world) }
            if bytes.isEmpty { return }
            world.trace.mix(bytes)
            buffer += bytes
            while let packet = nextPacket() { answer(packet, in: world) }
        }
    }

    /// A program that was killed has not deleted what was confirmed just before.
    private func forgetWhatMayBeRepeated(in world: World) {
        guard let program = world.companions.first(where: { $0.name == "fleet" }), program.startedAt != programStart
        else { return }
        programStart = program.startedAt
        let deleted = program.endedAt - MQTTBroker.deletionInterval
        confirmed = world.diskWorks ? confirmed.filter { $0.value < deleted } : [:]
    }

    private struct Packet {
        let kind: UInt8
        let flags: UInt8
        let body: [UInt8]
    }

    private func nextPacket() -> Packet? {
        var (length, shift) = (0, 0)
        var at = 1
        while at < buffer.count, at < 5 {
            length |= Int(buffer[at] & 0x7F) << shift
            shift += 7
            at += 1
            if buffer[at - 1] & 0x80 == 0 {
                guard buffer.count >= at + length else { return nil }
                defer { buffer.removeFirst(at + length) }
                return Packet(kind: buffer[0] >> 4, flags: buffer[0] & 15, body: Array(buffer[at..<at + length]))
            }
        }
        return nil
    }

    private func answer(_ packet: Packet, in world: World) {
        guard let channel, trouble != .isSilent else { return }
        switch packet.kind {
        case 1:
            let code: UInt8 = trouble == .refuses ? 5 : 0
            world.machine.send([0x20, 2, 0, code], on: channel, from: 1)
            if code != 0 { drop(in: world) }
        case 3: accept(packet, on: channel, in: world)
        case 8:
            guard packet.body.count > 2 else { return }
            world.machine.send([0x90, 3, packet.body[0], packet.body[1], 1], on: channel, from: 1)
        case 10: world.machine.send([0xB0, 2] + packet.body.prefix(2), on: channel, from: 1)
        case 12: world.machine.send([0xD0, 0], on: channel, from: 1)
        case 14: drop(in: world)
        default: break
        }
    }

    private func accept(_ packet: Packet, on channel: Int32, in world: World) {
        let quality = packet.flags >> 1 & 3
        guard packet.body.count >= 2 else { return }
        var at = 2 + Int(packet.body[0]) << 8 + Int(packet.body[1])
        let topic = String(decoding: packet.body[2..<min(at, packet.body.count)], as: UTF8.self)
        guard quality > 0, packet.body.count >= at + 2 else { return }
        let id = Array(packet.body[at..<at + 2])
        at += 2
        let payload = Array(packet.body[at...])
        world.trace.add(world.now, name, "< \(topic) \(String(decoding: payload.prefix(200), as: UTF8.self))")
        observe(payload, isRepeated: packet.flags & 8 != 0, in: world)
        world.machine.send([0x40, 2] + id, on: channel, from: 1)
        unsure.append((payload, world.now))
        // What came before on this connection is known to the program by now.
        while unsure.count > 20 {
            let known = unsure.removeFirst()
            confirmed[known.payload] = known.time
        }
    }

    private func observe(_ payload: [UInt8], isRepeated: Bool, in world: World) {
        guard let record = try? JSONValue(parsing: payload), record["_type"]?.string == "location",
            let time = record["tst"]?.int
        else { return }
        records += 1
        world.require(confirmed[payload] == nil, 63, "a record of \(time) was sent again after it was confirmed")
        guard !isRepeated, !unsure.contains(where: { $0.payload == payload }) else { return }
        newest = max(newest, time)
    }

    func daemonEnded(in world: World) {}

    func endFaults(in world: World) {
        trouble = .none
        changeTime = nil
        drop(in: world)
    }

    func finish(in world: World) {
        world.require(channel != nil, 64, "the reporting program is not connected to its broker")
    }
}
