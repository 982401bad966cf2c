import SextantAPI
import VarlinkClient

/// The events of a monitor; see ``Monitor/events``.
public struct MonitorEvents: AsyncSequence, Sendable {
    /// An event of a condition.
    public typealias Element = Event

    let monitor: Monitor
    let latestOnly: Bool

    /// Returns an iterator, which opens the monitor at its first request.
    public func makeAsyncIterator() -> Iterator { Iterator(monitor, latestOnly) }

    /// Takes one event after another and acknowledges each at the next request.
    public struct Iterator: AsyncIteratorProtocol {
        private let monitor: Monitor
        private let call: OpenCall
        private var handled = DeliveredEvents()
        /// The last event that was returned, until it is acknowledged.
        private var current: EventID?

        fileprivate init(_ monitor: Monitor, _ latestOnly: Bool) {
            self.monitor = monitor
            let parameters = OpenParameters(
                name: monitor.name, latestOnly: latestOnly ? true : nil, application: monitor.application)
            call = monitor.client.transport.stream(MonitorMethods.open, parameters, delivery: .all)
        }

        /// Acknowledges the last event and waits for the next one. Returns nil if the task is
        /// cancelled; the last event is then not acknowledged and comes again.
        ///
        /// - Throws: ``SextantError``, such as ``SextantError/monitorInUse(_:process:)``.
        public mutating func next() async throws(SextantError) -> Event? { try await next(isolation: nil) }

        /// Acknowledges the last event and waits for the next one, as ``next()``.
        ///
        /// - Throws: ``SextantError``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SextantError) -> Event? {
            do {
                guard try await acknowledgeCurrent(isolation: actor) else { return nil }
                while let arrival = try await call.next(isolation: actor) {
                    guard let event = try arrival.reply(to: MonitorMethods.open).event else { continue }
                    let key = EventID(
                        number: Int64(event.id), condition: event.identifier, recorded: event.recorded.milliseconds)
                    guard !handled.contains(key) else { continue }
                    current = key
                    return event
                }
                return nil
            } catch let error as TransportError {
                throw SextantError(error)
            } catch let error as SextantError {
                throw error
            } catch {
                return nil
            }
        }

        /// Acknowledges the last event. Returns false if the task is cancelled.
        private mutating func acknowledgeCurrent(isolation: isolated (any Actor)?) async throws -> Bool {
            guard !Task.isCancelled else { return false }
            guard let event = current else { return true }
            do {
                try await monitor.acknowledge([Int(event.number)], isolation: isolation)
            } catch SextantError.noSuchMonitor {
                // The monitor was deleted; its events are gone.
            }
            handled.insert(event)
            current = nil
            return true
        }
    }
}
