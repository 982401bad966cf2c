import Chronology
import Geodesy
import Geofencing
import Positioning
import TestSupport

@testable import SQLite
@testable import StateStore

/// Sample values for the store tests.
enum Samples {
    static let now = UTCTime(milliseconds: 1_795_270_953_000)
    static let program = "1000:navigator.service"

    static func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(latitude: latitude, longitude: longitude) ?? Samples.point(0, 0)
    }

    static func circle(_ number: Int = 0) -> FenceCondition {
        FenceCondition(shape: .circle(center: point(Double(number % 90), 9), radius: 150))
    }

    static func event(
        _ id: ConditionID, _ kind: ConditionEvent.Kind = .entered, _ state: ConditionState = .satisfied,
        margin: Double = 12.5
    ) -> ConditionEvent {
        ConditionEvent(id, kind: kind, state: state, date: now, location: fix, margin: margin)
    }

    static let fix: Fix = {
        var fix = Fix(mode: .threeD, quality: .rtkFloat)
        fix.time = UTCTime(milliseconds: 1_795_270_952_200)
        fix.coordinate = point(51.482_751, -0.123_456_789_012)
        fix.horizontalAccuracy = 3.25
        fix.accuracySource = .gst
        fix.altitude = -12.5
        fix.ellipsoidalAltitude = 33.25
        fix.verticalAccuracy = 6.5
        fix.speed = 1.5
        fix.speedAccuracy = 0.25
        fix.course = 359.5
        fix.courseAccuracy = 10
        fix.satellitesUsed = 11
        fix.hdop = 0.75
        fix.isSimulated = true
        return fix
    }()

    static func store(_ scratch: Scratch) throws -> (store: MonitorStore, monitor: MonitorID) {
        let store = MonitorStore(try DatabaseFile(path: scratch("sextant.db")).open(at: now).database)
        return (store, try store.openMonitor("home", of: program))
    }
}
