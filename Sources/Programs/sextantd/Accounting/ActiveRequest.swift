import Chronology
import Glibc
import Locator
import Permission
import Receivers
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// An active request of a client, used to report which program keeps a receiver running.
final class ActiveRequest {
    /// The purpose on the wire.
    let purpose: Purpose
    let program: Program
    /// The namespace of the program that made the request, if the request names one.
    let namespace: ProgramID?
    /// The name or port of the requested receiver.
    let receiver: String?
    /// The complete request of a stream; nil for other requests.
    let stream: StreamRequest?
    let at: Instant
    /// The time of the request by the host's clock.
    let date: UTCTime

    init(
        _ purpose: Purpose, program: Program, namespace: ProgramID? = nil, receiver: String?,
        stream: StreamRequest? = nil, at now: Instant, date: UTCTime = HostClock.utc
    ) {
        self.purpose = purpose
        self.program = program
        self.namespace = namespace
        self.receiver = receiver
        self.stream = stream
        self.date = date
        at = now
    }

    /// The consumer in the energy accounts; `nil` for requests that use no receiver energy.
    var consumer: EnergyUser? { ConsumerPurpose(rawValue: purpose.rawValue).map { .program(program, $0) } }
}

extension Consumer {
    /// Creates a message from a request.
    ///
    /// - Parameter process: The process ID of the program, if one process made the request.
    init(_ request: ActiveRequest, process: Int32?, at now: Instant) {
        self.init(
            request.purpose, uid: Int(request.program.user), since: request.date,
            seconds: (now - request.at).seconds)
        program = request.program.name
        unit = request.program.unit
        pid = process.map(Int.init)
        receiver = request.receiver
        guard let options = request.stream?.options else { return }
        desiredAccuracy = options.desiredAccuracy
        distanceFilter = options.distanceFilter
        significantChange = options.isSignificantChange
        passive = options.isPassive
    }
}

extension Program {
    /// The kernel limits a process name to 15 bytes (proc(5), TASK_COMM_LEN), followed by a line
    /// end.
    private static let maxNameLength = 16

    /// Creates a program from the peer of a socket. The name is "" if it may not be read.
    init(_ peer: PeerCredentials) {
        self.init(user: peer.user, unit: ProgramID(of: peer).unit, name: Program.name(of: peer.process))
    }

    /// Creates a program from the owner of monitors, which need not be running.
    init(_ owner: ProgramID) {
        self.init(user: owner.user, unit: owner.unit, name: "")
    }

    private static func name(of process: Int32) -> String {
        let number = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return "" }
        let file = FileDescriptor(owning: number)
        return withUnsafeTemporaryAllocation(byteCount: maxNameLength, alignment: 1) { bytes in
            let count = uninterrupted { read(file.number, bytes.baseAddress, bytes.count) }
            return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}

extension ProgramID {
    /// Creates the identity of the program at the other end of a socket.
    init(of peer: PeerCredentials) {
        self.init(user: peer.user, unit: peer.unit, userUnit: peer.userUnit)
    }

    /// Returns the namespace of the program that a client names with `application`; `nil` if it
    /// names none.
    func namespace(_ application: String?) throws(VarlinkError) -> ProgramID? {
        guard let application else { return nil }
        guard let namespace = with(namespace: application) else { throw ServiceError.invalid("application") }
        return namespace
    }
}
