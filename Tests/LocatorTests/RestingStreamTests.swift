import Chronology
import Locator
import Positioning
import Testing

/// Streams of a stationary device: `docs/motion.md`.
@Suite struct RestingStreamTests {
    private func resting(_ configuration: Configuration = .fitness, options: StreamOptions = StreamOptions())
        -> Stage
    {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: configuration, options: options)
        stage.fixes(1, from: 0, seconds: 200)
        return stage
    }

    @Test(arguments: [
        (Configuration.default, 19), (.fitness, 121), (.otherNavigation, 121), (.automotiveNavigation, 181),
        (.airborne, 121),
    ])
    func `a stationary stream gets one stationary update and then nothing`(
        configuration: Configuration, updates: Int
    ) {
        var stage = resting(configuration)
        let manners = stage.takeKinds(1)
        #expect(manners.count(where: { $0 == "rest" }) == 1)
        #expect(manners.last == "rest")
        #expect(abs(manners.count - updates) <= 2)
        stage.fixes(1, from: 200, seconds: 60)
        #expect(stage.takeKinds(1) == [])
    }

    @Test func `the stationary update has the averaged position and no speed`() {
        let stage = resting()
        let rest = stage.effects.compactMap { effect in
            if case .request(.publish(let update, _)) = effect, update.stationary { update.location?.fix } else { nil }
        }
        #expect(rest.count == 1)
        #expect(rest.first?.speed == 0)
        #expect(rest.first?.course == nil)
    }

    @Test func `a later stream also gets the time since which the device rests`() {
        var stage = resting()
        stage.subscribe(2, configuration: .fitness)
        let updates = stage.effects.compactMap { effect in
            if case .request(.publish(let update, _)) = effect, update.stationary {
                update.stationarySince?.description.prefix(19)
            } else {
                nil
            }
        }
        #expect(updates == ["2026-11-21T12:00:00", "2026-11-21T12:00:00"])
        #expect(stage.locator.restingSince(at: stage.now)?.description.prefix(19) == "2026-11-21T12:00:00")
        stage.drive(1, from: 200, seconds: 20)
        #expect(stage.locator.restingSince(at: stage.now) == nil)
    }

    @Test func `a false movement is retracted`() {
        var stage = resting()
        stage.clearEffects()
        // The false movement of a parked u-blox (`docs/motion.md` section 3): away within ten
        // seconds with Doppler speed, and back without.
        stage.drive(1, from: 200, seconds: 4)
        for second in 0..<30 {
            stage.fix(1, second: 204 + second)
            stage.wait(1)
        }
        let updates = stage.effects.compactMap { effect -> Update? in
            if case .request(.publish(let update, _)) = effect { update } else { nil }
        }
        #expect(updates.first { $0.hasDeparted } != nil)
        #expect(
            updates.last?.stationary == true
                && updates.last?.stationarySince?.description.prefix(19) == "2026-11-21T12:00:00"
        )
        stage.clearEffects()
        stage.fixes(1, from: 234, seconds: 10)
        #expect(stage.takeKinds(1) == [])
    }

    @Test func `a departure is published once`() {
        var stage = resting()
        stage.clearEffects()
        stage.drive(1, from: 200, seconds: 20)
        let manners = stage.takeKinds(1)
        #expect(manners.first == "setOff")
        #expect(manners.count > 10)
        #expect(manners.dropFirst().allSatisfy { $0 == "moving" })
    }

    @Test func `a stream that starts at rest gets the stationary update first`() {
        var stage = resting()
        stage.clearEffects()
        stage.subscribe(2, configuration: .fitness)
        #expect(stage.takeKinds(2) == ["rest"])
        stage.fixes(1, from: 200, seconds: 5)
        #expect(stage.takeKinds(2) == [])
    }

    @Test func `each stationary threshold has its own state`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .fitness)
        stage.subscribe(2, configuration: .automotiveNavigation)
        stage.fixes(1, from: 0, seconds: 150)
        stage.clearEffects()
        stage.fixes(1, from: 150, seconds: 5)
        #expect(stage.takeUpdates(2).count == 5)
        #expect(stage.takeUpdates(1) == [])
    }

    @Test func `a stream bound to another receiver follows that receiver`() {
        var stage = Stage()
        stage.attach(1)
        stage.attach(2)
        stage.subscribe(1, configuration: .fitness, receiver: "tty2")
        for second in 0..<130 {
            stage.fix(1, second: second)
            stage.fix(2, second: second)
            stage.wait(1)
        }
        #expect(stage.takeKinds(1).last == "rest")
        for second in 130..<150 {
            stage.fix(2, second: second)
            stage.drive(1, from: second, seconds: 1, metres: Double(second - 130) * 20)
        }
        #expect(stage.takeKinds(1) == [])
    }

    @Test func `a stream without pauses gets every fix`() {
        var stage = resting(options: StreamOptions(pausesWhenStationary: false))
        #expect(stage.takeKinds(1) == Array(repeating: "moving", count: 200))
    }

    @Test func `a paused stream gets a fault and its end`() {
        var stage = resting()
        stage.clearEffects()
        stage.set(.absent("unplugged", lost: true), of: 1)
        #expect(stage.takeUpdates(1) == ["receiverLost"])
        stage.set(.open, of: 1)
        stage.clearEffects()
        stage.fixes(1, from: 205, seconds: 10)
        #expect(stage.takeKinds(1) == ["rest"])
    }

    @Test func `silence at rest is not published`() {
        var stage = resting()
        stage.clearEffects()
        stage.wait(60)
        #expect(stage.takeUpdates(1) == [])
    }

    @Test func `a batch is delivered together and in order`() {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 2)
        stage.subscribe(1, configuration: .fitness, options: StreamOptions(maximumDelay: .seconds(10)))
        stage.clearEffects()
        stage.fixes(1, from: 2, seconds: 9)
        #expect(stage.times(1) == [])
        stage.fixes(1, from: 11, seconds: 2)
        #expect(stage.times(1) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    }

    @Test func `a batch is delivered on time when the receiver falls silent`() {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 2)
        stage.subscribe(1, configuration: .fitness, options: StreamOptions(maximumDelay: .seconds(4)))
        stage.clearEffects()
        stage.fixes(1, from: 2, seconds: 2)
        stage.wait(3)
        #expect(stage.times(1) == [2, 3])
    }

    @Test func `a significant change is 500 metres and five minutes`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .default, options: StreamOptions(isSignificantChange: true))
        stage.clearEffects()
        stage.drive(1, from: 0, seconds: 330)
        #expect(stage.times(1) == [0, 300])
    }
}
