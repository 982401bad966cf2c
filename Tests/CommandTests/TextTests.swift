import SextantAPI
import Testing

@testable import sextant

@Suite("Text of values", .utc)
struct TextTests {
    @Test(arguments: [
        (12.345, 1, "12.3"), (-0.04, 1, "0.0"), (-1.25, 2, "-1.25"), (0.999, 2, "1.00"), (5, 0, "5"),
        (1e300, 1, "1e+300"),
    ])
    func `numbers are rounded to fixed decimals`(value: Double, decimals: Int, text: String) {
        #expect(DecimalText.text(value, decimals: decimals) == text)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"),
        (Int.min, "-9,223,372,036,854,775,808"),
    ])
    func `digits are grouped`(number: Int, text: String) {
        #expect(DecimalText.grouped(number) == text)
    }

    @Test(arguments: [
        (48.1173, "48° 07′ 02.28″ N"), (-33.8567844, "33° 51′ 24.42″ S"), (47.999999999, "48° 00′ 00.00″ N"),
        (0, "0° 00′ 00.00″ N"),
        (.nan, "? N"), (1e30, "? N"),
    ])
    func `minutes and seconds never show 60`(degrees: Double, text: String) {
        #expect(AngleText.sexagesimalLatitude(degrees) == text)
    }

    @Test
    func `a western longitude has a letter instead of a minus sign`() {
        #expect(AngleText.longitude(-11.516667, decimals: 6) == "11.516667° W")
    }

    @Test(arguments: [(2.4, 6), (0.5, 7), (0.02, 8)])
    func `the number of decimals follows the accuracy`(accuracy: Double, decimals: Int) {
        #expect(AngleText.decimals(accuracy: accuracy) == decimals)
    }

    @Test(arguments: [
        (0.0, "N"), (11, "N"), (12, "NNE"), (254, "WSW"), (348.8, "N"), (359.9, "N"), (-90, "W"), (.infinity, ""),
    ])
    func `a course maps to one of sixteen compass points`(course: Double, name: String) {
        #expect(AngleText.compassPoint(course) == name)
    }

    @Test(arguments: [
        (0.014, "1.4 cm"), (0.25, "0.25 m"), (2.44, "2.4 m"), (9.96, "10 m"), (13.2, "13 m"), (2100, "2.1 km"),
    ])
    func `lengths are formatted with a suitable unit`(length: Double, text: String) {
        #expect(LengthText.metres(length) == text)
    }

    @Test(arguments: [
        (0.31, "0.3 s"), (-1, "0.0 s"), (42, "42 s"), (185, "3 min 5 s"), (7620, "2 h 7 min"), (93784, "1 d 2 h"),
    ])
    func `time spans are formatted with suitable units`(seconds: Double, text: String) {
        #expect(TimeText.span(seconds) == text)
    }

    @Test
    func `timestamps are formatted and invalid ones are sanitized`() {
        #expect(TimeText.moment("2026-11-21T07:22:02.250Z") == "21 Nov 2026 07:22:02 UTC")
        #expect(TimeText.moment("soon\u{1B}[2J") == "soon?[2J")
    }

    @Test(arguments: [
        (48.1173, 6, "48° 07.038′"), (-11.9999999, 6, "12° 00.000′"), (0.02, 8, "0° 01.20000′"),
        (48.117, 3, "48° 07.0′"),
        (.nan, 6, "?"),
    ])
    func `decimal minutes have the decimals of the degrees and never show 60`(
        degrees: Double, decimals: Int, text: String
    ) {
        #expect(AngleText.minutes(degrees, decimals: decimals) == text)
    }

    @Test
    func `texts of the daemon get the names of users and local times`() {
        let text =
            "the program 0:a.service may not, decided by user 0 with sextant grant, 2026-11-21T07:22:02.250Z; to allow"
        #expect(
            ProgramFormatter.sentence(text)
                == "the program root:a.service may not, decided by user root with sextant grant, "
                + "21 Nov 2026 07:22:02 UTC; to allow")
        // A user without a name, and numbers that are no users.
        for kept in ["user 4242, program 4242; user 7x", "grant 0 at TEST", "", " two  blanks "] {
            #expect(ProgramFormatter.sentence(kept) == kept)
        }
        #expect(ProgramFormatter.program("0") == "root")
        #expect(ProgramFormatter.program("0:user:a.service") == "root:user:a.service")
        #expect(ProgramFormatter.program("4242") == "user 4242")
        #expect(ProgramFormatter.program("4242:a.service") == "4242:a.service")
    }

    @Test(arguments: [(SpeedUnit.kmh, "36.0 km/h"), (.mph, "22.4 mph"), (.kn, "19.4 kn"), (.ms, "10.0 m/s")])
    func `speeds are formatted in each unit`(unit: SpeedUnit, text: String) {
        #expect(unit.text(10) == text)
    }

    @Test
    func `a location is formatted as one line`() throws {
        let update: SubscribeReply = try Sample.read(Sample.updateText)
        #expect(
            PositionLine.text(update) == """
                21 Nov 2026 07:22:02 UTC 48.117300° N 11.516667° W ±2.4 m · altitude 519 m · 44.3 km/h WSW · \
                declination 2.3° W, 256° magnetic · 3D, differential (SBAS, DGPS) · 4 satellites · ttyACM0
                """)
        let minimal: SubscribeReply = try Sample.read(Sample.minimalUpdateText)
        #expect(PositionLine.text(minimal) == "0.500000° N 0.000000° E ±240 m · 2D, autonomous · gps")
    }

    @Test
    func `a simulated position is marked as simulated`() throws {
        var update: SubscribeReply = try Sample.read(Sample.minimalUpdateText)
        #expect(!PositionLine.text(update).contains("simulated"))
        update.location?.simulated = true
        #expect(PositionLine.text(update).hasSuffix(" · simulated · gps"))
    }

    @Test
    func `a missing position is formatted with its cause`() throws {
        let update: SubscribeReply = try Sample.read(Sample.noFix)
        #expect(
            PositionLine.text(update).hasPrefix(
                "no position: ttyACM0 sends data and has no fix: it receives no satellite"))
    }
}
