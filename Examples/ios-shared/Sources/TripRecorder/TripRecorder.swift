import CoreLocation

/// Measures a trip: the same source for an app on iOS and a program on Linux.
public actor TripRecorder {
    /// The trip so far.
    public struct Trip: Sendable {
        /// Metres along the track.
        public var distance: CLLocationDistance = 0
        /// The last position; nil before the first one.
        public var position: CLLocation?
        /// Whether the device is stationary.
        public var isResting = false
        /// Why there is no position.
        public var problem: String?
    }

    private var trip = Trip()

    /// Creates a recorder.
    public init() {}

    /// Reports the trip after each update, until the task is cancelled.
    public func run(_ report: @Sendable (Trip) -> Void) async throws {
        let session = CLServiceSession(authorization: .whenInUse)
        defer { session.invalidate() }
        for try await update in CLLocationUpdate.liveUpdates(.fitness) {
            trip.isResting = update.stationary
            trip.problem = Self.problem(of: update)
            if let location = update.location, location.horizontalAccuracy >= 0 {
                trip.distance += trip.position.map { location.distance(from: $0) } ?? 0
                trip.position = location
            }
            report(trip)
        }
    }

    private static func problem(of update: CLLocationUpdate) -> String? {
        if update.authorizationDeniedGlobally { return "location is switched off" }
        if update.authorizationDenied { return "the location is denied" }
        if update.authorizationRequestInProgress { return "the user has not answered" }
        return update.locationUnavailable ? "there is no position now" : nil
    }
}
