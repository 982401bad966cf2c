import Chronology
import Geodesy
import NMEA
import TestSupport
import Testing

@testable import Positioning

/// Headings of one receiver: which sentences have one, and how both directions result.
@Suite struct HeadingReportsTests {
    private func decoded(_ body: String) -> HeadingReport? {
        HeadingReport(Sentence.decode(Array(body.utf8).span.bytes).sentence)
    }

    private func recorded(_ bodies: [String], at now: Instant = .zero) -> HeadingReports {
        var reports = HeadingReports()
        for body in bodies { reports.record(Sentence.decode(Array(body.utf8).span.bytes).sentence, at: now) }
        return reports
    }

    /// The heading of the only source.
    private func heading(
        _ reports: HeadingReports, position: Fix? = nil, clock: String? = nil, at now: Instant = .zero
    ) throws -> HeadingSample {
        let time = clock.flatMap { UTCTime(rfc3339: $0) }
        return reports.heading(
            of: try #require(reports.entries.first), position: position, clock: time.map { ($0, .zero) }, at: now)
    }

    private func fix(course: Double? = nil, accuracy: Double? = nil) -> Fix {
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.coordinate = Coordinate(latitude: 47.285, longitude: 8.565)
        fix.time = UTCTime(rfc3339: "2026-06-01T12:00:00Z")
        (fix.course, fix.courseAccuracy) = (course, accuracy)
        return fix
    }

    @Test(arguments: [
        ("GPHDT,218.83,T", HeadingSource.hdt, 218.83, false), ("GPHDT,360,T", .hdt, 0, false),
        ("GNTHS,244.28,A", .ths, 244.28, false), ("GNTHS,244.28,E", .ths, 244.28, false),
        ("INHDG,180,5,W,10,W", .hdg, 175, true), ("INHDG,2,5,W,,", .hdg, 357, true),
        ("HCHDM,93.8,M", .hdm, 93.8, true),
        ("SDVHW,236.6,T,235.2,M,6.2,N,11.6,K", .vhw, 236.6, false),
        ("SDVHW,,T,235.2,M,6.2,N,11.6,K", .vhw, 235.2, true),
        ("GNHPR,070901.00,90.1,0.2,0,4,14,1.00,0004", .dualAntenna, 90.1, false),
        ("PSAT,HPR,235410.50,89.58,3.35,,N", .dualAntenna, 89.58, false),
        ("PTNL,AVR,181059.6,-149.5,Yaw,+0.0134,Tilt,,,60.191,3,2.5,6", .dualAntenna, 210.5, false),
        ("PSTI,036,003832.000,290322,244.28,2.77,0.00,R", .dualAntenna, 244.28, false),
        ("PQTMTAR,1,124907.000,4,,1.7,-1.3,-0.7,84.3,0.1,0.3,0.04,00", .dualAntenna, 84.3, false),
        ("PASHR,204132.000,010.51,T,+00.39,-00.79,-00.84,0.151,0.075,0.555,1,0", .inertial, 10.51, false),
        ("PSSN,HRP,120000.00,200826,123.456,0.12,-1.34,0.2,0.9,0.4,14,2,1.5,E", .dualAntenna, 123.456, false),
        ("KSXT,20260820120000.00,-0.1,45.6,98.7,123.45,-1.3,90.0,1.2,0.1,3,3,14,14,,,", .dualAntenna, 123.45, false),
    ])
    func `a valid heading is reported`(body: String, source: HeadingSource, degrees: Double, isMagnetic: Bool) throws {
        let report = try #require(decoded(body))
        #expect(report.source == source && report.isMagnetic == isMagnetic)
        #expect(abs(report.degrees - degrees) < 1e-9)
    }

    @Test(arguments: [
        "GPHDT,,T", "GPHDT,-400,T", "GPHDT,900,T", "GNTHS,244.28,V", "GNTHS,244.28,S", "GNTHS,244.28,M", "GNTHS,,A",
        "HCHDG,,5,W,10,W", "HCHDM,,M", "SDVHW,,T,,M,6.2,N,11.6,K", "GNHPR,070901.00,90.1,0.2,0,1,14,1.00,0004",
        "GNHPR,070901.00,90.1,0.2,0,,14", "PSAT,HPR,235410.50,89.58,3.35,,G",
        "PSTI,036,003832.000,290322,244.28,2.77,0,A",
        "PTNL,AVR,181059.6,149.5,Yaw,+0.0134,Tilt,,,60.191,1,2.5,6",
        "PQTMTAR,1,124907.000,0,,1.7,-1.3,-0.7,84.3,0.1,0.3,0.04,00",
        "PQTMTAR,1,124907.000,4,,1.7,-1.3,-0.7,84.3,0.1,0.3,45,00",
        "PASHR,204132.000,010.51,T,+00.39,-00.79,-00.84,0.151,0.075,99.9,1,0", "GPRMC,,V,,,,,,,,,,N",
        "PSSN,HRP,120000.00,200826,123.456,0.12,-1.34,0.2,0.9,0.4,14,0,1.5,E",
        "KSXT,20260820120000.00,-0.1,45.6,98.7,123.45,-1.3,90.0,1.2,0.1,3,2,14,14,,,",
    ])
    func `an invalid heading is none`(body: String) {
        #expect(decoded(body) == nil)
    }

    @Test func `the receiver's estimate is the accuracy`() throws {
        let body = "PASHR,204132.000,010.51,T,+00.39,-00.79,-00.84,0.151,0.075,0.555,1,0"
        #expect(try heading(recorded([body])).accuracy == 0.555)
        #expect(try heading(recorded([body.replacing("0.555", with: "0.000")])).accuracy == nil)
        #expect(try heading(recorded(["GPHDT,218.83,T"])).accuracy == nil)
    }

    @Test func `a course is a heading while its accuracy is known`() throws {
        let entry = try #require(HeadingReports.course(of: fix(course: 90, accuracy: 12), at: .zero))
        #expect(entry.report.source == .course && entry.report.degrees == 90 && entry.report.accuracy == 12)
        #expect(HeadingReports.course(of: fix(course: 90), at: .zero) == nil)
        #expect(HeadingReports.course(of: fix(course: 90, accuracy: 31), at: .zero) == nil)
        #expect(HeadingReports.course(of: fix(accuracy: 12), at: .zero) == nil)
    }

    @Test(arguments: [
        ("HCHDG,359,,,2.5,E", 1.5, 359), ("HCHDG,1,,,2.5,W", 358.5, 1), ("HCHDG,358.5,,,1.5,E", 0, 358.5),
    ])
    func `the variation of HDG gives the true heading`(body: String, trueHeading: Double, magnetic: Double) throws {
        let joined = try heading(recorded([body]), position: fix())
        #expect(joined.trueHeading == trueHeading && joined.magneticHeading == magnetic)
        #expect(joined.variationSource == .hdg)
    }

    @Test func `the variation of RMC gives the magnetic heading`() throws {
        var reports = recorded(["GPHDT,1.5,T"])
        reports.record(variationOfRMC: 2.5, at: .zero)
        let joined = try heading(reports)
        #expect(joined.trueHeading == 1.5 && joined.magneticHeading == 359)
        #expect(joined.variation == 2.5 && joined.variationSource == .rmc)
    }

    @Test(arguments: [0, 200, nil] as [Double?])
    func `a placeholder in RMC is no variation`(variation: Double?) throws {
        var reports = recorded(["GPHDT,1.5,T"])
        reports.record(variationOfRMC: variation, at: .zero)
        #expect(try heading(reports).magneticHeading == nil)
        #expect(try heading(reports).variation == nil)
    }

    @Test func `HDG has precedence over RMC and both over the model`() throws {
        var reports = recorded(["HCHDG,90,,,2,E"])
        reports.record(variationOfRMC: 5, at: .zero + .seconds(599))
        #expect(try heading(reports, at: .zero + .seconds(599)).variation == 2)
        #expect(try heading(reports, at: .zero + .seconds(600)).variation == nil)
        reports.record(variationOfRMC: 5, at: .zero + .seconds(600))
        #expect(try heading(reports, position: fix(), at: .zero + .seconds(601)).variationSource == .rmc)
        let model = try heading(reports, position: fix(), at: .zero + .seconds(1300))
        #expect(model.variationSource == .model)
        // NOAA's calculator gives 3.6 degrees east near Zurich.
        #expect(abs(try #require(model.variation) - 3.6) < 0.3)
        #expect(model.trueHeading == HeadingSample.normalized(90 + (model.variation ?? 0)))
    }

    @Test func `without a date the model gives nothing`() throws {
        var undated = fix()
        undated.time = nil
        #expect(try heading(recorded(["HCHDM,90,M"]), position: undated).trueHeading == nil)
    }

    @Test(arguments: [
        ("GNHPR,235959.50,90.1,0.2,0,4,14", "2026-06-02T00:00:00.200Z", "2026-06-01T23:59:59.500Z"),
        ("GNHPR,000000.10,90.1,0.2,0,4,14", "2026-06-01T23:59:59.900Z", "2026-06-02T00:00:00.100Z"),
        ("GNHPR,120000.10,90.1,0.2,0,4,14", "2026-06-01T11:59:59.900Z", "2026-06-01T12:00:00.100Z"),
        ("GPHDT,218.83,T", "2026-06-01T12:00:00.000Z", "2026-06-01T12:00:01.500Z"),
    ])
    func `the time is near the receiver's clock`(body: String, clock: String, wanted: String) throws {
        let at = Instant.zero + (body.hasPrefix("GPHDT") ? .seconds(1.5) : .zero)
        #expect(try heading(recorded([body], at: at), clock: clock, at: at).time?.description == wanted)
        #expect(try heading(recorded([body], at: at), at: at).time == nil)
    }

    @Test func `a gap begins a new period of reports`() throws {
        var reports = recorded(["GPHDT,1,T"])
        reports.record(Sentence.decode(Array("GPHDT,2,T".utf8).span.bytes).sentence, at: .zero + .seconds(4.9))
        #expect(reports.entries.first?.since == .zero)
        reports.record(Sentence.decode(Array("GPHDT,3,T".utf8).span.bytes).sentence, at: .zero + .seconds(9.9))
        #expect(reports.entries.map(\.since) == [.zero + .seconds(9.9)])
        #expect(reports.entries.count == 1)
    }

    @Test func `every angle and difference is in its range`() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<10_000 {
            let (a, b) = (Double.random(in: -720...720, using: &random), Double.random(in: -720...720, using: &random))
            #expect((0..<360).contains(HeadingSample.normalized(a)))
            #expect((0...180).contains(HeadingSample.difference(a, b)))
        }
        #expect(HeadingSample.normalized(-1e-300) == 0 && HeadingSample.difference(359.5, 0.5) == 1)
    }
}
