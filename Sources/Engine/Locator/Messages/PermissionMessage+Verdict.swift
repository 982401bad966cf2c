import Permission
import SextantAPI
import Varlink

extension PermissionMessage {
    /// Creates the message for the verdict of a program.
    package init(_ verdict: PermissionVerdict, of program: ProgramID) {
        self.init(
            program: program.description, authorization: verdict.authorization, accuracy: verdict.accuracy,
            decidedBy: verdict.decidedBy, detail: verdict.detail(for: program), permission: verdict.flags)
    }
}

extension DeclareReply {
    /// Creates a reply with diagnostics.
    package init(_ flags: PermissionFlags) { self.init(diagnostics: DiagnosticsMessage(permission: flags)) }
}

/// The error `PermissionDenied` of several interfaces.
package struct PermissionDeniedError: Message, Equatable {
    /// What the program may know.
    package var authorization: Authorization
    /// What decided, as text.
    package var decidedBy: String
    /// The reason and how to change it, as text.
    package var detail: String

    /// Creates the error for the verdict of a program.
    ///
    /// - Parameter need: What the call needs, if the program is not limited otherwise.
    package init(_ verdict: PermissionVerdict, of program: ProgramID, needs need: String = "the full location") {
        authorization = verdict.authorization
        decidedBy = verdict.decidedBy
        detail = verdict.detail(for: program) ?? "this needs \(need)"
    }

    package init(_ members: inout MemberReader) throws(MemberError) {
        authorization = try members.name("authorization", unknown: .unknown)
        decidedBy = try members.string("decidedBy")
        detail = try members.string("detail")
    }

    package func write(to object: inout ObjectWriter) {
        object.append(authorization.rawValue, forKey: "authorization")
        object.append(decidedBy, forKey: "decidedBy")
        object.append(detail, forKey: "detail")
    }

    /// Returns the error's full name in `interface`.
    package static func name(in interface: Interface) -> String { interface.name(of: "PermissionDenied") }

    /// Returns the error in the form of a reply of `interface`.
    package func reply(in interface: Interface) -> VarlinkError {
        VarlinkError(name: PermissionDeniedError.name(in: interface), parameters: members)
    }
}
