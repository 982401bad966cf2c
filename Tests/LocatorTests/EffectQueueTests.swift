import Locator
import Testing

@testable import Locator

/// The order in which the core hands over updates and other effects.
@Suite struct EffectQueueTests {
    private let first = StreamUpdate(
        Update(unavailability: Unavailability(.noFix, detail: "first")), for: [RequestID(1)])
    private let second = StreamUpdate(
        Update(unavailability: Unavailability(.noFix, detail: "second")), for: [RequestID(1)])
    private let change = Effect.receiver(.changed(ReceiverID(1)))

    private func publication(_ update: StreamUpdate) -> Effect { .request(.publish(update.update, update.streams)) }

    @Test func `the updates of a read are returned and not queued`() {
        var queue = EffectQueue()
        queue.separateUpdates()
        queue.publish([first])
        queue.append(change)
        queue.publish([second])
        #expect(queue.takeSeparatedUpdates() == [first, second])
        var effects: [Effect] = []
        queue.drain(into: &effects)
        #expect(effects == [change])
    }

    @Test func `an update of a read does not overtake an earlier one`() {
        var queue = EffectQueue()
        queue.publish([first])
        queue.separateUpdates()
        queue.publish([second])
        #expect(queue.takeSeparatedUpdates().isEmpty)
        var effects = [change]
        queue.drain(into: &effects)
        #expect(effects == [publication(first), publication(second)])
        queue.separateUpdates()
        queue.publish([second])
        #expect(queue.takeSeparatedUpdates() == [second])
    }

    @Test func `the queue is handed over whole and once`() {
        var queue = EffectQueue()
        queue.append(change)
        queue.publish([first])
        queue.append([change, change])
        var effects: [Effect] = []
        queue.drain(into: &effects)
        #expect(effects == [change, publication(first), change, change])
        queue.drain(into: &effects)
        #expect(effects.isEmpty)
    }
}
