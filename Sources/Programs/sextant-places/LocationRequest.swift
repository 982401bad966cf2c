import CLinux
import Chronology
import Geodesy
import Glibc
import PlaceWire
import SystemCalls
import Systemd
import Varlink
import Wire

/// A request to the daemon for the location of the device, as a client may know it.
///
/// It has a connection of its own. With the first call it passes the client's socket, and the
/// daemon reads from the kernel which program is at the other end. A claim of this program would
/// prove nothing.
final class LocationRequest {
    /// What the daemon has answered.
    enum Outcome {
        /// The location that the client may know.
        case location(Coordinate, isReduced: Bool)
        /// The error for the client.
        case refused(VarlinkError)
    }

    /// The age of the position in seconds, at most.
    private static let maxAge = 10.0
    /// The length of a reply in bytes, at most.
    private static let replyLimit = 65_536

    private let socket: FileDescriptor
    private var connection = ClientConnection(replyLimit: LocationRequest.replyLimit)
    private var source: IOSource?
    /// Whether the daemon counts this connection as one of the client.
    private var actsForClient = false

    /// Connects to the daemon and passes it the socket of a client.
    init(of client: Int32, to path: String) throws(PlacesFailure) {
        do throws(SystemError) {
            socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let number = socket.number
            try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
        } catch {
            throw .daemonUnavailable(
                reason: "\(error); start sextantd, for example with: systemctl start sextantd.socket")
        }
        try send(Call(method: SessionMethods.actFor.name)) { bytes in
            PassedDescriptors.send(bytes, with: client, to: socket.number)
        }
    }

    /// Starts to watch the connection.
    func watch(in loop: EventLoop, _ handler: @escaping () -> Void) throws(SystemError) {
        source = try loop.watch(socket.number, for: .readable) { _ in handler() }
    }

    /// Reads what the daemon has sent. Returns nil if the answer is still to come.
    func receive() -> Outcome? {
        let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
            let count = uninterrupted { recv(socket.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
            if count > 0 { connection.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if count == 0 || count < 0 && errno != EAGAIN { connection.receiveEnd() }
        do throws(PlacesFailure) {
            while let reply = try next() {
                if let outcome = try outcome(of: reply) { return outcome }
            }
            return nil
        } catch {
            return .refused(error.reply)
        }
    }

    /// Ends watching before the descriptor is closed.
    func close() {
        source?.remove()
        source = nil
    }

    private func next() throws(PlacesFailure) -> Reply? {
        do throws(ClientConnection.Failure) {
            return try connection.next()?.reply
        } catch {
            throw .daemonUnavailable(reason: "sextantd has ended the connection or sent no valid reply; try again")
        }
    }

    private func outcome(of reply: Reply) throws(PlacesFailure) -> Outcome? {
        guard actsForClient else {
            if let error = reply.failure { return try refusal(error) }
            actsForClient = true
            let parameters = GetLocationParameters(maximumAge: LocationRequest.maxAge)
            guard let call = try? LocationMethods.getLocation.call(with: parameters) else {
                throw .daemonUnavailable(reason: "the call cannot be written")
            }
            try send(call) { bytes in
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                return uninterrupted { Glibc.send(socket.number, bytes.baseAddress, bytes.count, flags) }
            }
            return nil
        }
        if let error = reply.failure { return .refused(error) }
        guard let location = try? reply.parameters(of: LocationMethods.getLocation).location,
            let point = Coordinate(latitude: location.latitude, longitude: location.longitude)
        else { throw .daemonUnavailable(reason: "sextantd sent no valid position") }
        return .location(point, isReduced: location.isReduced)
    }

    /// What the client gets if this program may not act for it. The limits of the daemon are the
    /// client's own.
    private func refusal(_ error: VarlinkError) throws(PlacesFailure) -> Outcome {
        switch (ManagerError(error), SessionError(error)) {
        case (.tooManyConnections?, _), (.tooManyNewConnections?, _): return .refused(error)
        case (_, .unknownClient?): throw .unknownProgram
        default:
            let detail = error.parameters["detail"]?.string.map { ": \($0)" } ?? ""
            throw .daemonUnavailable(reason: "sextantd refuses sextant-places: \(error.name)\(detail)")
        }
    }

    /// Sends a call at once: a new socket has space for it.
    private func send(_ call: Call, _ write: (UnsafeRawBufferPointer) -> Int) throws(PlacesFailure) {
        guard (try? connection.send(call)) != nil else { throw .daemonUnavailable(reason: "the call is too long") }
        var code: Int32 = 0
        let isSent = connection.write { bytes -> Int in
            let count = write(bytes)
            if count < 0 { code = errno }
            // A daemon that refuses the connection may have closed it. Its reason can be read then.
            return code == EPIPE || code == ECONNRESET ? bytes.count : max(0, count)
        }
        guard isSent else {
            throw .daemonUnavailable(reason: "\(SystemError(code: code, operation: "asking sextantd"))")
        }
    }
}
