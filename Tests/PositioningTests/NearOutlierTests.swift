import Geodesy
import NMEA
import TestSupport
import Testing

@testable import Positioning

/// Wrong positions too near for an outlier, small constant errors, and errors of several positions.
@Suite struct NearOutlierTests {
    private static func drive(_ kind: FAAMode = .autonomous, speed: Double = 15) -> ReceiverLog {
        var log = ReceiverLog(seconds: 300, speed: speed, course: 40)
        (log.kind, log.noise) = (kind, kind == .rtkFixed ? 0.01 : 0.3)
        return log
    }

    /// Returns the greatest factor by which a run's radii exceed those of another from an index on.
    private func factor(_ fixes: [Fix], _ control: [Fix], from first: Int) -> Double {
        zip(fixes, control).dropFirst(first).map { a, b in
            guard let a = a.horizontalAccuracy, let b = b.horizontalAccuracy else { return .infinity }
            return a / b
        }.max() ?? .infinity
    }

    @Test(arguments: [FAAMode.autonomous, .rtkFixed])
    func `positions that contradict each other do not affect later ones`(kind: FAAMode) {
        let control = Self.drive(kind)
        var random = SeededGenerator(seed: 5)
        let fixes = control.changing(100..<115) {
            $0.east += Double.random(in: -9_000...9_000, using: &random)
            $0.north += Double.random(in: -9_000...9_000, using: &random)
        }.fixes()
        #expect(factor(fixes, control.fixes(), from: 125) < 1.5)
    }

    @Test func `a wrong first position costs a slow source one fix`() {
        let control = ReceiverLog(seconds: 600, interval: 12, speed: 1, course: 40)
        let fixes = control.changing(0...0) { $0.east += 9_000 }.fixes()
        #expect(fixes.map { $0.coordinate == nil } == fixes.indices.map { $0 == 1 })
    }

    @Test(arguments: [5.0, 12]) func `two equal wrong positions of a slow source are held back`(interval: Double) {
        let control = ReceiverLog(seconds: 600, interval: interval, speed: 15, course: 40)
        let fixes = control.changing(20...21) { $0.east += 5_000 }.fixes()
        #expect(fixes[20...21].allSatisfy { $0.coordinate == nil })
        #expect(factor(fixes, control.fixes(), from: 22) < 1.5)
    }

    @Test(arguments: [
        (10.0, FAAMode.autonomous), (20, .autonomous), (35, .autonomous), (1, .rtkFixed),
        (2.8, .rtkFixed),
    ])
    func `two near wrong positions have no effect`(distance: Double, kind: FAAMode) {
        for speed in [0.0, 15] {
            let control = Self.drive(kind, speed: speed)
            let fixes = control.changing(200...201) { $0.east += distance }.fixes()
            #expect(factor(fixes, control.fixes(), from: 212) < 1.5, "\(speed)")
        }
    }

    /// The place where a car can be is ahead of the last one, not around it.
    @Test(arguments: [5.0, 8, 20, -8, -20, -40, -61])
    func `a wrong position of a fast car with carrier phase is held back`(ahead: Double) {
        let control = Self.drive(.rtkFixed, speed: 30)
        let offset = LocalPlane.Offset(distance: ahead, bearing: 40)
        let fixes = control.changing(200...200) {
            $0.east += offset.east
            $0.north += offset.north
        }.fixes()
        #expect(abs(ahead) < 6 || fixes[200].coordinate == nil)
        #expect(fixes[202...].allSatisfy { $0.coordinate != nil })
        #expect(factor(fixes, control.fixes(), from: 211) < 1.5)
    }

    @Test(arguments: [-45.0, -60, -90, 45, 60, 90])
    func `a wrong position of a fast car is held back`(ahead: Double) {
        let control = Self.drive(speed: 30)
        let offset = LocalPlane.Offset(distance: ahead, bearing: 40)
        let fixes = control.changing(200...200) {
            $0.east += offset.east
            $0.north += offset.north
        }.fixes()
        #expect(fixes[200].coordinate == nil)
        #expect(fixes[202...].allSatisfy { $0.coordinate != nil })
    }

    @Test(arguments: [2.0, 4, 8, -3, 20, 90, 180], [FAAMode.autonomous, .rtkFixed])
    func `a constant error of the course has no effect`(error: Double, kind: FAAMode) {
        for control in [Self.drive(kind), Self.town(kind)] {
            let fixes = control.changing(0...) { $0.course = $0.course.map { $0 + error + 360 } }.fixes()
            #expect(factor(fixes, control.fixes(), from: 60) < 1.5)
        }
    }

