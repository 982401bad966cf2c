import Testing

@testable import VarlinkClient

@Suite struct DeliveredEventsTests {
    @Test func `an event is its number, its condition and its time`() {
        var handled = DeliveredEvents()
        handled.insert(EventID(number: 1, condition: "home", recorded: 10))
        #expect(handled.contains(EventID(number: 1, condition: "home", recorded: 10)))
        #expect(!handled.contains(EventID(number: 1, condition: "home", recorded: 20)))
        #expect(!handled.contains(EventID(number: 1, condition: "work", recorded: 10)))
        #expect(!handled.contains(EventID(number: 2, condition: "home", recorded: 10)))
    }

    @Test func `the oldest events are forgotten`() {
        var handled = DeliveredEvents()
        let events = (0..<1100).map { EventID(number: $0, condition: "home", recorded: 0) }
        for event in events { handled.insert(event) }
        #expect(events.filter(handled.contains) == Array(events.suffix(1024)))
    }
}
