import Chronology
import Varlink

/// A program that is written for gpsd: a client of the bridge over TCP.
final class GPSDClient: Actor {
    /// The address of the bridge on the machine.
    static let address = "tcp:127.0.0.1:2947"

    let name: String
    private var random: RandomStream
    private let bridge: Companion
    private var channel: Int32?
    private var connectTime: Instant? = .zero
    private var closeTime: Instant?
    private var text: [UInt8] = []
    /// The time of the last position, and how often the daemon had been started then. After a
    /// restart another receiver may be the first one, whose epochs are earlier by milliseconds.
    private var last: (time: UTCTime, stated: UTCTime, starts: Int)?
    private var lastPosition: Instant?
    /// When the bridge was started that serves the connection.
    private var bridgeStart = Instant.zero
    private let crashes: Bool

    init(_ name: String, _ bridge: Companion, _ plan: RunPlan) {
        (self.name, self.bridge) = (name, bridge)
        random = RandomStream(seed: plan.seed, purpose: name)
        crashes = plan.has(.crashingPrograms)
    }

    var deadline: Instant? { earliest(connectTime, closeTime) }

    func act(in world: World) {
        if let closeTime, closeTime <= world.now {
            self.closeTime = nil
            end(in: world, "closes the connection")
        }
        guard let connectTime, connectTime <= world.now else { return }
        self.connectTime = nil
        guard let channel = world.machine.connect(to: GPSDClient.address, as: .init(process: 7000, user: 1002)) else {
            self.connectTime = world.now + .seconds(1)
            return
        }
        world.trace.add(world.now, name, "connects")
        self.channel = channel
        bridgeStart = bridge.startedAt
        last = nil
        world.machine.send(Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8), on: channel, from: 0)
        if crashes, !world.faultsHaveEnded { closeTime = world.now + random.span(1..<3000) }
    }

    private func end(in world: World, _ reason: String) {
        guard let channel else { return }
        world.trace.add(world.now, name, reason)
        world.machine.close(channel, end: 0)
        self.channel = nil
        text = []
        connectTime = world.now + random.span(0.1..<10)
    }

    func receive(in world: World) {
        while let channel, world.machine.hasInput(on: channel, at: 0) {
            guard let bytes = world.machine.receive(on: channel, at: 0) else {
                // It survives each end of the daemon, but not that of the bridge.
                world.require(
                    bridge.startedAt != bridgeStart || !bridge.runs(in: world), 60, "\(name) was disconnected")
                return end(in: world, "was disconnected")
            }
            world.trace.mix(bytes)
            text += bytes
            while let end = text.firstIndex(of: 10) {
                observe(Array(text[..<end]), in: world)
                text.removeSubrange(...end)
            }
        }
    }

    private func observe(_ line: [UInt8], in world: World) {
        world.trace.add(world.now, name, "< \(String(decoding: line.prefix(300), as: UTF8.self))")
        guard let report = try? JSONValue(parsing: line) else {
            return world.report(46, "\(name): a line is no JSON: \(String(decoding: line.prefix(200), as: UTF8.self))")
        }
        // Before the first position, the time alone is reported.
        guard report["class"]?.string == "TPV", report["lat"] != nil,
            let stated = report["time"]?.string.flatMap({ UTCTime(rfc3339: $0) })
        else { return }
        lastPosition = world.now
        guard !world.damage.times.contains(stated.millisecondsOfDay) else { return }
        let time = world.corrected(stated)
        // Two receivers with different dates have no order: one has that of a clock that was set.
        if let last, last.starts == world.manager.starts,
            stated.span(since: time) == last.stated.span(since: last.time)
        {
            world.require(time >= last.time, 61, "\(name): \(time) after \(last.time)")
        }
        last = (time, stated, world.manager.starts)
    }

    func endFaults(in world: World) { closeTime = nil }

    func finish(in world: World) {
        let age = world.now - (lastPosition ?? .zero)
        let hasPosition = age < .seconds(20) || world.isWithoutView
        world.require(channel != nil && hasPosition, 62, "\(name) has had no position for \(age.seconds) s")
    }
}
