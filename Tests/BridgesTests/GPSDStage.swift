import Bridges
import Chronology
import SextantAPI

/// A server with its clock and the text that each client got.
final class GPSDStage {
    var server = GPSDServer(release: "3.22", revision: "test")
    var now = Instant.zero
    var received: [ClientID: [String]] = [:]
    var closed: [ClientID] = []
    var stored: [ClientID: StoredClient] = [:]
    /// The newest locations that were requested, "" for that of the device.
    var requested: [String] = []

    /// Carries out the effects, and answers each request at once.
    func collect() {
        var effects = server.takeEffects()
        while !effects.isEmpty {
            for effect in effects { carryOut(effect) }
            effects = server.takeEffects()
        }
    }

    private func carryOut(_ effect: GPSDServer.Effect) {
        switch effect {
        case .send(let clients, let bytes):
            for client in clients {
                received[client, default: []].append(String(decoding: bytes, as: UTF8.self))
            }
        case .answer(let client): server.answerRequest(of: client, at: now)
        case .requestLocation(let device): requested.append(device ?? "")
        case .close(let client): closed.append(client)
        case .store(let client, let stored): self.stored[client] = stored
        }
    }

    func connect(_ client: ClientID) {
        server.connect(client, at: now)
        collect()
    }

    /// Sends a request and returns the classes of the objects that follow.
    @discardableResult
    func send(_ text: String, from client: ClientID = 1) -> [String] {
        received[client] = []
        server.receive(Array(text.utf8), from: client, at: now)
        collect()
        return classes(client)
    }

    func receivers(_ reply: String = "hasFix") throws {
        server.receive(try Samples.receivers(state: reply), time: UTCTime(milliseconds: 0), at: now)
        collect()
    }

    func update(_ device: String, second: Int = 7, unavailable: Bool = false) throws {
        let text =
            unavailable
            ? Samples.unavailable : #"{"sequence":1,"dropped":0,"location":\#(Samples.location(second: second))}"#
        server.receive(try Samples.decode(text) as SubscribeReply, ofDevice: device, at: now)
        collect()
    }

    /// Gives a requested location; nil if the daemon has none.
    func newest(second: Int?, of device: String? = nil) throws {
        let location = try second.map { try Samples.update(Samples.location(second: $0)).location } ?? nil
        server.receive(newest: location, ofDevice: device, at: now)
        collect()
    }

    func leave(_ client: ClientID) {
        server.disconnect(client, at: now)
        collect()
    }

    func update(second: Int = 7, more: String = "") throws {
        server.receive(try Samples.update(Samples.location(second: second), more: more), at: now)
        collect()
    }

    func pass(_ span: Instant.Span) {
        now = now + span
        server.tick(at: now)
        collect()
    }

    var deadline: Instant? { server.deadline }
    var wantsSentences: Bool { server.wantsSentences }
    var skyInterval: Double? { server.skyInterval }
    func demand(at now: Instant) -> GPSDServer.Demand { server.demand(at: now) }
    var selected: [String: GPSDServer.Demand] { server.selectedDemand(at: now) }
    func wantsAttitude(at now: Instant) -> Bool { server.wantsAttitude(at: now) }

    func lines(_ client: ClientID = 1) -> [String] {
        (received[client] ?? []).joined().split(separator: "\r\n").map(String.init)
    }

    func classes(_ client: ClientID = 1) -> [String] {
        lines(client).map { line in
            guard line.hasPrefix("{\"class\":\"") else { return String(line.prefix(6)) }
            return String(line.dropFirst(10).prefix { $0 != "\"" })
        }
    }

    /// A client that watches, with the daemon's state.
    static func watching(_ request: String = "?WATCH={\"enable\":true,\"json\":true};\n") throws -> GPSDStage {
        let stage = GPSDStage()
        stage.connect(1)
        stage.send(request)
        try stage.receivers()
        return stage
    }
}
