import Locator
import Permission
import ServiceRuntime
import SextantAPI
import Varlink

/// Decides which monitors a client may use: those of its user, all for the administrator, and for
/// some uses those that the configuration allows.
struct MonitorAccess {
    /// What a call does with a monitor.
    enum Use {
        /// It reads conditions and events.
        case reading
        /// It changes conditions, or deletes the monitor.
        case editing
        /// It takes events, so that no other client gets them.
        case taking
    }

    unowned let context: ServiceContext
    unowned let registry: MonitorRegistry

    /// Returns the key of the requested monitor, which may be one of another program.
    func key(
        _ name: String, of parameters: some OwnerParameters, for session: ClientSession, _ use: Use
    ) throws -> MonitorKey {
        var owner = session.owner
        if let program = parameters.program {
            owner = try registry.owner(named: program, at: context.loop.now)
            try require(use, of: owner, for: session)
        }
        return MonitorKey(owner: try owner.namespace(parameters.application) ?? owner, name: name)
    }

    /// Throws unless a client may use the monitors of an owner.
    func require(_ use: Use, of owner: ProgramID, for session: ClientSession) throws(VarlinkError) {
        guard session.peer.user != 0 else { return }
        guard session.peer.user == owner.user || isGranted(use, to: session.owner) else {
            throw ServiceError.permissionDenied.reply
        }
        // Conditions of another program that is allowed would reveal the location to this one.
        guard owner.program != session.owner, let verdict = refusal(of: [session.owner]) else { return }
        throw PermissionDeniedError(verdict, of: session.owner).reply(in: .monitor)
    }

    private func isGranted(_ use: Use, to program: ProgramID) -> Bool {
        let settings = context.settings
        return switch use {
        case .reading: settings.monitorReaders.contains(program) || settings.monitorEditors.contains(program)
        case .editing: settings.monitorEditors.contains(program)
        case .taking: false
        }
    }

    /// The user whose monitors a client may list; nil if it may list all.
    func listedUser(for session: ClientSession) -> UInt32? {
        session.peer.user == 0 || isGranted(.reading, to: session.owner) ? nil : session.peer.user
    }

    /// Returns the key of a monitor that the call may create.
    ///
    /// A user could otherwise invent any number of programs. Only the administrator may create the
    /// first monitor of a program that the kernel has not confirmed. Namespaces of a confirmed one
    /// count toward the limits of the user.
    func keyForCreation(
        _ name: String, of parameters: some OwnerParameters, for session: ClientSession, _ use: Use
    ) throws -> MonitorKey {
        let key = try key(name, of: parameters, for: session, use)
        let program = key.owner.program
        if session.peer.user == 0 || program == session.owner { return key }
        if program.user == session.peer.user, program.description == "\(program.user)" { return key }
        if context.server.isConnected(program) { return key }
        if try registry.hasMonitors(of: key.owner, at: context.loop.now) { return key }
        throw MonitorError.invalidProgram(
            program: key.owner.description,
            reason: "must own a monitor or be connected; create its first monitor from the program itself")
    }

    /// Returns the verdict of the first of these owners that may not know the full location;
    /// `nil` if all may. An owner may have a namespace; the verdict is that of its program.
    func refusal(of owners: [ProgramID]) -> PermissionVerdict? {
        owners.lazy.map { context.permissions.verdict(of: $0.program) }.first { !$0.allowsFullLocation }
    }
}
