import Varlink
import VarlinkClient

/// A sequence of messages of the daemon. It connects when its first element is requested, and
/// continues after a restart of the daemon. Dropping the iterator, or leaving its loop, closes the
/// connection.
///
/// Two iterators are two connections. If the task is cancelled, the sequence ends without an error.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    /// Translates replies for one iterator; nil skips a reply.
    typealias Translation = (Arrival) throws(TransportError) -> Element?

    /// Makes the call of an iterator.
    typealias Opening = @Sendable () -> OpenCall

    private let open: Opening
    private let translation: @Sendable () -> Translation

    /// Creates a sequence.
    ///
    /// - Parameters:
    ///   - open: Makes the call of an iterator.
    ///   - translation: Makes what translates the replies to that call, which can have state.
    init(_ open: @escaping Opening, _ translation: @escaping @Sendable () -> Translation) {
        self.open = open
        self.translation = translation
    }

    /// Returns an iterator with a connection of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(call: open(), translation: translation())
    }

    /// Takes one message after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let call: OpenCall
        fileprivate let translation: Translation

        /// Waits for the next message. Returns nil if the task is cancelled.
        ///
        /// - Throws: ``SextantError``.
        public mutating func next() async throws(SextantError) -> Element? { try await next(isolation: nil) }

        /// Waits for the next message. Returns nil if the task is cancelled.
        ///
        /// - Throws: ``SextantError``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SextantError) -> Element? {
            do {
                while let arrival = try await call.next(isolation: actor) {
                    if let element = try translation(arrival) { return element }
                }
                call.close()
                return nil
            } catch {
                throw SextantError(error)
            }
        }
    }
}

extension Updates {
    /// Returns the first element that satisfies a predicate.
    ///
    /// Use it to wait for what may never come: a receiver between buildings may never have an
    /// accuracy below 5 m.
    ///
    /// - Returns: nil if none came within the duration, or the task is cancelled.
    /// - Throws: ``SextantError``.
    public func first(
        within duration: Duration, where isSuitable: @escaping @Sendable (Element) -> Bool
    ) async throws(SextantError) -> Element? {
        let result = await withTaskGroup(of: Result<Element?, SextantError>.self) { group in
            group.addTask {
                var iterator = makeAsyncIterator()
                do throws(SextantError) {
                    while let element = try await iterator.next() {
                        if isSuitable(element) { return .success(element) }
                    }
                    return .success(nil)
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: duration)
                return .success(nil)
            }
            defer { group.cancelAll() }
            return await group.next()
        }
        return try result?.get() ?? nil
    }
}

extension Updates {
    /// Creates the sequence of the replies to a method.
    ///
    /// - Parameters:
    ///   - delivery: What happens to replies that the program has not taken.
    ///   - element: Returns the element of a reply; nil skips it.
    init<Parameters, Reply>(
        _ transport: Transport, _ method: Method<Parameters, Reply>, _ parameters: Parameters,
        delivery: OpenCall.Delivery = .latest, _ element: @escaping @Sendable (Reply) -> Element?
    ) {
        self.init({ transport.stream(method, parameters, delivery: delivery) }) {
            { arrival throws(TransportError) in element(try arrival.reply(to: method)) }
        }
    }
}
