import CSQLite
import Chronology
import Geodesy
import Geofencing
import Positioning
import SQLite

/// The columns that the tables `event` and `handled` share: an event and the fix that decided it.
/// The columns of the fix are all NULL if no fix decided.
enum EventColumns {
    /// The names of the columns, in order.
    static let names = """
        kind, state, date, recorded, folded, margin, time, latitude, longitude, horizontal_accuracy, accuracy_source, \
        altitude, ellipsoidal_altitude, vertical_accuracy, speed, speed_accuracy, course, course_accuracy, mode, \
        quality, satellites_used, hdop, simulated, beacon
        """

    /// Returns the values of the columns, in order.
    static func values(of event: ConditionEvent, recorded: UTCTime, folded: Int64) -> [SQLValue] {
        let fix = event.location
        return [
            .text(event.kind.rawValue), .text(event.state.rawValue), .integer(event.date?.milliseconds),
            .integer(recorded.milliseconds),
            .integer(folded), .real(event.margin), .integer(fix?.time?.milliseconds), .real(fix?.coordinate?.latitude),
            .real(fix?.coordinate?.longitude), .real(fix?.horizontalAccuracy), .text(fix?.accuracySource?.rawValue),
            .real(fix?.altitude),
            .real(fix?.ellipsoidalAltitude), .real(fix?.verticalAccuracy), .real(fix?.speed), .real(fix?.speedAccuracy),
            .real(fix?.course), .real(fix?.courseAccuracy), .text(fix?.mode.rawValue), .text(fix?.quality.rawValue),
            .integer(fix?.satellitesUsed.map { Int64($0) }), .real(fix?.hdop),
            .integer(fix?.isSimulated == true ? 1 : nil), .text(event.beacon?.description),
        ]
    }

    /// Reads an event from a row that begins with the columns `sequence`, `condition` and
    /// `identifier`.
    static func event(_ row: borrowing Statement) throws(StoreError) -> StoredEvent {
        guard let kind = ConditionEvent.Kind(rawValue: row.text(3)), let state = ConditionState(rawValue: row.text(4))
        else {
            throw StoreError(
                "reading an event", reason: "unknown kind \(row.text(3)) or state \(row.text(4))", code: SQLITE_CORRUPT)
        }
        var event = ConditionEvent(
            ConditionID(row.integer(1)), kind: kind, state: state,
            date: row.integerIfAny(5).map { UTCTime(milliseconds: $0) },
            location: fix(row),
            margin: row.realIfAny(8))
        event.beacon = row.textIfAny(26).flatMap { BeaconIdentity($0) }
        return StoredEvent(
            sequence: row.integer(0), identifier: row.text(2), event: event,
            recorded: UTCTime(milliseconds: row.integer(6)),
            folded: Int(clamping: row.integer(7)))
    }

    private static func fix(_ row: borrowing Statement) -> Fix? {
        guard let mode = FixMode(rawValue: row.text(21)), let quality = FixQuality(rawValue: row.text(22)) else {
            return nil
        }
        var fix = Fix(mode: mode, quality: quality)
        fix.time = row.integerIfAny(9).map { UTCTime(milliseconds: $0) }
        if let latitude = row.realIfAny(10), let longitude = row.realIfAny(11) {
            fix.coordinate = Coordinate(latitude: latitude, longitude: longitude)
        }
        fix.horizontalAccuracy = row.realIfAny(12)
        fix.accuracySource = row.textIfAny(13).flatMap { AccuracySource(rawValue: $0) }
        fix.altitude = row.realIfAny(14)
        fix.ellipsoidalAltitude = row.realIfAny(15)
        fix.verticalAccuracy = row.realIfAny(16)
        fix.speed = row.realIfAny(17)
        fix.speedAccuracy = row.realIfAny(18)
        fix.course = row.realIfAny(19)
        fix.courseAccuracy = row.realIfAny(20)
        fix.satellitesUsed = row.integerIfAny(23).map { Int(clamping: $0) }
        fix.hdop = row.realIfAny(24)
        fix.isSimulated = row.integerIfAny(25) == 1
        return fix
    }
}
