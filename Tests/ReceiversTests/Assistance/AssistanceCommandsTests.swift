import Chronology
import Geodesy
import Locator
import Simulator
import TestSupport
import Testing

@testable import Receivers

/// The commands before the first fix equal the makers' manuals byte for byte, with independently
/// computed checksums.
@Suite struct AssistanceCommandsTests {
    private static let now = Instant.zero + .seconds(100_000)
    private static let utc = UTCTime(rfc3339: "2026-11-27T17:03:02.250Z") ?? UTCTime(milliseconds: 0)

    private func clock(error: Double = 0.4) -> BelievedClock {
        BelievedClock(Self.utc, at: Self.now, error: .seconds(error))
    }

    private func place(altitude: Double? = 45.2, age: Double = 60) throws -> LastPlace {
        let coordinate = try #require(Coordinate(latitude: 51.4779, longitude: -0.0015))
        return LastPlace(coordinate, altitude: altitude, accuracy: 4, at: Self.now - .seconds(age))
    }

    private func text(_ chip: ReceiverChip, _ clock: BelievedClock?, _ place: LastPlace? = nil) -> [String] {
        let commands = AssistanceCommands(StartAssistance(clock: clock, place: place), for: chip, at: Self.now)
        return commands.steps.map {
            let bytes = $0.command.bytes
            return bytes.first == UInt8(ascii: "$")
                ? String(decoding: bytes.dropLast(2), as: UTF8.self) : hexadecimal(bytes)
        }
    }

    @Test(arguments: [ReceiverChip.ublox8, .ubloxM9, .ubloxM10])
    func `u-blox 8 and later get MGA-INI-TIME_UTC and MGA-INI-POS_LLH`(chip: ReceiverChip) throws {
        #expect(
            text(chip, clock(), try place()) == [
                "B5 62 13 40 18 00 10 00 00 80 EA 07 0B 1B 11 03 02 00 80 B2 E6 0E 00 00 00 00 00 65 CD 1D 9D 01",
                "B5 62 13 40 14 00 01 00 00 00 78 E7 AE 1E 68 C5 FF FF A8 11 00 00 E0 93 04 00 EE A3",
            ])
    }

    @Test(arguments: [ReceiverChip.ublox6, .ublox7])
    func `u-blox 6 and 7 get AID-INI`(chip: ReceiverChip) throws {
        let time = "33 0A FE 95 9E 01 80 B2 E6 0E F4 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
        let zeros = Array(repeating: "00", count: 16).joined(separator: " ")
        #expect(
            text(chip, clock(), try place()) == [
                "B5 62 0B 01 30 00 78 E7 AE 1E 68 C5 FF FF A8 11 00 00 E0 93 04 00 00 00 \(time) 23 04 00 00 73 41"
            ])
        #expect(text(chip, clock()) == ["B5 62 0B 01 30 00 \(zeros) 00 00 \(time) 02 04 00 00 CC AE"])
        #expect(text(chip, clock(), try place(altitude: nil)).first?.contains("63 04 00 00") == true)
    }

    @Test func `MediaTek, Airoha and Quectel get sentences`() throws {
        let place = try place()
        #expect(
            text(.mediatek, clock(), place) == [
                "$PMTK740,2026,11,27,17,03,02*35", "$PMTK741,51.477900,-0.001500,45,2026,11,27,17,03,02*09",
            ])
        for chip in [ReceiverChip.airoha, .quectel] {
            #expect(
                text(chip, clock(), place) == [
                    "$PAIR590,2026,11,27,17,03,02*32",
                    "$PAIR600,51.477900,-0.001500,45.0,3000.0,3000.0,0.0,1000.0*2E",
                ])
        }
    }

    @Test func `what is too uncertain for a command is not given`() throws {
        // Sentences have no accuracy of the time, and PMTK741 none of the place.
        #expect(text(.mediatek, clock(error: 2.5), try place()).isEmpty)
        #expect(text(.quectel, clock(error: 2.5), try place()).isEmpty)
        #expect(text(.ublox8, clock(error: 2.5)).first?.contains("02 00 00 00 00 46 C3 23") == true)
        #expect(text(.mediatek, clock(), try place(age: 1080)).count == 2)
        #expect(text(.mediatek, clock(), try place(age: 1081)).count == 1)
        #expect(text(.quectel, clock(), try place(age: 1081)).count == 1)
        // Sentences cannot say that the altitude is unknown.
        #expect(text(.mediatek, clock(), try place(altitude: nil)).count == 1)
        #expect(text(.quectel, clock(), try place(altitude: nil)).count == 1)
        #expect(text(.ublox8, clock(), try place(age: 36_000)).count == 2)
        #expect(text(.ublox8, clock(), try place(age: 36_001)).count == 1)
    }

    @Test(arguments: ReceiverChip.allCases)
    func `nothing is given without a believed clock`(chip: ReceiverChip) throws {
        #expect(text(chip, nil, try place()).isEmpty)
        #expect(AssistanceCommands(nil, for: chip, at: Self.now).steps.isEmpty)
    }

    @Test(arguments: [ReceiverChip.casic, .sirf, .teseo, .generic])
    func `other families get nothing`(chip: ReceiverChip) throws { #expect(text(chip, clock(), try place()).isEmpty) }

    @Test func `the prediction of orbits is switched on in RAM alone`() {
        let expected: [ReceiverChip: String] = [
            .ublox6: "B5 62 06 23 28 00 00 00 00 40 " + zeros(23) + " 01 " + zeros(12) + " 92 C6",
            .ublox8: "B5 62 06 23 28 00 02 00 00 40 " + zeros(23) + " 01 " + zeros(12) + " 94 16",
            .ubloxM10: "B5 62 06 8A 09 00 00 01 00 00 01 00 23 10 01 CF C0",
            .mediatek: "$PMTK869,1,1*35", .quectel: "$PAIR490,1*2A",
        ]
        for (chip, text) in expected {
            let commands = CommandTable(for: chip).predictOrbits.map(\.bytes)
            let texts = commands.map {
                $0.first == UInt8(ascii: "$") ? String(decoding: $0.dropLast(2), as: UTF8.self) : hexadecimal($0)
            }
            #expect(texts == [text])
        }
    }

    private func zeros(_ count: Int) -> String { Array(repeating: "00", count: count).joined(separator: " ") }

    @Test func `the radius of the last place grows by 100 km an hour, from 3 km on`() throws {
        let place = try place(age: 0)
        #expect(place.radius(at: Self.now) == 3000)
        #expect(place.radius(at: Self.now + .seconds(3600)).rounded() == 100_000)
    }
}

