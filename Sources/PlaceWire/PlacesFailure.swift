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
    /// The user has too many connections.
    case tooManyConnections(limit: Int)

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        switch self {
        case .noPlaces(let reason): PlacesFailure.make("NoPlaces", ["reason": .string(reason)])
        case .dataUnusable(let reason): PlacesFailure.make("DataUnusable", ["reason": .string(reason)])
        case .invalidCoordinate(let parameter, let reason):
            PlacesFailure.make("InvalidCoordinate", ["parameter": .string(parameter), "reason": .string(reason)])
        case .invalidText(let reason): PlacesFailure.make("InvalidText", ["reason": .string(reason)])
        case .tooBroad(let reason): PlacesFailure.make("TooBroad", ["reason": .string(reason)])
        case .tooManyConnections(let limit):
            PlacesFailure.make("TooManyConnections", ["limit": .int(Int64(limit))])
        }
    }

    private static func make(_ name: String, _ parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: "\(PlacesInterface.name).\(name)", parameters: parameters)
    }
}
