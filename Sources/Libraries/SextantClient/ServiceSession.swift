import SextantAPI
import Varlink
import VarlinkClient

/// What a program declares that it needs, for as long as this object exists.
///
/// The daemon may ask the user. Several sessions of a program add up. A session continues after a
/// restart of the daemon, and begins later if no daemon runs.
public final class ServiceSession: Sendable {
    private let call: OpenCall
    private let transport: Transport
    /// Whether another session could continue this one for a minute.
    private let hasGrace: Bool

    init(_ transport: Transport, _ parameters: DeclareParameters) {
        self.transport = transport
        hasGrace = parameters.requirement == .always
        call = transport.stream(SessionMethods.declare, parameters, delivery: .latest, persists: true)
        call.open()
    }

    /// Ends the session at once. One that requires `always` and is released, or whose program ends,
    /// can be continued by another one for a minute.
    public func invalidate() {
        call.close()
        if hasGrace { transport.endGrace() }
    }

    /// Returns why the session does not get what it needs, now or after the next change; empty if
    /// it does. Returns nil after ``invalidate()`` and if the task is cancelled.
    ///
    /// - Throws: ``SextantError``. After ``SextantError/noAnswer(_:)`` the session still connects
    ///   as soon as a daemon runs, and the next call waits for it.
    public func nextDiagnostics(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(SextantError) -> PermissionFlags? {
        do {
            return try await call.next()?.reply(to: SessionMethods.declare).diagnostics.permission
        } catch {
            throw SextantError(error)
        }
    }
}

/// A lease: the program counts as in use for as long as this object exists, and for a minute after
/// that, so that it can restart.
public final class ActivityLease: Sendable {
    private let transport: Transport
    private let call: OpenCall

    init(_ transport: Transport) {
        self.transport = transport
        call = transport.stream(SessionMethods.keepActive, NoParameters(), delivery: .latest, persists: true)
        call.open()
    }

    /// Ends the lease at once, without the minute.
    public func invalidate() {
        call.close()
        transport.endGrace()
    }

    /// Returns whether the program has the lease, now or after the next change. Returns nil after
    /// ``invalidate()`` and if the task is cancelled.
    ///
    /// - Throws: ``SextantError/notInUse(detail:)`` if the program is not in use at the start.
    public func nextState(isolation: isolated (any Actor)? = #isolation) async throws(SextantError) -> Bool? {
        do {
            return try await call.next()?.reply(to: SessionMethods.keepActive).held
        } catch {
            throw SextantError(error)
        }
    }
}

extension Transport {
    /// Ends what the program could continue. The connections that were closed before end first.
    fileprivate func endGrace() {
        Task { _ = try? await call(SessionMethods.endGrace, NoParameters()) }
    }
}

extension Client {
    /// Begins a session.
    ///
    /// - Parameters:
    ///   - requirement: What the program needs.
    ///   - purpose: The purpose for which it needs full accuracy, as in the configuration; at most
    ///     255 bytes.
    ///   - usageDescription: Why the program wants the location, in a sentence for its user; at
    ///     most 255 bytes. An agent shows it.
    public func session(
        _ requirement: SessionRequirement = .whenInUse, purpose: String? = nil,
        usageDescription: String? = nil
    ) -> ServiceSession {
        ServiceSession(
            transport,
            DeclareParameters(requirement: requirement, purpose: purpose, usageDescription: usageDescription))
    }

    /// Begins a lease. The program must be in use at that time.
    public func keepActive() -> ActivityLease { ActivityLease(transport) }

    /// Returns what this program may know.
    public func permission(isolation: isolated (any Actor)? = #isolation) async throws -> Permission {
        try await call(SessionMethods.getAuthorization, NoParameters()).permission
    }

    /// Returns what this program may know, now and after each change.
    public func permissionChanges() -> Updates<Permission> {
        Updates(transport, SessionMethods.watchAuthorization, NoParameters()) { $0.permission }
    }
}

extension Permission {
    /// Why the program gets no location or a reduced one.
    public var flags: PermissionFlags { permission }
}
