import Chronology
import NMEA
import TestSupport
import Testing

@testable import Positioning

/// Positions, speeds and courses that the receiver's other values contradict.
@Suite struct OutlierTests {
    private static let distances = [10.0, 30, 60, 150, 1_000, 30_000, 350_000, 8_000_000]
    private static let quarter = ReceiverLog(seconds: 300)
    private static let drive = ReceiverLog(seconds: 300, speed: 15, course: 40)

    /// Returns the greatest factor between the radii of two runs from an index on.
    private func factor(_ fixes: [Fix], _ control: [Fix], from first: Int) -> Double {
        zip(fixes, control).dropFirst(first).map { a, b in
            guard let a = a.horizontalAccuracy, let b = b.horizontalAccuracy else { return .infinity }
            return max(a / b, b / a)
        }.max() ?? .infinity
    }

    // MARK: One wrong position

    @Test(arguments: distances, [FAAMode.autonomous, .rtkFixed])
    func `a wrong position does not affect those after it`(distance: Double, kind: FAAMode) {
        for var control in [Self.quarter, Self.drive] {
            control.kind = kind
            let fixes = control.changing(200...200) { $0.north += distance }.fixes()
            #expect(factor(fixes, control.fixes(), from: 205) < 1.5)
            if let radius = fixes[200].horizontalAccuracy { #expect(distance < 80 || radius > distance / 3) }
        }
    }

    /// A wrong position often has a wrong speed as well.
    @Test(arguments: [0.0, 473]) func `the speed of a wrong position has no effect`(speed: Double) {
        let fixes = Self.drive.changing(200...200) {
            $0.east -= 1_000
            $0.speed = speed
        }.fixes()
        #expect(factor(fixes, Self.drive.fixes(), from: 205) < 1.5)
    }

    @Test(arguments: [0.1, 0.2, 2, 5, 12]) func `a wrong position has no effect at other rates`(interval: Double) {
        let control = ReceiverLog(seconds: 300, interval: interval, speed: 15, course: 40)
        let wrong = control.points.count / 2
        let fixes = control.changing(wrong...wrong) { $0.east += 30_000 }.fixes()
        #expect(fixes[wrong].coordinate == nil)
        #expect(factor(fixes, control.fixes(), from: wrong + Int(10 / interval) + 1) < 1.5)
    }

    @Test func `two equal wrong positions have no effect`() {
        let fixes = Self.drive.changing(200...201) { $0.east += 5_000 }.fixes()
        #expect(fixes[200...201].allSatisfy { $0.coordinate == nil })
        #expect(factor(fixes, Self.drive.fixes(), from: 202) < 1.5)
    }

    @Test func `every third position is wrong`() {
        let fixes = Self.drive.changing(100...) { _ in }.fixes()
        var disturbed = Self.drive
        for index in stride(from: 100, to: 300, by: 3) { disturbed.points[index].north -= 2_000 }
        let results = disturbed.fixes()
        #expect(results.enumerated().allSatisfy { ($1.coordinate == nil) == ($0 >= 100 && ($0 - 100) % 3 == 0) })
        let good = zip(results, fixes).filter { $0.0.coordinate != nil }
        #expect(good.allSatisfy { ($0.0.horizontalAccuracy ?? 0) < 1.5 * ($0.1.horizontalAccuracy ?? 0) })
    }

    /// The first position may be an old one from the receiver's memory.
    @Test func `a wrong first position delays the others by seconds`() {
        let fixes = Self.quarter.changing(0...0) { $0.east += 40_000 }.fixes()
        #expect(factor(fixes, Self.quarter.fixes(), from: 4) < 1.5)
    }

    // MARK: Another place

    @Test(arguments: [100.0, 1_000, 350_000, 8_000_000], [1.0, 0.2, 5])
    func `a jump is accepted within ten seconds`(distance: Double, interval: Double) {
        for speed in [0.0, 15] {
            let control = ReceiverLog(seconds: 300, interval: interval, speed: speed)
            let jump = control.points.count / 2
            let fixes = control.changing(jump...) { $0.north -= distance }.fixes()
            #expect(factor(fixes, control.fixes(), from: jump + Int(10 / interval)) < 1.5)
            if distance > 500 { #expect(fixes[jump].coordinate == nil) }
        }
    }

    @Test func `positions that agree with nothing are stated with their distance`() {
        var random = SeededGenerator(seed: 3)
        let fixes = Self.quarter.changing(100...) {
            $0.east = Double.random(in: -5_000...5_000, using: &random)
            $0.north = Double.random(in: -5_000...5_000, using: &random)
        }.fixes()
        let stated = fixes[110...].compactMap(\.horizontalAccuracy)
        #expect(stated.count > 10)
        #expect(stated.allSatisfy { $0 > 500 })
    }

    /// GGA alone from the middle of a fast journey, and a speed that is always 0 in an aircraft.
    @Test(arguments: [(40.0, nil), (80, nil), (100, 0), (250, 0)] as [(Double, Double?)])
    func `a fast track is accepted without a right speed`(speed: Double, reported: Double?) {
        let control = ReceiverLog(seconds: 60, speed: speed, course: 40)
        let fixes = control.changing(0...) {
            $0.speed = reported
            if reported == nil { $0.course = nil }
        }.fixes()
        let first = reported == nil ? 0 : 20
        #expect(fixes[first...].allSatisfy { ($0.horizontalAccuracy ?? .infinity) < 10 })
    }

    @Test func `after a long pause any place is possible`() {
        var pipeline = FixPipeline()
        _ = ReceiverLog(seconds: 20).fixes(&pipeline)
        var far = ReceiverLog(seconds: 20).changing(0...) { $0.north += 50_000 }
        far.interval = 1_800
        #expect(far.fixes(&pipeline).allSatisfy { $0.coordinate != nil })
    }

    // MARK: A wrong speed or course

    private static let wrongFields: [(String, @Sendable (inout ReceiverLog.Point) -> Void)] = [
        ("speed 0", { $0.speed = 0 }), ("speed and course 0", { ($0.speed, $0.course) = (0, nil) }),
        ("knots as km/h", { $0.speed = $0.speed.map { $0 * 1.852 } }),
        ("km/h as knots", { $0.speed = $0.speed.map { $0 / 1.852 } }), ("stuck", { $0.speed = 33 }),
        ("magnetic course", { $0.course = $0.course.map { $0 + 20 } }), ("course 0", { $0.course = 120 }),
        ("opposite course", { $0.course = $0.course.map { $0 + 180 } }),
    ]

    @Test(arguments: wrongFields.indices, [FAAMode.autonomous, .rtkFixed])
    func `a wrong field is withdrawn and the position's accuracy stays`(index: Int, kind: FAAMode) {
        let (name, makeWrong) = Self.wrongFields[index]
        var control = ReceiverLog(seconds: 60, speed: 0, course: 40)
        control.kind = kind
        control.noise = kind == .rtkFixed ? 0.01 : 0.3
        control.go(seconds: 240, speed: 15, course: 40)
        let fixes = control.changing(60...) { makeWrong(&$0) }.fixes()
        #expect(factor(fixes, control.fixes(), from: 75) < 1.5, "\(name)")
        let isCourse = name.hasSuffix("course") || name == "course 0"
        #expect(fixes[75...].allSatisfy { isCourse ? $0.course == nil && $0.speed != nil : $0.speed == nil }, "\(name)")
    }

    /// The deviation of the compass in Europe and in North America.
    @Test(arguments: [3.0, 6, 14]) func `a magnetic course is withdrawn with carrier phase`(declination: Double) {
        var control = Self.drive
        (control.kind, control.noise) = (.rtkFixed, 0.01)
        let fixes = control.changing(0...) { $0.course = 40 + declination }.fixes()
        #expect(factor(fixes, control.fixes(), from: 25) < 1.5)
        #expect(fixes[25...].allSatisfy { $0.course == nil && $0.speed != nil })
    }

    @Test func `a withdrawn field returns when it agrees again`() {
        var journey = ReceiverLog(seconds: 300, speed: 15, course: 40)
        journey = journey.changing(50..<120) { $0.speed = 0 }
        let fixes = journey.fixes()
        #expect(fixes[65..<120].allSatisfy { $0.speed == nil })
        #expect(fixes[220...].allSatisfy { $0.speed != nil && $0.course != nil })
    }

    @Test func `rest does not restore a speed that is always zero`() {
        var journey = ReceiverLog(seconds: 100, speed: 15, course: 40)
        journey.go(seconds: 300, speed: 0, course: 40)
        let fixes = journey.changing(0...) { $0.speed = 0 }.fixes()
        #expect(fixes[20...].allSatisfy { $0.speed == nil })
    }

    /// A person, a bus, a bend.
    @Test func `a walk, a turn and a stop keep their speed and course`() {
        var journey = ReceiverLog(seconds: 60)
        journey.noise = 1
        for round in 0..<6 {
            journey.go(seconds: 60, speed: 1.4, course: Double(round) * 70)
            journey.go(seconds: 20, speed: 0, course: 0)
            journey.go(seconds: 40, speed: 14, course: Double(round) * 90)
            for step in 0..<9 { journey.go(seconds: 1, speed: 14, course: Double(round * 90 + step * 10)) }
        }
        let wrong = journey.fixes().enumerated().filter {
            $1.coordinate == nil || $1.speed == nil || $1.course == nil
        }
        #expect(wrong.isEmpty, "\(wrong.first.map { "\($0)" } ?? "")")
    }

    /// Receivers hold a position while a person walks.
    @Test func `a held position does not withdraw the speed`() {
        let fixes = ReceiverLog(seconds: 200).changing(0...) { ($0.speed, $0.course) = (1.2, 70) }.fixes()
        #expect(fixes.allSatisfy { $0.speed != nil })
    }

    @Test(arguments: [1.0, 0.2, 5]) func `an impossible speed is absent`(interval: Double) {
        let control = ReceiverLog(seconds: 200, interval: interval, speed: 10, course: 40)
        let wrong = control.points.count / 2
        let fixes = control.changing(wrong...wrong) { $0.speed = 473 }.fixes()
        #expect(fixes[wrong].speed == nil && fixes[wrong].coordinate != nil)
        #expect(fixes.enumerated().allSatisfy { $0 == wrong || $1.speed != nil })
        #expect(factor(fixes, control.fixes(), from: wrong + 1) < 1.5)
    }

    @Test func `an impossible speed is absent from the second fix on`() {
        let fixes = Self.drive.changing(0...) { $0.speed = 473 }.fixes()
        #expect(fixes[1...].allSatisfy { $0.speed == nil && $0.coordinate != nil })
    }

    @Test(
        arguments: [(1.0, 1.4), (1, 15), (1, 30), (0.2, 30), (0.1, 15)], [FAAMode.autonomous, .rtkFixed])
    func `one wrong velocity does not affect later positions`(
        track: (interval: Double, speed: Double), kind: FAAMode
    ) {
        var control = ReceiverLog(seconds: 60, interval: track.interval, speed: track.speed, course: 40)
        (control.kind, control.noise) = (kind, kind == .rtkFixed ? 0.01 : 0.3)
        let wrong = control.points.count / 2
        let fixes = control.fixes()
        let later = wrong + Int(10 / track.interval)
        #expect(factor(control.changing(wrong...wrong) { $0.speed = 0 }.fixes(), fixes, from: later) < 1.5)
        #expect(factor(control.changing(wrong...wrong) { $0.course = 220 }.fixes(), fixes, from: later) < 1.5)
    }

    /// A moved fix whose speed is wrong as well, too near for an outlier.
    @Test(arguments: [10.0, 25, 50]) func `a near wrong position with a wrong speed has no effect`(distance: Double) {
        let fixes = Self.drive.changing(200...200) {
            $0.east += distance
            $0.speed = distance
        }.fixes()
        #expect(factor(fixes, Self.drive.fixes(), from: 210) < 1.5)
    }

    @Test(arguments: [8.0, 25]) func `a wrong position with carrier phase is held back`(distance: Double) {
        var control = Self.quarter
        (control.kind, control.noise) = (.rtkFixed, 0.01)
        let fixes = control.changing(200...200) { $0.east += distance }.fixes()
        #expect(fixes[200].coordinate == nil && fixes[201].coordinate != nil)
    }

    @Test(arguments: [40.0, 80]) func `an impossible speed at ten epochs per second is absent`(speed: Double) {
        let control = ReceiverLog(seconds: 60, interval: 0.1, speed: 15, course: 40)
        let fixes = control.changing(300..<320) { $0.speed = speed }.fixes()
        #expect(fixes[300..<320].allSatisfy { $0.speed == nil } && fixes[320...].allSatisfy { $0.speed != nil })
        #expect(factor(fixes, control.fixes(), from: 420) < 1.5)
    }

    @Test func `what is not used is counted`() {
        var pipeline = FixPipeline()
        _ = Self.drive.changing(100...100) { $0.north += 1_000 }.changing(200...200) { $0.speed = 300 }.fixes(&pipeline)
        #expect(pipeline.fixBuilder.contradicted == ContradictedValues(positions: 1, speeds: 1, courses: 0))
    }

    // MARK: Placeholders

    @Test(arguments: ["0000.0000,N,00000.0000,E", "0000.000,S,18000.000,W", "9000.0000,N,00000.0000,E"])
    func `a placeholder is no position`(place: String) {
        var pipeline = FixPipeline()
        for second in 0..<3 {
            let clock = Body.clock(36_000_000 + second * 1000)
            let fixes = pipeline.burst([
                "GPRMC,\(clock),A,\(place),0.0,0.0,150926,,,A", "GPGGA,\(clock),\(place),1,06,1.2,0.0,M,0.0,M,,",
            ])
            #expect(fixes.map(\.mode) == [.none] && fixes[0].coordinate == nil && fixes[0].time != nil)
        }
    }

    @Test func `a ship may cross the origin`() {
        var pipeline = FixPipeline()
        let latitudes = ["0000.0200,S", "0000.0100,S", "0000.0000,N", "0000.0100,N"]
        let fixes = latitudes.enumerated().flatMap { second, latitude in
            pipeline.burst(
                ["GPGGA,\(Body.clock(36_000_000 + second * 4000)),\(latitude),00000.0000,E,1,08,1.0,5,M,0,M,,"],
                pause: .seconds(4))
        }
        #expect(fixes.allSatisfy { $0.coordinate != nil })
    }

    @Test(arguments: [
        ("GPGSA,A,1,,,,,,,,,,,,,,,", false), ("GPGSV,1,1,00", false), ("GPGSV,1,1,01,02,25,181,42", true),
    ])
    func `a position without satellites counts if some are in view`(sentence: String, isPosition: Bool) {
        var pipeline = FixPipeline()
        _ = pipeline.burst([Body.gga(Body.clock(0), used: "00"), sentence])
        let fixes = pipeline.burst([Body.gga(Body.clock(1000), used: "00"), sentence])
        #expect((fixes.last?.coordinate != nil) == isPosition)
    }
}
