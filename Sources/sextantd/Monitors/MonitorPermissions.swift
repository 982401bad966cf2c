import Permission
import Wire

/// What the permissions mean for monitors: the conditions of a program that may not know the full
/// location are not monitored, and nobody reads more of them than its own program may know.
final class MonitorPermissions {
    private let permissions: Permissions
    /// The programs with monitors whose verdicts are followed.
    private var followed: Set<ProgramID> = []

    init(_ permissions: Permissions) { self.permissions = permissions }

    /// Returns whether the conditions of a program may be monitored, and follows its verdict from
    /// now on.
    func allowsMonitoring(_ owner: ProgramID) -> Bool {
        let verdict =
            followed.insert(owner).inserted ? permissions.follow(owner) : permissions.verdict(of: owner)
        return verdict.allowsFullLocation
    }

    /// Returns whether the verdict of a program is followed.
    func follows(_ owner: ProgramID) -> Bool { followed.contains(owner) }

    /// Ends following a program that has no monitors any more.
    func forget(_ owner: ProgramID) { if followed.remove(owner) != nil { permissions.unfollow(owner) } }

    /// Returns the verdict of the first of these programs that may not know the full location;
    /// `nil` if all may.
    func refusal(of programs: [ProgramID]) -> PermissionVerdict? {
        programs.lazy.map { self.permissions.verdict(of: $0) }.first { !$0.allowsFullLocation }
    }

    /// Returns the message of a monitor with the flags of its owner and of the client.
    /// Without permission, it does not show whether an event is pending.
    func message(_ message: MonitorMessage, of owner: ProgramID, for session: ClientSession) -> MonitorMessage {
        guard let verdict = refusal(of: [session.owner, owner]) else { return message }
        var message = message
        message.set(verdict.flags)
        message.pending = 0
        return message
    }
}
