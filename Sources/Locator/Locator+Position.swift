import Chronology
import Delivery

extension Locator {
    /// The last position of whoever speaks for the device, however old, and when its epoch ended.
    public func position(at now: Instant) -> (location: Location, at: Instant)? { lastPosition(nil, at: now) }
}
