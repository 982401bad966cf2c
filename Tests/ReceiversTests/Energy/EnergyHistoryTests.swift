import Chronology
import Locator
import Positioning
import Receivers
import Testing

@Suite("What was spent, by day")
struct EnergyHistoryTests {
    private static let noon = UTCTime(milliseconds: 1_795_262_400_000)

    private static func program(_ number: Int) -> EnergyUser {
        .program(Program(user: 1000, unit: "p\(number).service", name: "p"), .stream(.fitness))
    }

    private static func stretch(
        _ seconds: Double, _ state: ReceiverPowerState = .tracking, _ consumers: [EnergyUser] = []
    )
        -> PowerInterval
    {
        let needs = consumers.map { ConsumerDemand($0, demand: Configuration.fitness.demand) }
        return PowerInterval(
            ReceiverPowerSample("gps", state: state, demands: needs, chip: .ublox8), lasting: .seconds(seconds))
    }

    @Test
    func `an hour of full operation is 29 mA at 3 V for 3600 s`() {
        var usage = ReceiverEnergyUse()
        usage.add(EnergyHistoryTests.stretch(3600))
        #expect(abs(usage.joules - 0.029 * 3 * 3600) < 1e-9 && usage.secondsByState == [.tracking: 3600])
        #expect(usage.joulesByConsumer.keys.map(\.self) == [.nobody] && usage.secondsByChip == [.ublox8: 3600])
    }

    @Test
    func `an interval is divided at each midnight`() throws {
        let noon = EnergyHistoryTests.noon
        #expect(noon.millisecondsOfDay == 43_200_000)
        var ledger = EnergyHistory()
        ledger.add(EnergyHistoryTests.stretch(2.5 * 86_400), endingAt: noon)
        let days = ledger.days.sorted { $0.key < $1.key }.map { $0.value.usage(of: nil).seconds }
        #expect(days.map { Int($0.rounded()) } == [86_400, 86_400, 43_200])
        var wakeups = EnergyHistory()
        wakeups.add(wakeups: 240, over: .seconds(86_400), endingAt: noon)
        #expect(wakeups.days.values.map { $0.wakeups.rounded() } == [120, 120])
    }

    @Test
    func `an interval that ends at midnight belongs to the previous day`() {
        let midnight = UTCTime(date: EnergyHistoryTests.noon.date, millisecondsOfDay: 0)
        var ledger = EnergyHistory()
        ledger.add(EnergyHistoryTests.stretch(10), endingAt: midnight)
        #expect(ledger.days.keys.map(\.daysSince1970) == [midnight.date.daysSince1970 - 1])
    }

    @Test
    func `at most sixty days are kept`() {
        var ledger = EnergyHistory()
        for day in 0..<100 { ledger.add(EnergyUse(), on: CivilDate(daysSince1970: 20_000 + day)) }
        #expect(ledger.days.count == EnergyHistory.capacity && ledger.days.keys.min()?.daysSince1970 == 20_040)
        var long = EnergyHistory()
        long.add(EnergyHistoryTests.stretch(400 * 86_400), endingAt: EnergyHistoryTests.noon)
        #expect(long.days.count == EnergyHistory.capacity)
        for span in [Int64.max, Int64.min, -1, 0, 1] {
            var odd = EnergyHistory()
            var stretch = EnergyHistoryTests.stretch(0)
            stretch.span = Instant.Span(nanoseconds: span)
            odd.add(stretch, endingAt: UTCTime(milliseconds: span > 0 ? .min : .max))
            #expect(odd.days.count <= EnergyHistory.capacity)
        }
    }

    @Test
    func `programs and receivers beyond the limit are summed`() {
        var usage = ReceiverEnergyUse()
        for number in 1...200 {
            usage.add(EnergyHistoryTests.stretch(Double(number), .tracking, [EnergyHistoryTests.program(number)]))
        }
        #expect(usage.joulesByConsumer.count == ReceiverEnergyUse.maxConsumers + 1)
        #expect(
            usage.joulesByConsumer[EnergyHistoryTests.program(200)] != nil
                && usage.joulesByConsumer[EnergyHistoryTests.program(1)] == nil)
        #expect(abs(usage.joules - 0.029 * 3 * 20_100) < 1e-6)
        var period = EnergyUse()
        for number in 0..<40 { period.add(usage, of: "tty\(number)") }
        #expect(period.receivers.count == EnergyUse.maxReceivers + 1)
        #expect(abs(period.usage(of: nil).joules - 40 * usage.joules) < 1e-4)
    }

    @Test
    func `histories add up`() {
        var (one, other) = (EnergyHistory(), EnergyHistory())
        one.add(EnergyHistoryTests.stretch(10), endingAt: EnergyHistoryTests.noon)
        other.add(EnergyHistoryTests.stretch(5, .standby), endingAt: EnergyHistoryTests.noon)
        one.add(other)
        #expect(
            one.days.count == 1
                && one.days.values.first?.usage(of: "gps").secondsByState == [.tracking: 10, .standby: 5])
    }
}
