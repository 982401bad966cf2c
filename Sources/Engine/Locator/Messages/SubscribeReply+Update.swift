import Chronology
import SextantAPI
import Varlink

extension SubscribeReply {
    /// The age in seconds below which a location has none in its update.
    private static let minAge = 0.1

    /// Creates the reply to a program that may not know the location.
    package init(denied flags: PermissionFlags, detail: String?) {
        self.init(sequence: 0, dropped: 0, detail: detail, permission: flags)
    }

    /// Creates the reply number `sequence` for an update, of a stream that has dropped `dropped`
    /// updates.
    package init(sequence: Int = 0, dropped: Int = 0, _ update: Update) {
        self.init(
            sequence: sequence, dropped: dropped, location: update.location.flatMap(Location.init),
            stationary: update.stationary ? true : update.hasDeparted ? false : nil,
            restingSince: update.stationarySince)
        if let seconds = update.location?.age.seconds, seconds >= SubscribeReply.minAge { age = seconds }
        guard let reason = update.unavailability else { return }
        locationUnavailable = true
        cause = reason.cause
        detail = reason.detail
    }

    package func counted(sequence: Int, dropped: Int) -> SubscribeReply {
        var reply = self
        (reply.sequence, reply.dropped) = (sequence, dropped)
        return reply
    }

    /// The part that all streams share as JSON, with its members in the order of the interface
    /// file. Each stream adds its own `sequence` and `dropped` before it.
    ///
    /// It is sent for every epoch. A test checks that both encodings contain the same data. The
    /// measurements behind this are in `docs/decisions/0001-foundation-stones.md`.
    package var shared: EncodedObject {
        EncodedObject { object in
            object.append(location, forKey: "location")
            object.append(age, forKey: "age", decimals: 3)
            object.append(stationary, forKey: "stationary")
            object.append(restingSince, forKey: "restingSince")
            object.append(locationUnavailable, forKey: "locationUnavailable")
            object.append(cause?.rawValue, forKey: "cause")
            object.append(detail, forKey: "detail")
            permission.writeReasons(to: &object)
        }
    }
}
