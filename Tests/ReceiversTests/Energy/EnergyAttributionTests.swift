import Chronology
import Locator
import Positioning
import Receivers
import Testing

@Suite("Who pays which part")
struct EnergyAttributionTests {
    private static let figures = EnergyFigures(for: .ublox8)

    private static func consumer(_ name: String, _ configuration: Configuration = .default) -> EnergyUser {
        .program(Program(user: 1000, name: name), .stream(configuration))
    }

    private static func need(
        _ name: String, _ configuration: Configuration = .default, needsOnlyDutyCycle: Bool = false
    )
        -> ConsumerDemand
    {
        ConsumerDemand(
            consumer(name, configuration), demand: configuration.demand, needsOnlyDutyCycle: needsOnlyDutyCycle)
    }

    @Test
    func `without consumers the energy is attributed to nobody`() {
        #expect(EnergyAttribution([], figures: EnergyAttributionTests.figures).parts == [.nobody: 1])
    }

    @Test
    func `equal consumers share the energy equally`() {
        let parts = EnergyAttribution(
            ["a", "b", "c", "d"].map { EnergyAttributionTests.need($0) }, figures: EnergyAttributionTests.figures
        )
        .parts
        #expect(parts.count == 4 && parts.values.allSatisfy { abs($0 - 0.25) < 1e-12 })
    }

    @Test
    func `each consumer pays only for the operation it needs`() throws {
        let needs = [
            EnergyAttributionTests.need("car", .automotiveNavigation),
            EnergyAttributionTests.need("boat", .otherNavigation),
            EnergyAttributionTests.need("map"),
        ]
        let parts = EnergyAttribution(needs, figures: EnergyAttributionTests.figures).parts
        let map = try #require(parts[EnergyAttributionTests.consumer("map")])
        let car = try #require(parts[EnergyAttributionTests.consumer("car", .automotiveNavigation)])
        #expect(abs(map - 9.5 / 29 / 3) < 1e-9 && abs(car - (9.5 / 29 / 3 + 19.5 / 29 / 2)) < 1e-9)
    }

    @Test
    func `a stream without updates at rest pays only for duty-cycle fixes`() throws {
        var awake = Configuration.fitness.demand
        awake.stationaryCheckInterval = nil
        let needs = [
            EnergyAttributionTests.need("quiet", .fitness, needsOnlyDutyCycle: true),
            ConsumerDemand(EnergyAttributionTests.consumer("loud"), demand: awake),
        ]
        let parts = EnergyAttribution(needs, figures: EnergyAttributionTests.figures).parts
        #expect(try #require(parts[EnergyAttributionTests.consumer("quiet", .fitness)]) < 0.05)
        #expect(try #require(parts[EnergyAttributionTests.consumer("loud")]) > 0.95)
    }

    @Test
    func `only the largest need of a consumer counts`() {
        let needs = ["a", "a", "b"].map { EnergyAttributionTests.need($0) }
        let parts = EnergyAttribution(needs, figures: EnergyAttributionTests.figures).parts
        #expect(parts[EnergyAttributionTests.consumer("a")] == 0.5)
    }

    @Test(arguments: ReceiverChip.allCases)
    func `shares add up to one and grow with demand`(chip: ReceiverChip) {
        let intervals: [Double] = [0.2, 1, 5, 10, 60, 300, 900]
        let needs = intervals.map {
            ConsumerDemand(
                EnergyAttributionTests.consumer("\($0)"), demand: Demand(interval: .seconds($0), isLowLatency: $0 <= 1))
        }
        let parts = EnergyAttribution(needs, figures: EnergyFigures(for: chip)).parts
        #expect(abs(parts.values.reduce(0, +) - 1) < 1e-9 && parts.values.allSatisfy { $0 > 0 })
        let ordered = needs.map { parts[$0.consumer] ?? 0 }
        #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0 >= $1 - 1e-12 })
    }
}
