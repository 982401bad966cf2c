import Foundation

/// The purpose of the updates of a ``CLLocationManager``. It sets their rate.
@nonexhaustive(warn)
public enum CLActivityType: Int, Sendable {
    /// Any other purpose.
    case other = 1
    /// A vehicle on roads.
    case automotiveNavigation = 2
    /// On foot.
    case fitness = 3
    /// A vehicle away from roads.
    case otherNavigation = 4
    /// In the air.
    case airborne = 5
}

/// The orientation of the device, for headings.
@nonexhaustive(warn)
public enum CLDeviceOrientation: Int32, Sendable {
    /// Not known.
    case unknown = 0
    /// Upright.
    case portrait = 1
    /// Upright, upside down.
    case portraitUpsideDown = 2
    /// On its right side.
    case landscapeLeft = 3
    /// On its left side.
    case landscapeRight = 4
    /// Flat, display up.
    case faceUp = 5
    /// Flat, display down.
    case faceDown = 6
}
