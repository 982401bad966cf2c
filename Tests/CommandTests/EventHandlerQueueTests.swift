import Chronology
import Glibc
import Locator
import SextantAPI
import TestSupport
import Testing

@testable import sextant

@Suite("Event handler queue")
struct EventHandlerQueueTests {
    private func event(_ id: Int) -> Event {
        Event(
            id: id, identifier: "home", kind: .entered, state: .satisfied, recorded: "2026-11-21T07:22:03.000Z")
    }

    private func queue(_ ids: Int...) -> EventHandlerQueue {
        var queue = EventHandlerQueue(command: "true", monitor: "home", timeout: .seconds(600))
        for id in ids { _ = queue.add(event(id)) }
        return queue
    }

    @Test
    func `events run one at a time, in order, each once`() {
        var queue = queue(1, 2, 1)
        #expect(queue.advance(to: .zero) == .run(EventHandlerQueue.Run(event: event(1), attempt: 1)))
        #expect(queue.advance(to: .zero) == nil)
        #expect(queue.commandEnded(failure: nil, at: .zero) == .handled(1))
        #expect(queue.advance(to: .zero) == .run(EventHandlerQueue.Run(event: event(2), attempt: 1)))
        #expect(
            queue.commandEnded(failure: nil, at: .zero) == .handled(2) && queue.advance(to: .zero) == nil
                && queue.deadline == nil)
    }

    @Test
    func `an event that was handled does not run again, whatever the daemon knows of it`() {
        var queue = queue(1, 2)
        _ = queue.advance(to: .zero)
        #expect(queue.commandEnded(failure: nil, at: .zero) == .handled(1))
        // The daemon has restarted before the acknowledgement: both events come again.
        #expect([1, 2].map { queue.add(event($0)) } == [true, false])
        #expect(queue.advance(to: .zero) == .run(EventHandlerQueue.Run(event: event(2), attempt: 1)))
        #expect(queue.commandEnded(failure: nil, at: .zero) == .handled(2))
        #expect([1, 2].map { queue.add(event($0)) } == [true, true])
        #expect(queue.advance(to: .zero) == nil)
        // A daemon that has lost its file counts from the beginning.
        var other = event(1)
        other.recorded = "2026-11-22T07:22:03.000Z"
        #expect([other].map { queue.add($0) } == [false])
        #expect(queue.advance(to: .zero) == .run(EventHandlerQueue.Run(event: other, attempt: 1)))
    }

    @Test
    func `the retry delay doubles up to 300 s`() {
        var queue = queue(1)
        var (now, pauses) = (Instant.zero, [Double]())
        for _ in 0..<12 {
            _ = queue.advance(to: now)
            guard case .failed(_, _, let pause)? = queue.commandEnded(failure: "exited with status 1", at: now) else {
                return
            }
            #expect(queue.advance(to: now) == nil && queue.deadline == now + pause)
            pauses.append(pause.seconds)
            now = now + pause
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    }

    @Test
    func `a command that ignores its termination is killed, and its event is tried again`() {
        var queue = queue(1)
        _ = queue.advance(to: .zero)
        #expect(queue.advance(to: .zero + .seconds(600)) == .terminate)
        #expect(queue.deadline == .zero + .seconds(610) && queue.advance(to: .zero + .seconds(609)) == nil)
        #expect(queue.advance(to: .zero + .seconds(610)) == .kill)
        #expect(queue.deadline == nil && queue.advance(to: .zero + .seconds(700)) == nil)
        let step = queue.commandEnded(failure: "was terminated by signal: killed", at: .zero + .seconds(611))
        let run = EventHandlerQueue.Run(event: event(1), attempt: 1)
        #expect(step == .failed(run, reason: "took longer than 10 min 0 s", retry: .seconds(1)))
        #expect(
            queue.advance(to: .zero + .seconds(612)) == .run(EventHandlerQueue.Run(event: event(1), attempt: 2)))
    }

    @Test
    func `a command that exceeds its time limit is terminated once and fails`() {
        var queue = queue(1)
        _ = queue.advance(to: .zero)
        #expect(queue.advance(to: .zero + .seconds(599)) == nil)
        #expect(
            queue.advance(to: .zero + .seconds(600)) == .terminate
                && queue.advance(to: .zero + .seconds(601)) == nil)
        let step = queue.commandEnded(failure: "was terminated by signal: terminated", at: .zero + .seconds(602))
        let run = EventHandlerQueue.Run(event: event(1), attempt: 1)
        #expect(step == .failed(run, reason: "took longer than 10 min 0 s", retry: .seconds(1)))
    }

    @Test
    func `kill ends a command with a signal that it cannot ignore`() throws {
        let run = EventHandlerQueue.Run(event: event(1), attempt: 1)
        let process = try HandlerProcess(command: "trap '' TERM; sleep 600 & wait", run: run, monitor: "home")
        process.kill()
        #expect(try EventHandlerQueueTests.failure(of: process) == "was terminated by signal: killed")
    }

    #if os(Linux)
        @Test
        func `a command ends also if this program was started with SIGCHLD ignored`() async {
            await #expect(processExitsWith: .success) {
                signal(SIGCHLD, SIG_IGN)
                let event = Event(
                    id: 1, identifier: "home", kind: .entered, state: .satisfied, recorded: "2026-11-21T07:22:03.000Z")
                let run = EventHandlerQueue.Run(event: event, attempt: 1)
                let process = try HandlerProcess(command: "exit 3", run: run, monitor: "home")
                #expect(try EventHandlerQueueTests.failure(of: process) == "exited with status 3")
            }
        }
    #endif

    /// Waits for the end of a command.
    private static func failure(of process: HandlerProcess) throws -> String? {
        for _ in 0..<5000 {
            let (hasEnded, failure) = process.exitResult()
            if hasEnded { return failure }
            _ = poll(nil, 0, 2)
        }
        throw TestFailure("the command does not end")
    }
}
