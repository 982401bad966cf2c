import Chronology
import Geodesy
import ReceiverSimulator

@testable import Rehearsal

/// A generated track like that of a logger: points while moving, none at rest.
struct DrawnDay {
    private(set) var points: [Route.Point]
    private var place: Coordinate
    private var time = UTCTime(milliseconds: 1_780_272_000_000)
    private var bearing = 40.0
    private var altitude = 45.0

    /// Starts at Greenwich at midnight on 1 June 2026.
    init?() {
        guard let place = Coordinate(latitude: 51.4779, longitude: -0.0015) else { return nil }
        self.place = place
        points = [Route.Point(place, altitude: altitude, time: time)]
    }

    /// Minutes since midnight.
    var minutes: Double { Double(time.millisecondsOfDay) / 60_000 }

    /// Stays in place for these minutes.
    mutating func stay(_ minutes: Double) {
        time = time.advanced(by: .seconds(minutes * 60))
        add()
    }

    /// Moves straight ahead for these seconds at a speed in m/s, accelerating and braking at 1
    /// m/s².
    mutating func go(_ seconds: Int, _ speed: Double, climb: Double = 0) {
        for second in 1...max(seconds, 1) {
            let now = min(speed, Double(second), Double(seconds - second) + 0.5)
            step(now, climb: climb)
        }
    }

    /// Drives for these minutes, with corners, red lights of 40 s, streets and faster roads.
    mutating func drive(_ minutes: Int) {
        for minute in 0..<minutes {
            bearing += minute % 3 == 0 ? 75 : -20
            if minute % 7 == 5 {
                go(20, 13)
                stay(40.0 / 60)
            } else {
                go(60, minute % 10 < 4 ? 13 : 22)
            }
        }
    }

    /// Sways the car as a slammed door does: it moves by centimetres, but the logger writes metres
    /// of noise.
    mutating func sway() {
        for offset in [2.0, -3, 1] {
            bearing = offset > 0 ? 90 : 270
            step(abs(offset), climb: 0)
        }
    }

    /// Swings on an anchor chain for these hours: a quarter of a circle of 25 m and back in 12
    /// minutes.
    mutating func swing(hours: Int) {
        let anchor = Geodesic.direct(from: place, bearing: 0, distance: 25).end
        for tick in 0..<(hours * 360) {
            let phase = Double(tick % 72) / 72
            let angle = phase < 0.5 ? phase * 180 : (1 - phase) * 180
            time = time.advanced(by: .seconds(10))
            place = Geodesic.direct(from: anchor, bearing: 180 + angle, distance: 25).end
            add()
        }
    }

    private mutating func step(_ metres: Double, climb: Double) {
        time = time.advanced(by: .seconds(1))
        altitude += climb
        place = Geodesic.direct(from: place, bearing: bearing, distance: metres).end
        add()
    }

    private mutating func add() { points.append(Route.Point(place, altitude: altitude, time: time)) }
}

extension DrawnDay {
    /// Two drives of 40 minutes, to work and home; parked for the rest of 24 hours.
    static func commuter() -> DrawnDay? {
        guard var day = DrawnDay() else { return nil }
        day.stay(7 * 60 + 30)
        day.drive(40)
        day.stay(9 * 60)
        day.drive(40)
        day.stay(24 * 60 - day.minutes)
        return day
    }

    /// Parked for six hours, with a slammed door after three.
    static func parked() -> DrawnDay? {
        guard var day = DrawnDay() else { return nil }
        day.stay(180)
        day.sway()
        day.stay(180)
        return day
    }

    /// On foot for two hours: twelve minutes at 1.4 m/s, then eight minutes at a bench.
    static func walk() -> DrawnDay? {
        guard var day = DrawnDay() else { return nil }
        day.stay(10)
        for _ in 0..<6 {
            day.go(720, 1.4)
            day.stay(8)
        }
        return day
    }

    /// Half an hour at the gate, an hour of flight, an hour at the other gate.
    static func flight() -> DrawnDay? {
        guard var day = DrawnDay() else { return nil }
        day.stay(30)
        day.go(300, 8)
        day.go(1200, 200, climb: 7)
        day.go(1200, 240)
        day.go(1200, 180, climb: -7)
        day.go(300, 8)
        day.stay(60)
        return day
    }

    /// Eight hours at anchor, then one hour under sail.
    static func anchored() -> DrawnDay? {
        guard var day = DrawnDay() else { return nil }
        day.swing(hours: 8)
        day.go(3600, 3)
        return day
    }
}
