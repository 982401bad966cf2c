extension SubscribeParameters {
    /// The allowed distance filters in metres, up to half the Earth's circumference.
    package static let distanceFilterRange = 0.0...20_100_000
    /// The allowed minimum intervals in seconds, up to one day.
    package static let minimumIntervalRange = 0.0...86_400
    /// The allowed tolerances of a simplified track in metres.
    package static let toleranceRange = 0.0...100_000
    /// The allowed maximum delays in seconds, up to one hour.
    package static let maximumDelayRange = 0.0...3_600
}
