import SextantAPI
import Varlink

/// Why a connection is refused.
enum ConnectionRefusal: CustomStringConvertible {
    /// There would be too many at once.
    case tooMany(ExceededConnections)
    /// The user has opened too many in a short time.
    case tooFast

    /// Encoded once, because there can be many.
    private static let tooFastFrame = ReplyFrame.error(tooFast.reply)

    /// The error in the form of a reply.
    var reply: VarlinkError {
        switch self {
        case .tooMany(let error):
            ManagerError.tooManyConnections(limit: error.limit, scope: error.scope).reply
        case .tooFast: ManagerError.tooManyNewConnections(limit: ConnectionRate.perSecond).reply
        }
    }

    /// The error as the bytes of a reply.
    var frame: [UInt8] {
        switch self {
        case .tooMany: ReplyFrame.error(reply)
        case .tooFast: ConnectionRefusal.tooFastFrame
        }
    }

    /// The reason for the log.
    var description: String {
        switch self {
        case .tooMany(let error): "limit of \(error.limit) connections reached; see \(error.setting)"
        case .tooFast: "more than \(ConnectionRate.perSecond) new connections per second"
        }
    }
}
