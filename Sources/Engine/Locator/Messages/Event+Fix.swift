import Chronology
import Geodesy
import Geofencing
import Positioning
import SextantAPI

extension EventPlace {
    /// Creates the place of a fix, or nil when the fix has no position.
    package init?(_ fix: Fix, receiver: String? = nil) {
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy else { return nil }
        self.init(
            timestamp: fix.time?.description, latitude: MessageRounding.degrees(coordinate.latitude),
            longitude: MessageRounding.degrees(coordinate.longitude),
            horizontalAccuracy: MessageRounding.thousandths(accuracy), simulated: fix.isSimulated ? true : nil,
            receiver: receiver)
    }
}

extension Event {
    /// Creates an event of the condition `identifier`.
    package init(id: Int, identifier: String, kind: ConditionEvent.Kind, state: ConditionState, recorded: String) {
        self.init(id: id, identifier: identifier, kind: kind, state: state, recorded: recorded, folded: 0)
    }
}
