import ArgumentParser
import Delivery
import Wire

extension DesiredAccuracy: ExpressibleByArgument {}

/// What a subscriber wishes beyond its configuration: the same options wherever there is one.
struct StreamArguments: ParsableArguments {
    @Option(help: ArgumentHelp("How good positions must be; less comes less often.", valueName: "name"))
    var accuracy: DesiredAccuracy?

    @Option(help: ArgumentHelp("Metres to be moved between two updates.", valueName: "metres"))
    var distance: Double?

    @Option(help: ArgumentHelp("Least time between two updates: 10, 90s, 5m.", valueName: "time"))
    var interval: TimeArgument?

    @Option(help: ArgumentHelp("Updates may be held for this time and come together.", valueName: "time"))
    var delay: TimeArgument?

    @Flag(help: "Only when the device is somewhere else: 500 m and five minutes on.")
    var significant = false

    @Flag(help: "Take what others cause, and ask for nothing.")
    var passive = false

    @Flag(help: "Go on while the device rests, which keeps the receiver working.")
    var noPause = false

    func validate() throws {
        if let distance, !SubscribeParameters.distances.contains(distance) {
            throw ValidationError("--distance is in metres, 0 to 20100000")
        }
        if let interval, !SubscribeParameters.intervals.contains(interval.seconds) { throw ValidationError("--interval is a day at most") }
        if let delay, !SubscribeParameters.delays.contains(delay.seconds) { throw ValidationError("--delay is an hour at most") }
    }

    /// The parameters of `Subscribe`.
    func parameters(_ configuration: LiveConfiguration, receiver: String? = nil) -> SubscribeParameters {
        SubscribeParameters(
            configuration: configuration, receiver: receiver, desiredAccuracy: accuracy, distanceFilter: distance,
            minimumInterval: interval?.seconds, maximumDelay: delay?.seconds, significantChange: significant ? true : nil,
            passive: passive ? true : nil, pausesWhenStationary: noPause ? false : nil)
    }
}
