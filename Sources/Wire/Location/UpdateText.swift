import Delivery
import Positioning
public import Varlink

/// The one message that is made for every epoch, written without the general encoder. It holds what ``UpdateMessage`` holds, which a test
/// keeps true; `docs/decisions/0001-foundation-stones.md` has the figures that ask for it.
extension UpdateMessage {
    /// The message as JSON, members in the order of the interface's file.
    public var text: EncodedObject {
        EncodedObject { object in
            if let location { object.object("location") { location.write(to: &$0) } }
            object.member("stationary", stationary)
            object.member("restingSince", restingSince)
            object.member("locationUnavailable", locationUnavailable)
            object.member("cause", cause?.rawValue)
            object.member("detail", detail)
        }
    }
}

extension LocationMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.member("timestamp", timestamp)
        object.member("latitude", latitude, decimals: 9)
        object.member("longitude", longitude, decimals: 9)
        object.member("horizontalAccuracy", horizontalAccuracy, decimals: 3)
        object.member("accuracySource", accuracySource.rawValue)
        object.member("altitude", altitude, decimals: 3)
        object.member("ellipsoidalAltitude", ellipsoidalAltitude, decimals: 3)
        object.member("verticalAccuracy", verticalAccuracy, decimals: 3)
        object.member("speed", speed, decimals: 3)
        object.member("speedAccuracy", speedAccuracy, decimals: 3)
        object.member("course", course, decimals: 3)
        object.member("courseAccuracy", courseAccuracy, decimals: 3)
        object.member("mode", mode.rawValue)
        object.member("quality", quality.rawValue)
        object.member("satellitesUsed", satellitesUsed)
        object.member("hdop", hdop, decimals: 3)
        object.member("receiver", receiver)
    }
}
