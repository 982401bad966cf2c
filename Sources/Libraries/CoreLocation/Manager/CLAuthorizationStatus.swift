import Foundation

/// Whether a program may know the location.
@nonexhaustive(warn)
public enum CLAuthorizationStatus: Int32, Sendable {
    /// There is no decision yet.
    case notDetermined = 0
    /// The configuration denies it.
    case restricted = 1
    /// It was denied, or location is switched off.
    case denied = 2
    /// At any time.
    case authorizedAlways = 3
    /// While the program is in use.
    case authorizedWhenInUse = 4

    /// Another name of ``authorizedAlways``.
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// The accuracy that a program gets.
@nonexhaustive(warn)
public enum CLAccuracyAuthorization: Int, Sendable {
    /// The accuracy of the receivers.
    case fullAccuracy = 0
    /// An area of a few kilometres, at most one location per 15 minutes.
    case reducedAccuracy = 1
}
