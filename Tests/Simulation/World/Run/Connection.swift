import Chronology
import Varlink

/// A connection of a simulated program to the daemon.
final class Connection {
    /// The answer to a call.
    enum Answer<Reply> {
        /// A reply; more replies follow if it continues.
        case reply(Reply, continues: Bool)
        case error(VarlinkError)
        /// The connection ended without it.
        case lost
    }

    private struct Pending {
        let method: String
        let since: Instant
        let isStream: Bool
        /// Handles a reply, or with nil the end of the connection.
        let handle: (Reply?) -> Void
    }

    /// The name in the trace.
    let name: String
    private let channel: Int32
    private var client = ClientConnection()
    private var pending: [Int: Pending] = [:]
    /// Whether neither end has closed it.
    private(set) var isOpen = true
    /// At most so many bytes are read at once.
    var readLimit = 65_536
    /// Nothing is read before this time.
    var pausedUntil = Instant.zero
    /// At most so many bytes are sent at once.
    var sendLimit = Int.max

    /// Connects to the daemon's socket; nil if it refuses.
    init?(_ name: String, as peer: Machine.Peer, in world: World) {
        guard let channel = world.machine.connect(to: World.socket, as: peer) else { return nil }
        self.name = name
        self.channel = channel
        world.connections[channel] = self
        world.trace.add(world.now, name, "connects")
    }

    /// Whether a part of a call was not sent yet.
    var wantsToSend: Bool { isOpen && client.wantsOutput }

    /// Whether the daemon has sent something, or closed the connection.
    func hasInput(in world: World) -> Bool {
        isOpen && (client.wantsOutput || world.machine.hasInput(from: channel))
    }

    /// The calls without an answer, as method and time.
    var unanswered: [(method: String, since: Instant)] {
        pending.sorted { $0.key < $1.key }.filter { !$0.value.isStream }.map { ($0.value.method, $0.value.since) }
    }

    /// Calls a method.
    func call<Parameters, Output>(
        _ method: Method<Parameters, Output>, _ parameters: Parameters, mode: Call.Mode = .single, in world: World,
        then handle: @escaping (Answer<Output>) -> Void = { _ in }
    ) {
        guard isOpen, let call = try? method.call(with: parameters, mode: mode) else { return handle(.lost) }
        guard let id = try? client.send(call) else { return handle(.lost) }
        world.trace.add(world.now, name, "> \(Connection.text(call.encoded()))")
        if mode != .oneway {
            pending[id.number] = Pending(method: method.name, since: world.now, isStream: mode == .more) {
                handle(Connection.answer($0, to: method, in: world))
            }
        }
        flush(in: world)
    }

    private static func answer<Parameters, Output>(
        _ reply: Reply?, to method: Method<Parameters, Output>, in world: World
    ) -> Answer<Output> {
        guard let reply else { return .lost }
        if let failure = reply.failure { return .error(failure) }
        do {
            return .reply(try reply.parameters(of: method), continues: reply.continues)
        } catch {
            world.report(46, "a reply to \(method.name) does not fit its interface: \(error)")
            return .lost
        }
    }

    private func flush(in world: World) {
        guard isOpen, client.wantsOutput else { return }
        client.write { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(sendLimit))
            return world.machine.send(part, on: channel) ?? 0
        }
    }

    /// Sends bytes that are no call.
    func sendRaw(_ bytes: [UInt8], in world: World) {
        if isOpen { _ = bytes.withUnsafeBytes { world.machine.send($0, on: channel) } }
    }

    /// Sends what waits, and handles what has arrived.
    func pump(in world: World) {
        guard isOpen else { return }
        flush(in: world)
        guard world.now >= pausedUntil else { return }
        while isOpen, world.machine.hasInput(from: channel) {
            guard let bytes = world.machine.receive(from: channel, atMost: readLimit) else {
                client.receiveEnd()
                handleReplies(in: world)
                return end(in: world, because: "the daemon closed the connection")
            }
            if bytes.isEmpty { break }
            world.trace.mix(bytes)
            client.receive(bytes)
            handleReplies(in: world)
            if readLimit < 65_536 { break }
        }
    }

    private func handleReplies(in world: World) {
        while isOpen {
            do throws(ClientConnection.Failure) {
                guard let match = try client.next() else { return }
                let changed = world.breakage.map { _ in world.breakage?.change(match.reply) } ?? match.reply
                guard let reply = changed else { continue }
                world.trace.add(world.now, name, "< \(Connection.text(match.reply.encoded()))")
                guard let waiting = pending[match.call.number] else { continue }
                if !reply.continues { pending[match.call.number] = nil }
                waiting.handle(reply)
            } catch {
                // The end of the connection is no failure of the protocol.
                if case .disconnected = error { return }
                world.report(11, "\(name): \(error)")
                return close(in: world)
            }
        }
    }

    private func end(in world: World, because reason: String) {
        guard isOpen else { return }
        isOpen = false
        world.connections[channel] = nil
        world.machine.close(channel)
        world.trace.add(world.now, name, reason)
        let left = pending.sorted { $0.key < $1.key }
        pending = [:]
        for call in left { call.value.handle(nil) }
    }

    /// Forgets the calls without an answer, which keep the world.
    func abandon() { pending = [:] }

    /// Closes the connection.
    func close(in world: World) { end(in: world, because: "closes the connection") }

    /// Says that no more calls follow, and goes on reading.
    func shutWrite(in world: World) {
        guard isOpen else { return }
        world.machine.shutWrite(channel)
        world.trace.add(world.now, name, "sends no more")
    }

    /// Lets only so many bytes wait for the program, as with a small socket buffer.
    func setCapacity(_ bytes: Int, in world: World) {
        if isOpen { world.machine.setCapacity(bytes, of: channel) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(400).filter { $0 != 0 }, as: UTF8.self)
    }
}
