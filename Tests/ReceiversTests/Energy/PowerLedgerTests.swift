import Chronology
import Delivery
import Receivers
import Testing

@Suite("What was spent, by day")
struct PowerLedgerTests {
    private static let noon = UTCTime(milliseconds: 1_795_262_400_000)

    private static func program(_ number: Int) -> Consumer {
        .program(Program(user: 1000, unit: "p\(number).service", name: "p"), .stream(.fitness))
    }

    private static func stretch(_ seconds: Double, _ state: PowerState = .tracking, _ consumers: [Consumer] = []) -> PowerStretch {
        let needs = consumers.map { PowerNeed($0, LiveConfiguration.fitness.demand) }
        return PowerStretch(ReceiverConduct("gps", state, needs, chip: .ublox8), .seconds(seconds))
    }

    @Test("An hour in full operation is 29 mA at 3 V for 3600 s")
    func hour() {
        var usage = PowerUsage()
        usage.add(PowerLedgerTests.stretch(3600))
        #expect(abs(usage.joules - 0.029 * 3 * 3600) < 1e-9 && usage.times == [.tracking: 3600])
        #expect(usage.energy.keys.map(\.self) == [.nobody] && usage.figures == [.ublox8: 3600])
    }

    @Test("A night is divided at midnight, and a longer time at each")
    func midnight() throws {
        let noon = PowerLedgerTests.noon
        #expect(noon.millisecondsOfDay == 43_200_000)
        var ledger = PowerLedger()
        ledger.add(PowerLedgerTests.stretch(2.5 * 86_400), endingAt: noon)
        let days = ledger.days.sorted { $0.key < $1.key }.map { $0.value.usage(of: nil).seconds }
        #expect(days.map { Int($0.rounded()) } == [86_400, 86_400, 43_200])
        var wakeups = PowerLedger()
        wakeups.add(wakeups: 240, over: .seconds(86_400), endingAt: noon)
        #expect(wakeups.days.values.map { $0.wakeups.rounded() } == [120, 120])
    }

    @Test("What ends at midnight belongs to the day before")
    func atMidnight() {
        let midnight = UTCTime(date: PowerLedgerTests.noon.date, millisecondsOfDay: 0)
        var ledger = PowerLedger()
        ledger.add(PowerLedgerTests.stretch(10), endingAt: midnight)
        #expect(ledger.days.keys.map(\.daysSince1970) == [midnight.date.daysSince1970 - 1])
    }

    @Test("Sixty days are kept, and no stretch makes more")
    func bounded() {
        var ledger = PowerLedger()
        for day in 0..<100 { ledger.add(PowerPeriod(), on: CivilDate(daysSince1970: 20_000 + day)) }
        #expect(ledger.days.count == PowerLedger.capacity && ledger.days.keys.min()?.daysSince1970 == 20_040)
        var long = PowerLedger()
        long.add(PowerLedgerTests.stretch(400 * 86_400), endingAt: PowerLedgerTests.noon)
        #expect(long.days.count == PowerLedger.capacity)
        for span in [Int64.max, Int64.min, -1, 0, 1] {
            var odd = PowerLedger()
            var stretch = PowerLedgerTests.stretch(0)
            stretch.span = Instant.Span(nanoseconds: span)
            odd.add(stretch, endingAt: UTCTime(milliseconds: span > 0 ? .min : .max))
            #expect(odd.days.count <= PowerLedger.capacity)
        }
    }

    @Test("Programs beyond those told apart are summed, and nothing is lost")
    func others() {
        var usage = PowerUsage()
        for number in 1...200 { usage.add(PowerLedgerTests.stretch(Double(number), .tracking, [PowerLedgerTests.program(number)])) }
        #expect(usage.energy.count == PowerUsage.mostConsumers + 1)
        #expect(usage.energy[PowerLedgerTests.program(200)] != nil && usage.energy[PowerLedgerTests.program(1)] == nil)
        #expect(abs(usage.joules - 0.029 * 3 * 20_100) < 1e-6)
        var period = PowerPeriod()
        for number in 0..<40 { period.add(usage, of: "tty\(number)") }
        #expect(period.receivers.count == PowerPeriod.mostReceivers + 1)
        #expect(abs(period.usage(of: nil).joules - 40 * usage.joules) < 1e-4)
    }

    @Test("Ledgers add up")
    func sum() {
        var (one, other) = (PowerLedger(), PowerLedger())
        one.add(PowerLedgerTests.stretch(10), endingAt: PowerLedgerTests.noon)
        other.add(PowerLedgerTests.stretch(5, .standby), endingAt: PowerLedgerTests.noon)
        one.add(other)
        #expect(one.days.count == 1 && one.days.values.first?.usage(of: "gps").times == [.tracking: 10, .standby: 5])
    }
}
