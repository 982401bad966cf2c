import ArgumentParser
import Geodesy
import Positioning
import Varlink
import Wire

extension DaemonOptions {
    /// The age of the device's position, in seconds, at most.
    private static let maxAge = 10.0

    /// Returns the position of the device as this program may know it, and whether it is reduced.
    func devicePosition() throws(CommandError) -> (Coordinate, isReduced: Bool) {
        try declareSession()
        let reply = try call(
            LocationMethods.getLocation, with: GetLocationParameters(maximumAge: DaemonOptions.maxAge),
            timeout: .seconds(15))
        let location = reply.location
        guard let point = Coordinate(latitude: location.latitude, longitude: location.longitude) else {
            throw CommandError("the daemon sent no valid position")
        }
        return (point, location.isReduced)
    }
}

/// The position near which places come first.
enum NearArgument: Equatable {
    /// The position of the device.
    case here
    /// A given position.
    case position(PositionArgument)

    static func parse(_ argument: String) throws -> NearArgument {
        argument == "here" ? .here : .position(try PositionArgument.parse(argument))
    }

    /// The position; that of the device is asked from the daemon.
    func coordinate(_ daemon: DaemonOptions) throws(CommandError) -> Coordinate {
        switch self {
        case .here: try daemon.devicePosition().0
        case .position(let position): position.coordinate
        }
    }
}
