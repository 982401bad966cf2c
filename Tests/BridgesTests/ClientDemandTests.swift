import Bridges
import Chronology
import TestSupport
import Testing

/// The demand of many clients that come, change their policies and go.
@Suite struct ClientDemandTests {
    /// A client as the test knows it.
    private struct Model {
        var enable = false
        var json = false
        var raw = 0
        var lastPoll: Instant?

        var isStreaming: Bool { enable && (json || raw > 0) }
        var isPolling: Bool { enable && !isStreaming }
    }

    @Test(arguments: 0..<20) func `the demand is that of the clients in any order of events`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var server = GPSDServer(release: "3.22", revision: "test")
        var models: [ClientID: Model] = [:]
        var now = Instant.zero
        // Without receivers a request waits for a second, so an answer of the daemon is not needed.
        for _ in 0..<400 {
            let id = ClientID(integerLiteral: UInt64.random(in: 1...8, using: &random))
            now = now + .seconds(Double.random(in: 2...15, using: &random))
            if let model = models[id] {
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    server.disconnect(id, at: now)
                    models[id] = nil
                case 1 where model.isPolling:
                    server.receive(Array("?POLL;".utf8), from: id, at: now)
                    server.answerRequest(of: id, at: now)
                    models[id]?.lastPoll = now
                default:
                    var new = model
                    (new.enable, new.json) = (Bool.random(using: &random), Int.random(in: 0..<5, using: &random) == 0)
                    new.raw = Int.random(in: 0..<6, using: &random) == 0 ? 1 : 0
                    let text = "?WATCH={\"enable\":\(new.enable),\"json\":\(new.json),\"raw\":\(new.raw)}"
                    server.receive(Array(text.utf8), from: id, at: now)
                    server.answerRequest(of: id, at: now)
                    now = now + .seconds(2)
                    server.tick(at: now)
                    new.lastPoll = new.isPolling ? model.lastPoll ?? now : nil
                    models[id] = new
                }
            } else {
                server.connect(id, at: now)
                models[id] = Model()
            }
            server.tick(at: now + .seconds(2))
            now = now + .seconds(2)
            _ = server.takeEffects()
            let wantsSentences = server.wantsSentences
            #expect(wantsSentences == models.values.contains { $0.isStreaming && $0.raw > 0 })
            let demand = server.demand(at: now)
            let isStreaming = models.values.contains(where: \.isStreaming)
            #expect((demand == .stream) == isStreaming)
            let last = models.values.filter(\.isPolling).compactMap(\.lastPoll).max()
            let polls = last.map { now < $0 + .seconds(90) } ?? false
            #expect(
                isStreaming || (demand == .polls) == polls, "\(demand) at \(now), last poll \(String(describing: last))"
            )
        }
    }
}
