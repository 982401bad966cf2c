import SextantAPI

extension LocationError {
    /// Creates the error for a reason.
    package init(_ reason: Unavailability) {
        self = .locationUnavailable(cause: reason.cause, detail: reason.detail)
    }
}
