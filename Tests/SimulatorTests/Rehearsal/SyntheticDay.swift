import Chronology
import Geodesy
import Simulator

@testable import Simulator

/// A generated track like that of a logger: points while moving, none at rest.
struct SyntheticDay {
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

    mutating func stay(minutes: Double) {
        time = time.advanced(by: .seconds(minutes * 60))
        add()
    }

    /// Moves straight ahead for these seconds at a speed in m/s, accelerating and braking at 1
    /// m/s².
    mutating func move(seconds: Int, speed: Double, climb: Double = 0) {
        for second in 1...max(seconds, 1) {
            let now = min(speed, Double(second), Double(seconds - second) + 0.5)
            step(now, climb: climb)
        }
    }

    /// Drives for these minutes, with corners, red lights of 40 s, streets and faster roads.
    mutating func drive(minutes: Int) {
        for minute in 0..<minutes {
            bearing += minute % 3 == 0 ? 75 : -20
            if minute % 7 == 5 {
                move(seconds: 20, speed: 13)
                stay(minutes: 40.0 / 60)
            } else {
                move(seconds: 60, speed: minute % 10 < 4 ? 13 : 22)
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

extension SyntheticDay {
    /// Two drives of 40 minutes, to work and home; parked for the rest of 24 hours.
    static func commuter() -> SyntheticDay? {
        guard var day = SyntheticDay() else { return nil }
        day.stay(minutes: 7 * 60 + 30)
        day.drive(minutes: 40)
        day.stay(minutes: 9 * 60)
        day.drive(minutes: 40)
        day.stay(minutes: 24 * 60 - day.minutes)
        return day
    }

    /// Parked for six hours, with a slammed door after three.
    static func parked() -> SyntheticDay? {
        guard var day = SyntheticDay() else { return nil }
        day.stay(minutes: 180)
        day.sway()
        day.stay(minutes: 180)
        return day
    }

    /// On foot for two hours: twelve minutes at 1.4 m/s, then eight minutes at a bench.
    static func walk() -> SyntheticDay? {
        guard var day = SyntheticDay() else { return nil }
        day.stay(minutes: 10)
        for _ in 0..<6 {
            day.move(seconds: 720, speed: 1.4)
            day.stay(minutes: 8)
        }
        return day
    }

    /// Half an hour at the gate, an hour of flight, an hour at the other gate.
    static func flight() -> SyntheticDay? {
        guard var day = SyntheticDay() else { return nil }
        day.stay(minutes: 30)
        day.move(seconds: 300, speed: 8)
        day.move(seconds: 1200, speed: 200, climb: 7)
        day.move(seconds: 1200, speed: 240)
        day.move(seconds: 1200, speed: 180, climb: -7)
        day.move(seconds: 300, speed: 8)
        day.stay(minutes: 60)
        return day
    }

    /// Eight hours at anchor, then one hour under sail.
    static func anchored() -> SyntheticDay? {
        guard var day = SyntheticDay() else { return nil }
        day.swing(hours: 8)
        day.move(seconds: 3600, speed: 3)
        return day
    }
}
