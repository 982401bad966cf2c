import Varlink
import VarlinkClient

/// What a program declares that it needs, for as long as this object exists.
///
/// The daemon may ask the user. Several sessions of a program add up. A session continues after a
/// restart of the daemon, and begins later if no daemon runs.
public final class ServiceSession: Sendable {
    /// What a session needs.
    public struct Requirement: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing; satisfies a configuration that requires a session.
        public static let none = Self(rawValue: "none")
        /// The location while the program is in use.
        public static let whenInUse = Self(rawValue: "whenInUse")
        /// The location at any time. Such a session must begin while the program is in use.
        public static let always = Self(rawValue: "always")
        /// The values that this library knows.
        public static let allCases: [Self] = [none, whenInUse, always]
    }

    private static let method = "io.sextant.Session.Declare"
    private let call: OpenCall

    init(_ transport: Transport, _ parameters: DeclareParameters) {
        let members = (try? Transport.encode(parameters, of: Self.method)) ?? [:]
        call = transport.stream(Self.method, members, delivery: .latest, persists: true)
        call.open()
    }

    /// Ends the session.
    public func invalidate() { call.close() }

    /// Returns why the session does not get what it needs, now or after the next change; empty if
    /// it does. Returns nil after ``invalidate()`` and if the task is cancelled.
    ///
    /// - Throws: ``SextantError``. After ``SextantError/noAnswer(_:)`` the session still connects
    ///   as soon as a daemon runs, and the next call waits for it.
    public func nextDiagnostics(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(SextantError) -> PermissionFlags? {
        do {
            return try await call.next()?.decode(DiagnosticsReply.self, of: Self.method).diagnostics
        } catch {
            throw SextantError(error)
        }
    }
}

/// A lease: the program counts as in use for as long as this object exists, and for a minute after
/// that, so that it can restart.
public final class ActivityLease: Sendable {
    private static let method = "io.sextant.Session.KeepActive"
    private let call: OpenCall

    init(_ transport: Transport) {
        call = transport.stream(Self.method, delivery: .latest, persists: true)
        call.open()
    }

    /// Ends the lease.
    public func invalidate() { call.close() }

    /// Returns whether the program has the lease, now or after the next change. Returns nil after
    /// ``invalidate()`` and if the task is cancelled.
    ///
    /// - Throws: ``SextantError/notInUse(detail:)`` if the program is not in use at the start.
    public func nextState(isolation: isolated (any Actor)? = #isolation) async throws(SextantError) -> Bool? {
        do {
            return try await call.next()?.decode(LeaseReply.self, of: Self.method).held
        } catch {
            throw SextantError(error)
        }
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
        _ requirement: ServiceSession.Requirement = .whenInUse, purpose: String? = nil,
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
        try await call("io.sextant.Session.GetAuthorization", as: PermissionReply.self).permission
    }

    /// Returns what this program may know, now and after each change.
    public func permissionChanges() -> Updates<Permission> {
        let method = "io.sextant.Session.WatchAuthorization"
        return Updates({ [transport] () throws(TransportError) in transport.stream(method, delivery: .latest) }) {
            { arrival throws(TransportError) in try arrival.decode(PermissionReply.self, of: method).permission }
        }
    }
}

/// The parameters of `Declare`.
struct DeclareParameters: Encodable {
    var requirement: ServiceSession.Requirement
    var purpose: String?
    var usageDescription: String?
}

/// A reply of `Declare`.
struct DiagnosticsReply: Decodable {
    var diagnostics: PermissionFlags
}

/// A reply of `KeepActive`.
struct LeaseReply: Decodable {
    var held: Bool
}
