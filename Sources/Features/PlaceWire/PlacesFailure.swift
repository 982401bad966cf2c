import Varlink

/// An error of `io.sextant.Places`.
package enum PlacesFailure: Error, Sendable, Equatable {
    /// No data was imported.
    case noPlaces(reason: String)
    /// The data cannot be read.
    case dataUnusable(reason: String)
    /// A coordinate is out of range.
    case invalidCoordinate(parameter: String, reason: String)
    /// The text has no word, or is too long.
    case invalidText(reason: String)
    /// The answer needs more work than one call may cause.
    case tooBroad(reason: String)
    /// An own place is not valid.
    case invalidPlace(index: Int, reason: String)
    /// The program or its user would have too many own places.
    case tooManyPlaces(limit: Int)
    /// Own places cannot be saved or read.
    case ownPlacesUnusable(reason: String)
    /// The process that opened the connection has ended.
    case unknownProgram
    /// The user has too many connections.
    case tooManyConnections(limit: Int)
    /// Too many calls of `Where` wait for the daemon.
    case tooManyWaiting(limit: Int)
    /// The daemon cannot be asked.
    case daemonUnavailable(reason: String)

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        switch self {
        case .noPlaces(let reason): PlacesFailure.make("NoPlaces", ["reason": .string(reason)])
        case .dataUnusable(let reason): PlacesFailure.make("DataUnusable", ["reason": .string(reason)])
        case .invalidCoordinate(let parameter, let reason):
            PlacesFailure.make("InvalidCoordinate", ["parameter": .string(parameter), "reason": .string(reason)])
        case .invalidText(let reason): PlacesFailure.make("InvalidText", ["reason": .string(reason)])
        case .tooBroad(let reason): PlacesFailure.make("TooBroad", ["reason": .string(reason)])
        case .invalidPlace(let index, let reason):
            PlacesFailure.make("InvalidPlace", ["index": .int(Int64(index)), "reason": .string(reason)])
        case .tooManyPlaces(let limit): PlacesFailure.make("TooManyPlaces", ["limit": .int(Int64(limit))])
        case .ownPlacesUnusable(let reason): PlacesFailure.make("OwnPlacesUnusable", ["reason": .string(reason)])
        case .unknownProgram: PlacesFailure.make("UnknownProgram", [:])
        case .tooManyConnections(let limit):
            PlacesFailure.make("TooManyConnections", ["limit": .int(Int64(limit))])
        case .tooManyWaiting(let limit): PlacesFailure.make("TooManyWaiting", ["limit": .int(Int64(limit))])
        case .daemonUnavailable(let reason): PlacesFailure.make("DaemonUnavailable", ["reason": .string(reason)])
        }
    }

    private static func make(_ name: String, _ parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: "\(PlacesInterface.name).\(name)", parameters: parameters)
    }
}
