import Geofencing
import Locator
import Logging
import Permission
import Receivers
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// A client's connection to the daemon.
typealias ClientSession = ServerSession<ClientState>

/// What the daemon knows about a client, and the activity of its session.
final class ClientState: SessionState {
    /// What the session is doing, with the data of the call that is open.
    enum Activity {
        /// No call is open, or it has been answered.
        case idle
        /// A stream of locations. The updates of a batched stream are sent in order, and the latest
        /// does not replace earlier ones.
        case stream(ActiveRequest, isBatched: Bool)
        /// A subscription to visits.
        case visits
        /// A subscription to the heading.
        case heading(ActiveRequest, HeadingRequest)
        /// A pending request for one location.
        case locationRequest(ActiveRequest, LocationParameters)
        /// A subscription to the receivers, all or the one that the request names.
        case receivers(ActiveRequest)
        /// A stream of the beacons in range, all or those that are meant.
        case beacons(BeaconIdentity?)
        /// What `sextant-beacons` is to receive.
        case beaconScan
        /// A stream of sentences.
        case sentences
        /// A monitor that is open only on this connection.
        case monitor(MonitorKey)
        /// A watch of monitors or of the daemon's status.
        case watch
        /// A declared session, a lease, or a subscription to the caller's permission.
        case permission(PermissionActivity)
        case agent
    }

    /// What a client of `io.sextant.Session` has open.
    enum PermissionActivity { case session, lease, authorization }

    /// The client, or the one for which it acts.
    let peer: PeerCredentials
    /// The owner of the client's monitors.
    let owner: ProgramID
    /// Whether the client acts for another program, which then owns the session.
    let actsForOther: Bool
    fileprivate(set) var activity = Activity.idle
    private(set) lazy var program = Program(peer)
    /// The groups of the client's process.
    private(set) lazy var groups = PeerCredentials.groups(of: socket)
    private let socket: Int32

    init?(of socket: Int32, user: UInt32) throws(SystemError) {
        guard var peer = try PeerCredentials(of: socket) else { return nil }
        peer.user = user
        self.peer = peer
        self.socket = socket
        owner = ProgramID(of: peer)
        actsForOther = false
    }

    /// Creates the state of a session that acts for another program, with the groups of its
    /// process.
    init(actingFor peer: PeerCredentials, groups: Set<UInt32>, over socket: Int32) {
        self.peer = peer
        self.socket = socket
        owner = ProgramID(of: peer)
        actsForOther = true
        self.groups = groups
    }
}

extension ServerSession<ClientState> {
    var peer: PeerCredentials { state.peer }
    var activity: ClientState.Activity { state.activity }
    var program: Program { state.program }
    var owner: ProgramID { state.owner }

    func begin(_ activity: ClientState.Activity) { state.activity = activity }

    /// Ends the activity: its call is answered.
    func end() { state.activity = .idle }

    /// Throws if a client that acts for another program may not call this.
    func checkActing(_ call: Call) throws(VarlinkError) {
        guard state.actsForOther, call.method != LocationMethods.getLocation.name else { return }
        throw SessionError.notAllowed(
            detail: "since \(SessionMethods.actFor.name), only \(LocationMethods.getLocation.name) may be called"
        ).reply
    }

    /// Answers the open call, which is a call of `method`. Every message can be encoded, because
    /// its numbers are finite.
    func reply<Parameters, Reply>(
        to method: Method<Parameters, Reply>, _ message: Reply, continues: Bool = false
    ) {
        do throws(EncodingFailure) {
            try connection.reply(to: method, message, continues: continues)
        } catch {
            Logger(label: "sextantd").error("cannot encode a reply to \(method.name): \(error)")
            connection.fail(ManagerError.internal.reply)
        }
    }

    /// Publishes an encoded message as the newest reply of the open call. It replaces one whose
    /// sending has not begun.
    func publish(_ text: EncodedObject) { connection.publish(text, counters: .none) }

    /// Publishes a message as the newest reply of a call of `method`. It replaces one whose sending
    /// has not begun.
    func publish<Parameters, Reply>(_ message: Reply, to method: Method<Parameters, Reply>) {
        do throws(EncodingFailure) {
            connection.publish(try method.encoded(message), counters: .none)
        } catch {
            Logger(label: "sextantd").error("cannot encode a reply to \(method.name): \(error)")
        }
    }
}

extension ClientState.Activity {
    /// The active request of the session; `nil` if it has none.
    var request: ActiveRequest? {
        switch self {
        case .stream(let request, isBatched: _), .locationRequest(let request, _), .receivers(let request),
            .heading(let request, _):
            request
        case .idle, .visits, .sentences, .beacons, .beaconScan, .monitor, .watch, .permission, .agent: nil
        }
    }

    /// Whether the session has a stream of locations.
    var isStream: Bool { if case .stream = self { true } else { false } }

    /// Whether the session has a stream of locations or requests one.
    var requestsLocation: Bool {
        switch self {
        case .stream, .locationRequest: true
        case .idle, .visits, .heading, .receivers, .sentences, .beacons, .beaconScan, .monitor, .watch, .permission,
            .agent:
            false
        }
    }

    /// Whether the session has a stream of locations whose updates are batched.
    var isBatched: Bool { if case .stream(_, isBatched: true) = self { true } else { false } }

    var isAgent: Bool { if case .agent = self { true } else { false } }

    /// Whether the session watches monitors or the daemon's status.
    var isWatch: Bool { if case .watch = self { true } else { false } }

    /// The monitor that the session has open.
    var monitor: MonitorKey? { if case .monitor(let key) = self { key } else { nil } }

    /// Whether the session has a subscription to visits.
    var watchesVisits: Bool { if case .visits = self { true } else { false } }

    /// Whether the session has a subscription to the heading.
    var watchesHeading: Bool { if case .heading = self { true } else { false } }

    /// Whether the session has a stream of the beacons in range.
    var rangesBeacons: Bool { if case .beacons = self { true } else { false } }

    /// Whether the session has a stream of sentences.
    var watchesSentences: Bool { if case .sentences = self { true } else { false } }

    /// Whether the session has a subscription to the receivers.
    var watchesReceivers: Bool { if case .receivers = self { true } else { false } }
}
