import Permission
import SextantAPI

extension Permission {
    /// Creates the message for the verdict of a program.
    package init(_ verdict: PermissionVerdict, of program: ProgramID) {
        self.init(
            program: program.description, authorization: verdict.authorization, accuracy: verdict.accuracy,
            decidedBy: verdict.decidedBy, detail: verdict.detail(for: program), permission: verdict.flags)
    }
}

extension DeclareReply {
    /// Creates a reply with diagnostics.
    package init(_ flags: PermissionFlags) { self.init(diagnostics: SessionDiagnostics(permission: flags)) }
}

extension PermissionDeniedError {
    /// Creates the error for the verdict of a program.
    ///
    /// - Parameter need: What the call needs, if the program is not limited otherwise.
    package init(_ verdict: PermissionVerdict, of program: ProgramID, needs need: String = "the full location") {
        self.init(
            authorization: verdict.authorization, decidedBy: verdict.decidedBy,
            detail: verdict.detail(for: program) ?? "this needs \(need)")
    }
}
