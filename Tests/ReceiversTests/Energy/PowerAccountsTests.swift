import Chronology
import Delivery
import Receivers
import Testing

@Suite("The running accounts")
struct PowerAccountsTests {
    /// A drawing of time: at each second, what the receiver does for whom.
    private struct Stage {
        var accounts = PowerAccounts(at: .zero)
        private static let start = UTCTime(milliseconds: 1_795_262_400_000)

        mutating func at(_ second: Double, _ conducts: [ReceiverConduct], wakeups: UInt64 = 0, all: Bool = false) {
            let span = Instant.Span.seconds(second)
            accounts.note(conducts, wakeups: wakeups, at: .zero + span, Stage.start.advanced(by: span), all: all)
        }

        var total: PowerUsage { accounts.total.usage(of: nil) }
    }

    private static let walker = Consumer.program(Program(user: 1000, name: "walker"), .stream(.fitness))
    private static let need = PowerNeed(walker, LiveConfiguration.fitness.demand)

    @Test("A morning: found, asked for, left alone, at rest")
    func morning() throws {
        var stage = Stage()
        stage.at(0, [ReceiverConduct("gps", .acquiring, chip: .ublox8)])
        stage.at(30, [ReceiverConduct("gps", .acquiring, [PowerAccountsTests.need], chip: .ublox8)])
        stage.at(40, [ReceiverConduct("gps", .tracking, [PowerAccountsTests.need], chip: .ublox8)])
        stage.at(100, [ReceiverConduct("gps", .tracking, chip: .ublox8)])
        stage.at(130, [ReceiverConduct("gps", .standby, chip: .ublox8)])
        stage.at(1130, [ReceiverConduct("gps", .standby, chip: .ublox8)], all: true)
        let total = stage.total
        #expect(total.times == [.acquiring: 40, .tracking: 90, .standby: 1000])
        let walked = try #require(total.energy[PowerAccountsTests.walker])
        #expect(abs(walked - 3 * (0.032 * 10 + 0.029 * 60)) < 1e-9)
        #expect(abs(total.joules - walked - 3 * (0.032 * 30 + 0.029 * 30 + 0.00003 * 1000)) < 1e-9)
        #expect(stage.accounts.since("gps") == .zero + .seconds(130))
        #expect(stage.accounts.unsaved.days.values.first?.usage(of: nil).joules == total.joules)
    }

    @Test("Nothing is reckoned while nothing changes, and a report changes nothing")
    func idle() {
        var (one, other) = (Stage(), Stage())
        let conduct = [ReceiverConduct("gps", .tracking, [PowerAccountsTests.need], chip: .ublox8)]
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

    @Test("What is learned of the chip holds for the stretch before")
    func chip() {
        var stage = Stage()
        stage.at(0, [ReceiverConduct("gps", .tracking)])
        stage.at(10, [ReceiverConduct("gps", .tracking, chip: .ublox8)])
        stage.at(20, [ReceiverConduct("gps", .standby, chip: .ublox8)])
        #expect(abs(stage.total.joules - 0.029 * 3 * 20) < 1e-9)
    }

    @Test("A receiver that is gone spends nothing more, and two are kept apart")
    func gone() {
        var stage = Stage()
        stage.at(0, [ReceiverConduct("a", .tracking), ReceiverConduct("b", .tracking)])
        stage.at(10, [ReceiverConduct("b", .tracking)])
        stage.at(30, [], all: true)
        #expect(stage.accounts.total.usage(of: "a").seconds == 10 && stage.accounts.total.usage(of: "b").seconds == 30)
        #expect(stage.accounts.conducts.isEmpty && stage.accounts.since("a") == nil)
    }

    @Test("What was saved is counted once, and time that goes back counts nothing")
    func saved() {
        var stage = Stage()
        stage.at(10, [ReceiverConduct("a", .tracking)])
        stage.at(20, [ReceiverConduct("a", .tracking)], all: true)
        stage.accounts.saved()
        #expect(stage.accounts.unsaved.isEmpty)
        stage.at(5, [ReceiverConduct("a", .standby)])
        #expect(stage.total.seconds == 10 && stage.accounts.unsaved.isEmpty)
    }
}
