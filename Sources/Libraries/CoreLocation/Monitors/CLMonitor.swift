import Foundation
internal import SextantAPI
internal import VarlinkClient

/// A named set of conditions, which the daemon monitors also while the program does not run.
///
///     let monitor = await CLMonitor("places")
///     let circle = CLMonitor.CircularGeographicCondition(center: home, radius: 100)
///     await monitor.add(circle, identifier: "home")
///     for try await event in monitor.events { print(event.identifier, event.state) }
///
/// Conditions persist until they are removed. Events wait until the program iterates over
/// ``events`` of a monitor with the same name. Only one object can have a name at a time: a second
/// one waits 2 s for the release of the first, and then ends the process. Limits, unsupported
/// conditions and denials are flags of records and events.
public actor CLMonitor {
    private nonisolated let store: ConditionStore
    private nonisolated let name: HeldMonitorName

    /// The events. A program iterates over them all the time.
    public nonisolated let events: Events

    /// The calls of the daemon block the queue of the monitor, never a thread of Swift's pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { store.queue.asUnownedSerialExecutor() }

    /// Opens the monitor with this name, or creates it. Nothing is delivered before the iteration
    /// of ``events``. A failure is reported by ``events``.
    public init(_ name: String) async {
        self.name = await HeldMonitorName.held(name)
        store = ConditionStore(wireName: self.name.wire, DaemonConnection.transport)
        events = Events(store: store)
    }

    /// The identifiers of all conditions, sorted.
    public var identifiers: [String] { store.identifiers }

    /// Adds a condition of unknown state: its first determination is an event. A condition with the
    /// same identifier is replaced; an identical one keeps its state.
    public func add(_ condition: any CLCondition, identifier: String) {
        store.add(condition, identifier: identifier, assuming: .unknown)
    }

    /// Adds a condition with an assumed state: its first determination is an event only if it
    /// differs.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        store.add(condition, identifier: identifier, assuming: state)
    }

    /// Removes a condition and its events. An unknown identifier has no effect.
    public func remove(_ identifier: String) {
        store.remove(identifier)
    }

    /// Returns a condition with its last handled event; nil if there is none with this identifier.
    public func record(for identifier: String) -> Record? {
        store.record(for: identifier)
    }
}

extension CLMonitor {
    /// A condition with its last handled event.
    public struct Record: Sendable {
        /// The condition as added.
        public let condition: any CLCondition
        /// The last event whose handling is complete, with the present flags. Before the first
        /// event it has the assumed state.
        public let lastEvent: Event
    }

    /// A change of a condition, or a reason why it is not monitored.
    public struct Event: Sendable {
        /// The state of a condition.
        @nonexhaustive(warn)
        public enum State: UInt, Sendable, Equatable, Hashable {
            /// Not determined yet.
            case unknown = 0
            /// The device is inside.
            case satisfied = 1
            /// The device is outside.
            case unsatisfied = 2
            /// The condition is not monitored.
            case unmonitored = 3
        }

        /// The identifier of the condition.
        public let identifier: String
        /// The concrete beacon of an event of a beacon condition, a ``BeaconIdentityCondition``.
        public let refinement: (any CLCondition)?
        /// The state after the event.
        public let state: State
        /// The time of the event by the receiver's clock, or by that of the host.
        public let date: Date

        let flags: PermissionFlags
        let problems: ConditionProblems

        init(
            identifier: String, state: State, date: Date, flags: PermissionFlags = [], problems: ConditionProblems = [],
            refinement: (any CLCondition)? = nil
        ) {
            self.identifier = identifier
            self.refinement = refinement
            self.state = state
            self.date = date
            self.flags = flags
            self.problems = problems
        }

        /// The program is denied.
        public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }
        /// Location is switched off for all programs.
        public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }
        /// The configuration denies the program.
        public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }
        /// The user was asked and has not answered.
        public var authorizationRequestInProgress: Bool { flags.contains(.authorizationRequestInProgress) }
        /// The program may know the location only while it is in use.
        public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }
        /// The accuracy of the program is reduced: its conditions are not monitored.
        public var accuracyLimited: Bool { flags.contains(.accuracyLimited) }
        /// The configuration requires a ``CLServiceSession``.
        public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
        /// The kind of condition is not supported, the condition is not valid, or nothing receives
        /// beacons now.
        public var conditionUnsupported: Bool { problems.contains(.unsupported) }
        /// The program has more conditions than its limit. The condition is monitored when others
        /// are removed.
        public var conditionLimitExceeded: Bool { problems.contains(.limitExceeded) }
        /// The condition or its state could not be saved.
        public var persistenceUnavailable: Bool { problems.contains(.notPersistent) }
    }

    /// The events of a monitor, in order.
    public struct Events: AsyncSequence, Sendable {
        /// The type of the elements.
        public typealias Element = Event

        let store: ConditionStore

        /// Returns an iterator, which opens the monitor at its first event.
        public func makeAsyncIterator() -> Iterator {
            Iterator(store: store)
        }

        /// An iterator over events. An event counts as handled when the next one is requested.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the elements.
            public typealias Element = Event

            private let store: ConditionStore
            private var deliveries: AsyncThrowingStream<Delivery, any Error>.Iterator?
            private var handled: Delivery?

            init(store: ConditionStore) {
                self.store = store
            }

            /// Returns the next event, or nil if the task was cancelled. Events that are not
            /// handled come again.
            ///
            /// - Throws: a ``CLError`` if no daemon answers, or another process has the monitor
            ///   open. The next call tries again.
            public mutating func next() async throws -> Event? {
                try await next(isolation: nil)
            }

            /// Returns the next event, or nil if the task was cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Event? {
                if Task.isCancelled { return nil }
                if let handled {
                    self.handled = nil
                    await store.acknowledge(handled)
                }
                do {
                    var iterator = deliveries ?? store.deliveries().makeAsyncIterator()
                    deliveries = iterator
                    handled = try await iterator.next(isolation: actor)
                    return handled?.event
                } catch {
                    deliveries = nil
                    throw error
                }
            }
        }
    }
}