/// Whether the host's clock is believed, drawn over time.
@Suite struct ClockTrustTests {
    private static let start = Instant.zero + .seconds(1000)
    private static let utc = UTCTime(milliseconds: 1_800_000_000_000)

    /// Returns the trust after a fix at the start, when the clock showed `offset` seconds more.
    private func trust(offset: Double) -> ClockTrust {
        var trust = ClockTrust()
        trust.compare(Self.utc.advanced(by: .seconds(offset)), withFix: Self.utc, at: Self.start)
        return trust
    }

    @Test func `a clock that the kernel calls synchronized is believed, with the error that it states`() {
        let clock = ClockTrust().clock(Self.utc, synchronizedWithin: .milliseconds(20), at: Self.start)
        #expect(clock == BelievedClock(Self.utc, at: Self.start, error: .milliseconds(20)))
        #expect(ClockTrust().clock(Self.utc, synchronizedWithin: nil, at: Self.start) == nil)
    }

    @Test(arguments: [
        (-2.1, false), (-1.9, true), (0, true), (1.9, true), (11, false), (-86_400, false), (604_800, false),
    ])
    func `a clock is believed that was right at the last fix`(offset: Double, isBelieved: Bool) {
        let host = Self.utc.advanced(by: .seconds(offset + 3600))
        let clock = trust(offset: offset).clock(host, synchronizedWithin: nil, at: Self.start + .seconds(3600))
        #expect((clock != nil) == isBelieved)
    }

    @Test func `a late fix proves nothing, and a wrong one overrides the kernel`() {
        var trust = trust(offset: 5)
        #expect(trust.clock(Self.utc, synchronizedWithin: .zero, at: Self.start) != nil)
        #expect(trust.clock(Self.utc, synchronizedWithin: nil, at: Self.start) == nil)
        trust.compare(Self.utc, withFix: Self.utc.advanced(by: .seconds(86_400)), at: Self.start)
        #expect(trust.clock(Self.utc, synchronizedWithin: .zero, at: Self.start) == nil)
    }

    @Test(arguments: [-1_800_000_000.0, -604_800, -86_400, -3, 3, 86_400, 604_800])
    func `a clock that was set since is not believed`(step: Double) {
        let now = Self.start + .seconds(60)
        let host = Self.utc.advanced(by: .seconds(60 + step))
        #expect(trust(offset: 0).clock(host, synchronizedWithin: nil, at: now) == nil)
    }

    @Test func `the error grows by 100 ppm`() throws {
        let clock = try #require(
            trust(offset: 0).clock(
                Self.utc.advanced(by: .seconds(28_800)), synchronizedWithin: nil, at: Self.start + .seconds(28_800)))
        #expect(abs(clock.error(at: Self.start + .seconds(28_800)).seconds - 4.88) < 0.001)
        #expect(!trust(offset: 0).isDue(at: Self.start + .seconds(59)) && ClockTrust().isDue(at: Self.start))
    }
}
