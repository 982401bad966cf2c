internal import Chronology
import Foundation
internal import SextantAPI
internal import Varlink
internal import VarlinkClient

/// A session that the daemon knows while the object exists: what the program needs, and why it does
/// not get it.
final class SessionDeclaration: Sendable {
    let diagnostics = Broadcast<PermissionFlags>()

    private let tasks: [Task<Void, Never>]
    private let transport: Transport
    /// Whether the daemon lets another session continue this one for a while.
    private let hasGrace: Bool

    /// Declares a requirement.
    ///
    /// - Parameters:
    ///   - purpose: the purpose for which the program needs full accuracy.
    ///   - isImplicit: whether a request of the module declares it, not the program.
    ///   - isLease: whether the program counts as in use for as long as the session lasts.
    init(
        _ requirement: SessionRequirement, purpose: String? = nil, isImplicit: Bool = false, isLease: Bool = false,
        of transport: Transport = DaemonConnection.transport
    ) {
        self.transport = transport
        hasGrace = isLease || requirement == .always
        let parameters = DeclareParameters(
            requirement: requirement, purpose: purpose, usageDescription: UsageDescription.text(for: requirement),
            implicit: isImplicit ? true : nil)
        let state = LeaseState(hasLease: isLease)
        let declare = Calls(after: transport.limits.maximumDelay) {
            transport.stream(SessionMethods.declare, parameters, delivery: .all, persists: true)
        }
        var tasks = [
            Self.read(declare, into: diagnostics) { flags in
                UsageDescription.check(flags, requirement)
                return state.flags(declared: flags)
            }
        ]
        if isLease {
            let lease = Calls(after: transport.limits.maximumDelay) {
                transport.stream(
                    SessionMethods.keepActive, NoParameters(), delivery: .latest, persists: true)
            }
            tasks.append(Self.hold(lease, state, diagnostics))
        }
        self.tasks = tasks
    }

    /// How a call is made, and made again if this process had no descriptor or thread for it.
    struct Calls: Sendable {
        let delay: Instant.Span
        let make: @Sendable () -> OpenCall

        init(after delay: Instant.Span, _ make: @escaping @Sendable () -> OpenCall) {
            (self.delay, self.make) = (delay, make)
        }

        /// Returns the call with which to continue after an error; nil if the error is final.
        func next(after call: OpenCall, _ error: TransportError) async -> OpenCall? {
            guard error.isLackOfAnswer else { return nil }
            guard call.hasEnded else { return call }
            try? await Task.sleep(for: .nanoseconds(delay.nanoseconds))
            return Task.isCancelled ? nil : make()
        }
    }

    static func read(
        _ calls: Calls, into diagnostics: Broadcast<PermissionFlags>,
        _ flags: @escaping @Sendable (PermissionFlags) -> PermissionFlags?
    ) -> Task<Void, Never> {
        Task {
            var call = calls.make()
            while true {
                do throws(TransportError) {
                    while let reply = try await call.next() {
                        let declared = try reply.reply(to: SessionMethods.declare).diagnostics.permission
                        if let flags = flags(declared) { diagnostics.send(flags) }
                    }
                    return diagnostics.finish()
                } catch {
                    // The session begins as soon as a daemon answers.
                    if error.isLackOfAnswer { diagnostics.fail(CLError(reporting: error)) }
                    guard let next = await calls.next(after: call, error) else {
                        return diagnostics.finish(throwing: CLError(reporting: error))
                    }
                    call = next
                }
            }
        }
    }

    /// Holds a lease. A refusal is a diagnostic, and is not repeated: a lease must begin while the
    /// program is in use.
    private static func hold(
        _ calls: Calls, _ state: LeaseState, _ diagnostics: Broadcast<PermissionFlags>
    ) -> Task<Void, Never> {
        Task {
            var call = calls.make()
            while true {
                do throws(TransportError) {
                    while let reply = try await call.next() {
                        let isHeld = try reply.reply(to: SessionMethods.keepActive).held
                        if let flags = state.flags(isHeld: isHeld) { diagnostics.send(flags) }
                    }
                    return
                } catch {
                    guard let next = await calls.next(after: call, error) else {
                        if !Task.isCancelled, let flags = state.flags(isHeld: false) { diagnostics.send(flags) }
                        return
                    }
                    call = next
                }
            }
        }
    }

    /// Ends the session. Diagnostics end.
    func end() {
        for task in tasks { task.cancel() }
        diagnostics.finish()
    }

    /// Ends the session so that no other one continues it. Diagnostics end.
    func invalidate() {
        end()
        guard hasGrace else { return }
        Task { [tasks, transport] in
            // The grace period begins with the end of the connections.
            for task in tasks { await task.value }
            _ = try? await transport.call(SessionMethods.endGrace, NoParameters())
        }
    }

    deinit { end() }
}

/// Why the program wants the location, as `Info.plist` beside its executable states it.
enum UsageDescription {
    @TaskLocal static var textsOfTest: [String: String]?
    /// Whether a missing text was named. Tests have their own.
    @TaskLocal static var isMissingNamed = Locked(false)

    private static func key(_ requirement: SessionRequirement) -> String {
        requirement == .always
            ? "NSLocationAlwaysAndWhenInUseUsageDescription" : "NSLocationWhenInUseUsageDescription"
    }

    /// The text for a requirement, as far as the daemon accepts it; nil if there is none.
    static func text(for requirement: SessionRequirement) -> String? {
        let key = key(requirement)
        let text = textsOfTest.map { $0[key] } ?? Bundle.main.object(forInfoDictionaryKey: key) as? String
        guard let text else { return nil }
        var accepted = ""
        for character in text where accepted.utf8.count + character.utf8.count <= 255 { accepted.append(character) }
        return accepted
    }

    /// Warns once if the user is asked without a text.
    static func check(_ flags: PermissionFlags, _ requirement: SessionRequirement) {
        guard flags.contains(.authorizationRequestInProgress), requirement != .none, text(for: requirement) == nil
        else { return }
        let wasNamed = isMissingNamed.withLock { isNamed in
            defer { isNamed = true }
            return isNamed
        }
        guard !wasNamed else { return }
        DeveloperWarning.write(
            "the user is asked for the location without a reason: add \(key(requirement)) to the Info.plist beside the "
                + "executable")
    }
}

/// The flags of a declaration with that of its lease, as soon as both are known.
private final class LeaseState: Sendable {
    private struct State {
        var declared: PermissionFlags?
        var isHeld: Bool?
    }

    private let state: Locked<State>

    init(hasLease: Bool) {
        state = Locked(State(isHeld: hasLease ? nil : true))
    }

    func flags(declared: PermissionFlags) -> PermissionFlags? {
        state.withLock { state in
            state.declared = declared
            return Self.flags(state)
        }
    }

    func flags(isHeld: Bool) -> PermissionFlags? {
        state.withLock { state in
            guard state.isHeld != isHeld else { return nil }
            state.isHeld = isHeld
            return Self.flags(state)
        }
    }

    private static func flags(_ state: State) -> PermissionFlags? {
        guard let declared = state.declared, let isHeld = state.isHeld else { return nil }
        // A denied program gets no lease either: that is not for lack of use.
        return isHeld || !declared.isDisjoint(with: .blocking) ? declared : declared.union(.insufficientlyInUse)
    }
}
