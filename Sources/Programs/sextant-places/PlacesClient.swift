import Chronology
import Permission
import ServiceRuntime
import SystemCalls

/// A client's connection to the service of places.
typealias PlacesSession = ServerSession<PlacesClient>

/// What the service knows about a client.
final class PlacesClient: SessionState {
    /// The user. The connections of a user's programs are not limited further.
    let owner: UInt32
    /// The program; nil if the process that connected has ended. It is determined at the first call
    /// that depends on it.
    private(set) lazy var program = PlacesClient.program(of: socket, user: owner)
    private let socket: Int32

    init?(of socket: Int32, user: UInt32) throws(SystemError) {
        self.socket = socket
        owner = user
    }

    private static func program(of socket: Int32, user: UInt32) -> ProgramID? {
        guard let peer = try? PeerCredentials(of: socket) else { return nil }
        return ProgramID(user: user, unit: peer.unit, userUnit: peer.userUnit)
    }
}

extension ServerSession<PlacesClient> {
    var program: ProgramID? { state.program }
}

extension ServerLimits {
    static var places: ServerLimits {
        ServerLimits(
            connectionsPerUser: 64, connections: 512,
            // A message of the maximum length on each connection.
            heldBytesPerUser: 8 << 20,
            // 500 own places of some 260 bytes, or an item with its thumbnail.
            messageLength: 131_072, idleTime: .seconds(60))
    }
}