    @Test(arguments: [0, 0.54, 0.85, 0.93, 1.05, 1.15, 1.852], [FAAMode.autonomous, .rtkFixed])
    func `a constant error of the speed has no effect`(scale: Double, kind: FAAMode) {
        for control in [Self.drive(kind), Self.town(kind)] {
            let fixes = control.changing(0...) { $0.speed = $0.speed.map { $0 * scale } }.fixes()
            #expect(factor(fixes, control.fixes(), from: 60) < 1.5)
        }
    }

    /// A receiver without speed and course that starts, cruises and stops.
    @Test(arguments: [0.1, 0.2, 0.5, 1, 2], [FAAMode.autonomous, .rtkFixed])
    func `a fast track without a speed loses nothing`(interval: Double, kind: FAAMode) {
        for top in [15.0, 30, 60] {
            var control = ReceiverLog(seconds: 20, interval: interval)
            (control.kind, control.noise) = (kind, kind == .rtkFixed ? 0.01 : 0.3)
            let steps = Int(top / 1.5 / interval)
            for step in 1...steps {
                control.go(seconds: interval, speed: top * Double(step) / Double(steps), course: 40)
            }
            control.go(seconds: 60, speed: top, course: 40)
            for step in 1...steps {
                control.go(seconds: interval, speed: top - top * Double(step) / Double(steps), course: 40)
            }
            for hasSpeed in [false, true] {
                let fixes = control.changing(0...) { ($0.speed, $0.course) = (hasSpeed ? 0 : nil, nil) }.fixes()
                #expect(fixes.allSatisfy { $0.coordinate != nil }, "\(top) \(hasSpeed)")
                if !hasSpeed { #expect(fixes.allSatisfy { ($0.horizontalAccuracy ?? 0) < 10 }) }
            }
        }
    }

    @Test(arguments: [1.0, 5], [FAAMode.autonomous, .rtkFixed])
    func `contradictions end without a speed`(interval: Double, kind: FAAMode) {
        var control = ReceiverLog(seconds: 300, interval: interval, speed: 30, course: 40)
        (control.kind, control.noise) = (kind, kind == .rtkFixed ? 0.01 : 0.3)
        control = control.changing(0...) { ($0.speed, $0.course) = (nil, nil) }
        var random = SeededGenerator(seed: 9)
        let (first, last) = (Int(100 / interval), Int(120 / interval))
        let fixes = control.changing(first..<last) {
            $0.east += Double.random(in: -9_000...9_000, using: &random)
            $0.north += Double.random(in: -9_000...9_000, using: &random)
        }.fixes()
        #expect(factor(fixes, control.fixes(), from: last + max(4, Int(10 / interval))) < 1.5)
        let jumped = control.changing(first...) { $0.north += 300_000 }.fixes()
        #expect(factor(jumped, control.fixes(), from: first + max(3, Int(10 / interval))) < 1.5)
    }

    @Test(arguments: [FAAMode.autonomous, .rtkFixed])
    func `random positions hardly confirm each other`(kind: FAAMode) {
        let control = Self.drive(kind, speed: 0)
        var published = 0
        for seed in 0..<20 {
            var random = SeededGenerator(seed: UInt64(seed))
            let fixes = control.changing(100..<115) {
                $0.east += Double.random(in: 60...300, using: &random) * (Bool.random(using: &random) ? 1 : -1)
                $0.north += Double.random(in: 60...300, using: &random)
            }.fixes()
            published += fixes[100..<115].count { ($0.horizontalAccuracy ?? .infinity) < 30 }
            #expect(factor(fixes, control.fixes(), from: 125) < 1.5)
        }
        #expect(published < 15)
    }

    /// Receivers repeat a position and then catch up.
    @Test(arguments: [1, 2]) func `a repeated position costs no fix`(repeats: Int) {
        for hasSpeed in [true, false] {
            var log = Self.drive(speed: 30)
            for index in 1...repeats {
                (log.points[200 + index].east, log.points[200 + index].north) = (
                    log.points[200].east, log.points[200].north
                )
            }
            if !hasSpeed { log = log.changing(0...) { ($0.speed, $0.course) = (nil, nil) } }
            #expect(log.fixes()[203...].allSatisfy { $0.coordinate != nil }, "\(hasSpeed)")
        }
    }

    /// Streets, corners and stops.
    private static func town(_ kind: FAAMode) -> ReceiverLog {
        var log = ReceiverLog(seconds: 30, speed: 12, course: 20)
        (log.kind, log.noise) = (kind, kind == .rtkFixed ? 0.01 : 0.3)
        for block in 0..<8 {
            log.go(seconds: 15, speed: 0, course: Double(20 + block * 90))
            for second in 1...6 { log.go(seconds: 1, speed: Double(second) * 2, course: Double(20 + block * 90)) }
            log.go(seconds: 40, speed: 12, course: Double(20 + block * 90))
            for second in 1...6 { log.go(seconds: 1, speed: 12 - Double(second) * 2, course: Double(20 + block * 90)) }
        }
        return log
    }
}
