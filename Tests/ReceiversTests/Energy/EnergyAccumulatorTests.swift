import Chronology
import Locator
import Positioning
import Receivers
import Testing

@Suite("The running accounts")
struct EnergyAccumulatorTests {
    /// A timeline: at each second, the receiver states and their consumers.
    private struct Stage {
        var accounts = EnergyAccumulator(at: .zero)
        private static let start = UTCTime(milliseconds: 1_795_262_400_000)

        mutating func at(_ second: Double, _ samples: [ReceiverPowerSample], wakeups: UInt64 = 0, all: Bool = false) {
            let span = Instant.Span.seconds(second)
            accounts.update(samples, wakeups: wakeups, at: .zero + span, date: Stage.start.advanced(by: span), all: all)
        }

        var total: ReceiverEnergyUse { accounts.total.usage(of: nil) }
    }

    private static let walker = EnergyUser.program(Program(user: 1000, name: "walker"), .stream(.fitness))
    private static let need = ConsumerDemand(walker, demand: Configuration.fitness.demand)

    @Test
    func `energy is summed over search, operation and standby`() throws {
        var stage = Stage()
        stage.at(0, [ReceiverPowerSample("gps", state: .acquiring, chip: .ublox8)])
        stage.at(
            30, [ReceiverPowerSample("gps", state: .acquiring, demands: [EnergyAccumulatorTests.need], chip: .ublox8)])
        stage.at(
            40, [ReceiverPowerSample("gps", state: .tracking, demands: [EnergyAccumulatorTests.need], chip: .ublox8)])
        stage.at(100, [ReceiverPowerSample("gps", state: .tracking, chip: .ublox8)])
        stage.at(130, [ReceiverPowerSample("gps", state: .standby, chip: .ublox8)])
        stage.at(1130, [ReceiverPowerSample("gps", state: .standby, chip: .ublox8)], all: true)
        let total = stage.total
        #expect(total.secondsByState == [.acquiring: 40, .tracking: 90, .standby: 1000])
        let walked = try #require(total.joulesByConsumer[EnergyAccumulatorTests.walker])
        #expect(abs(walked - 3 * (0.032 * 10 + 0.029 * 60)) < 1e-9)
        #expect(abs(total.joules - walked - 3 * (0.032 * 30 + 0.029 * 30 + 0.00003 * 1000)) < 1e-9)
        #expect(stage.accounts.since("gps") == .zero + .seconds(130))
        #expect(stage.accounts.unsaved.days.values.first?.usage(of: nil).joules == total.joules)
    }

    @Test(arguments: [1, -1, 3652, -7305])
    func `a clock that is wrong for a while leaves no wrong day`(days: Int) {
        var accounts = EnergyAccumulator(at: .zero)
        let start = UTCTime(milliseconds: 1_795_262_400_000)
        let sample = [ReceiverPowerSample("gps", state: .tracking, chip: .ublox8)]
        for second in stride(from: 0.0, through: 100, by: 10) {
            let error = Instant.Span.seconds(86_400) * (30..<70 ~= second ? days : 0)
            let clock = start.advanced(by: .seconds(second) + error)
            accounts.update(sample, wakeups: UInt64(second), at: .zero + .seconds(second), date: clock, all: true)
            // All that is not saved yet has the date of the clock.
            #expect(accounts.unsaved.days.keys.allSatisfy { $0 == clock.date })
        }
        let recorded = accounts.unsaved.days[start.date]
        #expect(recorded?.usage(of: nil).secondsByState == [.tracking: 100] && recorded?.wakeups == 100)
        #expect(accounts.clockSetAt == .zero + .seconds(70))
    }

    @Test
    func `midnight and a clock that is adjusted are no new setting`() {
        var accounts = EnergyAccumulator(at: .zero)
        let midnight = UTCTime(milliseconds: 1_795_219_200_000)
        let sample = [ReceiverPowerSample("gps", state: .tracking, chip: .ublox8)]
        for minute in -10...10 {
            let clock = midnight.advanced(by: .seconds(Double(minute) * 61))
            accounts.update(sample, wakeups: 0, at: .zero + .seconds(Double(minute + 10) * 60), date: clock, all: true)
        }
        #expect(accounts.clockSetAt == nil && accounts.unsaved.days.count == 2)
        #expect(accounts.unsaved.days.values.allSatisfy { abs($0.usage(of: nil).seconds - 600) < 12 })
    }

    @Test
    func `a report does not change the totals`() {
        var (one, other) = (Stage(), Stage())
        let conduct = [
            ReceiverPowerSample("gps", state: .tracking, demands: [EnergyAccumulatorTests.need], chip: .ublox8)
        ]
        one.at(0, conduct, wakeups: 5)
        other.at(0, conduct, wakeups: 5)
        for second in 1..<100 { one.at(Double(second), conduct, wakeups: UInt64(second), all: second % 3 == 0) }
        for second in 1..<100 { other.at(Double(second), conduct, wakeups: UInt64(second)) }
        #expect(other.total.joules == 0)
        one.at(100, conduct, wakeups: 100, all: true)
        other.at(100, conduct, wakeups: 100, all: true)
        #expect(abs(one.total.joules - other.total.joules) < 1e-9 && one.accounts.total.wakeups == 100)
        #expect(one.accounts.since("gps") == .zero && other.accounts.total.wakeups == 100)
    }

    @Test
    func `a chip identified later applies to the preceding interval`() {
        var stage = Stage()
        stage.at(0, [ReceiverPowerSample("gps", state: .tracking)])
        stage.at(10, [ReceiverPowerSample("gps", state: .tracking, chip: .ublox8)])
        stage.at(20, [ReceiverPowerSample("gps", state: .standby, chip: .ublox8)])
        #expect(abs(stage.total.joules - 0.029 * 3 * 20) < 1e-9)
    }

    @Test
    func `a removed receiver uses no more energy and receivers stay separate`() {
        var stage = Stage()
        stage.at(0, [ReceiverPowerSample("a", state: .tracking), ReceiverPowerSample("b", state: .tracking)])
        stage.at(10, [ReceiverPowerSample("b", state: .tracking)])
        stage.at(30, [], all: true)
        #expect(stage.accounts.total.usage(of: "a").seconds == 10 && stage.accounts.total.usage(of: "b").seconds == 30)
        #expect(stage.accounts.samples.isEmpty && stage.accounts.since("a") == nil)
    }

    @Test
    func `saved energy counts once and a clock that runs backwards adds nothing`() {
        var stage = Stage()
        stage.at(10, [ReceiverPowerSample("a", state: .tracking)])
        stage.at(20, [ReceiverPowerSample("a", state: .tracking)], all: true)
        stage.accounts.markSaved()
        #expect(stage.accounts.unsaved.isEmpty)
        stage.at(5, [ReceiverPowerSample("a", state: .standby)])
        #expect(stage.total.seconds == 10 && stage.accounts.unsaved.isEmpty)
    }
}
