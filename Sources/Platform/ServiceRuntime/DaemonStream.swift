import Chronology
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// A stream of replies of the daemon, on a connection of its own. It connects again by itself.
package final class DaemonStream<Parameters: Sendable & Equatable, Output: Sendable> {
    /// What happens in the stream.
    package enum Event {
        /// The daemon sent a reply.
        case reply(Output)
        /// The connection failed or ended; the next attempt follows.
        case lost(ClientError)
    }

    private struct Connection {
        var source: IOSource?
        var replies: ReplyStream
        /// The declared session; its replies are not read.
        var session: ReplyStream?
    }

    /// The time between attempts to connect.
    private static var firstDelay: Instant.Span { .milliseconds(100) }
    private static var maxDelay: Instant.Span { .seconds(2) }

    private let loop: EventLoop
    private let path: String
    private let method: Method<Parameters, Output>
    private let isInSession: Bool
    private let handler: (Event) -> Void
    private var parameters: Parameters?
    private var connection: Connection?
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
        didSet { if isEager != oldValue { try? connection?.source?.setEvents(isEager ? .readable : []) } }
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
            let client = Client(adopting: try UnixSocket.connect(to: path).release())
            let replies = try client.stream(method, with: parameters, timeout: .zero)
            let source = try loop.watch(replies.fileDescriptor, for: isEager ? .readable : []) { [weak self] _ in
                self?.read()
            }
            // Thousands of clients that are ready at once must not delay a location.
            try source.takePrecedence()
            connection = Connection(source: source, replies: replies, session: session)
        } catch let error as ClientError {
            fail(error)
        } catch let error as SystemError {
            fail(ClientError(error, path: path))
        } catch {
            fail(.sendFailed(method: method.name, reason: "\(error)"))
        }
    }

    private func declareSession() throws -> ReplyStream {
        let client = Client(adopting: try UnixSocket.connect(to: path).release())
        let parameters = DeclareParameters(requirement: SessionRequirement.none)
        return try client.stream(SessionMethods.declare, with: parameters, timeout: .zero)
    }

    /// Handles the replies that have arrived.
    package func read() {
        do throws(ClientError) {
            while let output = try nextOutput() {
                backoff.reset()
                handler(.reply(output))
            }
        } catch {
            fail(error)
        }
    }

    /// Returns a reply that has arrived; nil if there is none, or if the stream has been ended.
    private func nextOutput() throws(ClientError) -> Output? {
        switch try connection?.replies.nextIfAvailable(of: method) {
        case nil, .pending?: return nil
        case .ended?: throw .disconnected(method: method.name)
        case .output(let output)?: return output
        }
    }

    private func fail(_ error: ClientError) {
        close()
        deadline = EventLoop.currentTime + backoff.next(from: Self.firstDelay, max: Self.maxDelay)
        handler(.lost(error))
    }

    /// Ends watching before the descriptor is closed.
    private func close() {
        connection?.source?.remove()
        connection = nil
    }
}
