import SextantAPI
import Varlink

extension CommandError {
    /// Creates the error of a call that a program may not make, or of an invalid change of
    /// permissions; nil for another error.
    init?(permission reply: VarlinkError) {
        func text(_ name: String) -> String? { reply.parameters[name]?.string }
        let denied = [Interface.location, .manager, .monitor, .receiver].map(PermissionDeniedError.name)
        let refused =
            [Interface.permission, .agent].map { $0.error(named: "NotAllowed") }
            + [Interface.session.error(named: "NotInUse")]
        switch reply.name {
        case _ where denied.contains(reply.name) || refused.contains(reply.name):
            let detail = text("detail").map(ProgramFormatter.sentence)
            self.init(detail ?? "the daemon gives no reason", exitStatus: .notPermitted)
        case Interface.permission.error(named: "InvalidProgram"):
            self.init(
                "invalid program \"\(text("program") ?? "")\": it \(text("reason") ?? "names no program")",
                exitStatus: .usage)
        case Interface.permission.error(named: "PersistenceUnavailable"):
            self.init("sextantd cannot use its database: \(text("reason") ?? "unknown reason"); nothing was changed")
        default: return nil
        }
    }
}

extension Interface {
    /// Returns the full name of an error of this interface.
    func error(named name: String) -> String { "\(rawValue).\(name)" }
}
