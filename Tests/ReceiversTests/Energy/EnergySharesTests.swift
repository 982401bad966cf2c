import Chronology
import Delivery
import Receivers
import Testing

@Suite("Who pays which part")
struct EnergySharesTests {
    private static let figures = EnergyFigures.of(.ublox8)

    private static func consumer(_ name: String, _ configuration: LiveConfiguration = .default) -> Consumer {
        .program(Program(user: 1000, name: name), .stream(configuration))
    }

    private static func need(_ name: String, _ configuration: LiveConfiguration = .default, isSilent: Bool = false) -> PowerNeed {
        PowerNeed(consumer(name, configuration), configuration.demand, isSilent: isSilent)
    }

    @Test("Nobody pays where nobody asks")
    func nobody() {
        #expect(EnergyShares([], EnergySharesTests.figures).parts == [.nobody: 1])
    }

    @Test("Equals pay alike")
    func equals() {
        let parts = EnergyShares(["a", "b", "c", "d"].map { EnergySharesTests.need($0) }, EnergySharesTests.figures).parts
        #expect(parts.count == 4 && parts.values.allSatisfy { abs($0 - 0.25) < 1e-12 })
    }

    @Test("Two navigators and one that could do with power save: 29, 29 and 9.5 mA alone")
    func layers() throws {
        let needs = [
            EnergySharesTests.need("car", .automotiveNavigation), EnergySharesTests.need("boat", .otherNavigation),
            EnergySharesTests.need("map"),
        ]
        let parts = EnergyShares(needs, EnergySharesTests.figures).parts
        let map = try #require(parts[EnergySharesTests.consumer("map")])
        let car = try #require(parts[EnergySharesTests.consumer("car", .automotiveNavigation)])
        #expect(abs(map - 9.5 / 29 / 3) < 1e-9 && abs(car - (9.5 / 29 / 3 + 19.5 / 29 / 2)) < 1e-9)
    }

    @Test("A stream that is silent at rest pays for looks, one that is not for the rest")
    func silent() throws {
        var awake = LiveConfiguration.fitness.demand
        awake.looksAtRest = nil
        let needs = [EnergySharesTests.need("quiet", .fitness, isSilent: true), PowerNeed(EnergySharesTests.consumer("loud"), awake)]
        let parts = EnergyShares(needs, EnergySharesTests.figures).parts
        #expect(try #require(parts[EnergySharesTests.consumer("quiet", .fitness)]) < 0.05)
        #expect(try #require(parts[EnergySharesTests.consumer("loud")]) > 0.95)
    }

    @Test("The greatest of a consumer's needs counts, once")
    func several() {
        let needs = [EnergySharesTests.need("a"), EnergySharesTests.need("a"), EnergySharesTests.need("b")]
        #expect(EnergyShares(needs, EnergySharesTests.figures).parts[EnergySharesTests.consumer("a")] == 0.5)
    }

    @Test("Parts add up to one and grow with what is asked for, for every chip", arguments: ReceiverChip.allCases)
    func sums(chip: ReceiverChip) {
        let intervals: [Double] = [0.2, 1, 5, 10, 60, 300, 900]
        let needs = intervals.map {
            PowerNeed(EnergySharesTests.consumer("\($0)"), Demand(interval: .seconds($0), isUrgent: $0 <= 1))
        }
        let parts = EnergyShares(needs, .of(chip)).parts
        #expect(abs(parts.values.reduce(0, +) - 1) < 1e-9 && parts.values.allSatisfy { $0 > 0 })
        let ordered = needs.map { parts[$0.consumer] ?? 0 }
        #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0 >= $1 - 1e-12 })
    }
}
