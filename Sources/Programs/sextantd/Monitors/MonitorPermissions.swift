import Permission
import ServiceRuntime
import SextantAPI

/// What the permissions mean for monitors: the conditions of a program that may not know the full
/// location are not monitored, and nobody reads more of them than its own program may know.
///
/// The owner of a monitor may have a namespace; the verdict is that of its program.
final class MonitorPermissions {
    private let permissions: PermissionCenter
    /// The programs whose verdicts are followed, with the owners of their monitors.
    private var followed: [ProgramID: Set<ProgramID>] = [:]

    init(_ permissions: PermissionCenter) { self.permissions = permissions }

    /// Returns whether the conditions of an owner may be monitored, and follows the verdict of its
    /// program from now on.
    func allowsMonitoring(_ owner: ProgramID) -> Bool {
        let program = owner.withoutNamespace
        let isNew = followed[program] == nil
        followed[program, default: []].insert(owner)
        let verdict = isNew ? permissions.follow(program) : permissions.verdict(of: program)
        return verdict.allowsFullLocation
    }

    /// Returns the owners of monitors of a program, if its verdict is followed.
    func owners(of program: ProgramID) -> [ProgramID] { followed[program, default: []].sorted() }

    /// Ends following an owner that has no monitors any more.
    func forget(_ owner: ProgramID) {
        let program = owner.withoutNamespace
        guard followed[program]?.remove(owner) != nil, followed[program]?.isEmpty == true else { return }
        followed[program] = nil
        permissions.unfollow(program)
    }

    /// Returns the verdict of the first of these owners that may not know the full location;
    /// `nil` if all may.
    func refusal(of owners: [ProgramID]) -> PermissionVerdict? {
        owners.lazy.map { self.permissions.verdict(of: $0.withoutNamespace) }.first { !$0.allowsFullLocation }
    }

    /// Returns the message of a monitor with the flags of its owner and of the client.
    /// Without permission, it does not show whether an event is pending.
    func message(_ message: MonitorMessage, of owner: ProgramID, for session: ClientSession) -> MonitorMessage {
        guard let verdict = refusal(of: [session.owner, owner]) else { return message }
        var message = message
        message.permission = verdict.flags
        message.pending = 0
        return message
    }
}
