import Chronology
import Locator
import Positioning
import Testing

/// Queries of the current state, which open no stream.
@Suite struct CurrentStateTests {
    private func planned() -> Stage {
        var stage = Stage()
        stage.locator.emitsPlans = true
        stage.locator.emitsReadPolicies = true
        stage.attach(1)
        return stage
    }

    @Test func `the memory of an unusual number of effects is not kept`() {
        var locator = Locator()
        var effects: [Effect] = []
        effects.reserveCapacity(10_000)
        // The queue takes over the buffer, and gives it back the next time.
        for _ in 0..<2 { locator.drainEffects(into: &effects) }
        #expect(effects.capacity < 10_000)
        effects.reserveCapacity(16)
        let capacity = effects.capacity
        for _ in 0..<2 { locator.drainEffects(into: &effects) }
        #expect(effects.capacity == capacity)
    }

    @Test func `a query of the current state wakes no receiver`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 3)
        stage.locator.cancel([RequestID(1)])
        stage.wait(40)
        #expect(stage.plans(1).last == .sleepIndefinitely)
        stage.clearEffects()
        let update = stage.locator.currentUpdate(for: StreamRequest(), at: stage.now)
        #expect(
            update.unavailability
                == Unavailability(
                    .starting, detail: "tty1 is asleep to save power; it is woken when a position is needed"))
        #expect(stage.locator.currentVisit(at: stage.now) == nil)
        #expect(stage.locator.deadline() == nil && stage.locator.takeEffects() == [])
        stage.subscribe(2, configuration: .fitness)
        #expect(stage.details(2) == ["tty1 was asleep to save power and is being woken"])
        // It is awake as soon as it sends data.
        stage.wait(1)
        stage.noFix(1)
        stage.subscribe(3, configuration: .fitness)
        #expect(stage.details(3) == ["tty1 is awake and has no fix yet"])
    }

    @Test func `a new stream gets a reason while the only receiver left sleeps`() {
        var stage = planned()
        stage.attach(2)
        stage.subscribe(1, configuration: .fitness)
        for second in 0..<3 {
            stage.fix(1, second: second)
            stage.fix(2, second: second, hdop: 1.1)
            stage.wait(1)
        }
        stage.locator.cancel([RequestID(1)])
        stage.wait(40)
        stage.set(.absent("/dev/tty1 was unplugged", lost: true), of: 1)
        stage.clearEffects()
        stage.subscribe(2, configuration: .fitness)
        #expect(stage.details(2) == ["tty2 was asleep to save power and is being woken"])
    }

    @Test func `the current state is the first update of a stream`() {
        var stage = planned()
        for second in 0..<130 {
            let request = StreamRequest(configuration: .fitness)
            let update = stage.locator.currentUpdate(for: request, at: stage.now)
            if second == 0 { stage.subscribe(1, configuration: .fitness) }
            if [3, 129].contains(second) {
                stage.subscribe(second, configuration: .fitness)
                #expect(stage.effects.last == .request(.publish(update, [RequestID(second)])))
                #expect(update.location != nil && update.stationary == (second == 129))
                stage.locator.cancel([RequestID(second)])
            }
            stage.fix(1, second: second)
            stage.wait(1)
        }
    }

    @Test func `the first location of a stream has its age, and an accessory is named`() {
        var stage = Stage()
        stage.locator.attach(
            ReceiverID(1), name: "tty1", port: "/dev/tty1", isAccessory: true, status: .open, at: stage.now)
        stage.attach(2)
        stage.subscribe(1, receiver: "tty1")
        stage.subscribe(2, receiver: "tty2")
        stage.fix(1, second: 0)
        stage.fix(2, second: 0)
        stage.wait(2)
        stage.subscribe(3, receiver: "tty1")
        let locations = stage.effects.compactMap { effect in
            if case .request(.publish(let update, let streams)) = effect, let location = update.location {
                return (streams.map(\.rawValue), location)
            }
            return nil
        }
        #expect(locations.map(\.0) == [[1], [2], [3]])
        #expect(locations.map(\.1.isAccessory) == [true, false, true])
        #expect(locations.map { $0.1.age < .milliseconds(500) } == [true, true, false])
        #expect(locations.last.map { $0.1.age <= .seconds(2) } == true)
    }

    @Test func `the current visit needs no subscription`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .default)
        stage.fixes(1, from: 0, seconds: 400)
        let visit = stage.locator.currentVisit(at: stage.now)
        #expect(visit != nil)
        stage.watchVisits(9)
        #expect(stage.visits(9) == [visit] && stage.locator.currentVisit(at: stage.now) == visit)
    }
}

extension Stage {
    /// Returns the details of a stream's updates without a position.
    fileprivate func details(_ number: Int) -> [String] {
        effects.compactMap { effect in
            guard case .request(.publish(let update, [RequestID(number)])) = effect else { return nil }
            return update.unavailability?.detail
        }
    }
}
