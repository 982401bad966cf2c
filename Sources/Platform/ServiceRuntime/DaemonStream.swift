import Chronology
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// A stream of replies of the daemon, on a connection of its own. It connects again by itself.
package final class DaemonStream<Parameters: Message & Equatable, Output: Message> {
    /// What happens in the stream.
    package enum Event {
        /// The daemon sent a reply.
        case reply(Output)
        /// The connection failed or ended; the next attempt follows.
        case lost(ClientError)
    }

    private struct Connection {
        let source: IOSource
        let channel: Channel
        /// The declared session; its replies are not read.
        let session: Channel?
        /// Whether the last reply has arrived.
        var hasEnded = false
    }

    /// The time between attempts to connect.
    private static var firstDelay: Instant.Span { .milliseconds(100) }
    private static var maxDelay: Instant.Span { .seconds(2) }
    private static var bufferLength: Int { 16_384 }

    private let loop: EventLoop
    private let path: String
    private let method: Method<Parameters, Output>
    private let isInSession: Bool
    private let handler: (Event) -> Void
    private var parameters: Parameters?
    private var connection: Connection?
    private var buffer: [UInt8] = []
    private var backoff = ExponentialBackoff()
    /// When to connect again; nil while connected, or while no stream is requested.
    package private(set) var deadline: Instant?

    /// Creates a stream that is not requested.
    ///
    /// - Parameters:
    ///   - isInSession: Whether the program declares a session while the stream is open. The
    ///     configuration may require one of each program that needs the location.
    ///   - handler: Captures its owner unowned or weakly.
    package init(
        _ method: Method<Parameters, Output>, of path: String, in loop: EventLoop, isInSession: Bool = false,
        handler: @escaping (Event) -> Void
    ) {
        self.method = method
        self.isInSession = isInSession
        self.path = path
        self.loop = loop
        self.handler = handler
    }

    /// Requests the stream with these parameters, or ends it. Unchanged parameters cost nothing.
    package func request(_ new: Parameters?) {
        guard new != parameters else { return }
        parameters = new
        close()
        deadline = nil
        if new != nil { connect() }
    }

    /// Whether replies wake the program. Otherwise they wait until ``read()``; the end of the
    /// connection is noticed at once.
    package var isEager = true {
        didSet { if isEager != oldValue { watch() } }
    }

    /// Connects again if it is time.
    package func tick(at now: Instant) {
        if let deadline, now >= deadline { connect() }
    }

    private func connect() {
        guard let parameters else { return }
        deadline = nil
        do {
            // The daemon serves the connections of a program in their order.
            let session = isInSession ? try declareSession() : nil
            let channel = try Channel(to: path)
            try channel.send(method.call(with: parameters, mode: .more))
            let source = try loop.watch(channel.descriptor, for: .readable) { [weak self] events in
                if events.contains(.writable) { self?.flush() }
                if events != .writable { self?.read() }
            }
            // Thousands of clients that are ready at once must not delay a location.
            try source.takePrecedence()
            connection = Connection(source: source, channel: channel, session: session)
            watch()
        } catch let error as SystemError {
            fail(ClientError(error, path: path))
        } catch {
            fail(.sendFailed(method: method.name, reason: "\(error)"))
        }
    }

    private func declareSession() throws -> Channel {
        let channel = try Channel(to: path)
        let parameters = DeclareParameters(requirement: SessionRequirement.none)
        try channel.send(SessionMethods.declare.call(with: parameters, mode: .more))
        return channel
    }

    private func flush() {
        connection?.channel.flush()
        watch()
    }

    /// If the change fails, the next read notices what is wrong with the connection.
    private func watch() {
        guard let connection else { return }
        var events: IOEvents = isEager ? .readable : []
        if connection.channel.wantsOutput { events.insert(.writable) }
        try? connection.source.setEvents(events)
    }

    /// Handles the replies that have arrived.
    package func read() {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.bufferLength) }
        while let channel = connection?.channel, channel.read(into: &buffer) {
            do throws(ClientError) {
                while connection?.channel === channel, let output = try nextOutput(of: channel) {
                    backoff.reset()
                    handler(.reply(output))
                }
            } catch {
                return fail(error)
            }
            guard channel.mayHaveMore else { return }
        }
    }

    /// Returns a reply that has arrived; nil if there is none.
    private func nextOutput(of channel: Channel) throws(ClientError) -> Output? {
        if connection?.hasEnded == true { throw .disconnected(method: method.name) }
        var output: Output?
        let next: ClientConnection.DirectReply?
        do throws(ClientConnection.Failure) {
            next = try channel.next { reader in
                output = method.read?(&reader)
                return output != nil
            }
        } catch {
            throw ClientError(error, method: method.name)
        }
        guard case .general(let match)? = next else { return output }
        connection?.hasEnded = !match.reply.continues
        if let error = match.reply.failure { throw .failed(method: method.name, error: error) }
        do throws(UnexpectedParameters) { return try match.reply.parameters(of: method) } catch {
            throw .unexpectedReply(method: method.name, error)
        }
    }

    private func fail(_ error: ClientError) {
        close()
        deadline = HostClock.now + backoff.next(from: Self.firstDelay, max: Self.maxDelay)
        handler(.lost(error))
    }

    /// Ends watching before the descriptor is closed.
    private func close() {
        connection?.source.remove()
        connection = nil
    }
}
