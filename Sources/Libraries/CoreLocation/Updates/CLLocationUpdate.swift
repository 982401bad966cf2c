import Foundation
internal import SextantAPI

/// An update of the location: a position, or the reason why there is none.
///
///     for try await update in CLLocationUpdate.liveUpdates() {
///         guard let location = update.location else { continue }
///         print(location.coordinate)
///     }
///
/// A denied program gets updates with flags and no location. The loop continues after a grant. An
/// error means that no daemon answers.
public struct CLLocationUpdate: Sendable {
    /// The purpose of the updates, which sets their rate. It does not set the accuracy.
    @nonexhaustive(warn)
    public enum LiveConfiguration: Int, Sendable, Equatable, Hashable {
        /// At most one update per 5 s.
        case `default` = 0
        /// A vehicle on roads: every epoch of the receiver, up to 5 per second.
        case automotiveNavigation = 1
        /// A vehicle away from roads: at most one update per second.
        case otherNavigation = 2
        /// On foot: at most one update per second.
        case fitness = 3
        /// In the air: at most one update per second.
        case airborne = 4
    }

    let reply: SubscribeReply
    /// The position; nil if there is none or only a condition has changed.
    public let location: CLLocation?

    init(_ reply: SubscribeReply) {
        self.reply = reply
        location = reply.location.map { CLLocation($0, isAtRest: reply.stationary == true, age: reply.age ?? 0) }
    }

    /// Returns the updates of the location. Nothing is done before the first update is requested.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(configuration: configuration)
    }

    /// Whether the device is stationary. The updates then pause until it moves.
    public var stationary: Bool { reply.stationary == true }
    /// The same as ``stationary``.
    public var isStationary: Bool { stationary }
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
    /// There is no position now.
    public var locationUnavailable: Bool { reply.locationUnavailable == true }
    /// The location is reduced: at most one update per 15 minutes.
    public var accuracyLimited: Bool { flags.contains(.accuracyLimited) }
    /// The configuration requires a ``CLServiceSession``.
    public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }

    var flags: PermissionFlags { reply.permission }

    /// Whether there is anything to report.
    var hasContent: Bool { location != nil || reply.stationary != nil || locationUnavailable || !flags.isEmpty }
}

extension CLLocationUpdate {
    /// Updates of the location. Each iterator has its own stream.
    public struct Updates: AsyncSequence, Sendable {
        /// The type of the elements.
        public typealias Element = CLLocationUpdate

        let configuration: LiveConfiguration

        /// Returns an iterator, which connects to the daemon at its first element.
        public func makeAsyncIterator() -> Iterator {
            Iterator(request: SubscribeParameters(configuration: configuration.message))
        }

        /// An iterator over updates. Dropping it ends the updates.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the elements.
            public typealias Element = CLLocationUpdate

            let request: SubscribeParameters
            private var updates: AsyncThrowingStream<CLLocationUpdate, any Error>.Iterator?
            private var session: SessionDeclaration?

            init(request: SubscribeParameters) {
                self.request = request
            }

            /// Returns the next update, or nil if the task was cancelled.
            ///
            /// - Throws: a ``CLError`` if no daemon answers.
            public mutating func next() async throws -> CLLocationUpdate? {
                try await next(isolation: nil)
            }

            /// Returns the next update, or nil if the task was cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error)
                -> CLLocationUpdate?
            {
                if session == nil, UsageDescription.text(for: .whenInUse) != nil {
                    // An agent that is asked because of the updates shows the text of this session.
                    let implicit = SessionDeclaration(.whenInUse, isImplicit: true)
                    session = implicit
                    var diagnostics = implicit.diagnostics.reader().makeAsyncIterator()
                    _ = try await diagnostics.next(isolation: actor)
                }
                var iterator = updates ?? request.updates(of: DaemonConnection.transport).makeAsyncIterator()
                updates = iterator
                let update = try await iterator.next(isolation: actor)
                if let update { UsageDescription.check(update.flags, .whenInUse) }
                return update
            }
        }
    }
}

extension CLLocationUpdate.LiveConfiguration {
    /// The configuration of the daemon.
    var message: Configuration {
        switch self {
        case .default: .default
        case .automotiveNavigation: .automotiveNavigation
        case .otherNavigation: .otherNavigation
        case .fitness: .fitness
        case .airborne: .airborne
        }
    }
}
