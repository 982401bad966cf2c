import Chronology
import Geofencing
import Testing
import Wire

@testable import sextant

@Suite("Errands of events")
struct EventErrandsTests {
    private func event(_ id: Int) -> EventMessage {
        EventMessage(id: id, identifier: "home", kind: .entered, state: .satisfied, recorded: "2026-11-21T07:22:03.000Z")
    }

    private func errands(_ ids: Int...) -> EventErrands {
        var errands = EventErrands(command: "true", monitor: "home", patience: .seconds(600))
        for id in ids { errands.add(event(id)) }
        return errands
    }

    @Test("One at a time, in their order, each once")
    func order() {
        var errands = errands(1, 2, 1)
        #expect(errands.advance(to: .zero) == .run(EventErrands.Run(event: event(1), attempt: 1)))
        #expect(errands.advance(to: .zero) == nil)
        #expect(errands.ended(nil, at: .zero) == .done(1))
        #expect(errands.advance(to: .zero) == .run(EventErrands.Run(event: event(2), attempt: 1)))
        #expect(errands.ended(nil, at: .zero) == .done(2) && errands.advance(to: .zero) == nil && errands.deadline == nil)
    }

    @Test("Failures are tried again after 1, 2, 4 and at last 300 s")
    func backOff() {
        var errands = errands(1)
        var (now, pauses) = (Instant.zero, [Double]())
        for _ in 0..<12 {
            _ = errands.advance(to: now)
            guard case .failed(_, _, let pause)? = errands.ended("ended with status 1", at: now) else { return }
            #expect(errands.advance(to: now) == nil && errands.deadline == now + pause)
            pauses.append(pause.seconds)
            now = now + pause
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    }

    @Test("A command that hangs is ended, once, and counts as failed")
    func hanging() {
        var errands = errands(1)
        _ = errands.advance(to: .zero)
        #expect(errands.advance(to: .zero + .seconds(599)) == nil)
        #expect(errands.advance(to: .zero + .seconds(600)) == .end && errands.advance(to: .zero + .seconds(601)) == nil)
        let step = errands.ended("was ended by terminated", at: .zero + .seconds(602))
        let run = EventErrands.Run(event: event(1), attempt: 1)
        #expect(step == .failed(run, ended: "took longer than 10 min 0 s", retry: .seconds(1)))
    }
}
