import Chronology
import Locator
import Permission
import Receivers
import SextantAPI
import SystemCalls

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
    /// The instant of the request.
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
