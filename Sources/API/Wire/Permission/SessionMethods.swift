import Permission
import Varlink

/// The methods of `io.sextant.Session`.
package enum SessionMethods {
    /// Declares what the program needs. Without `more`, the present diagnostics are the only reply.
    package static let declare = Method<DeclareParameters, DeclareReply>("Declare", of: .session)
    /// Begins a lease. Requires `more`.
    package static let keepActive = Method<NoParameters, KeepActiveReply>("KeepActive", of: .session)
    /// Returns the permission of the caller.
    package static let getAuthorization = Method<NoParameters, AuthorizationReply>("GetAuthorization", of: .session)
    /// Returns the permission of the caller and each change.
    package static let watchAuthorization = Method<NoParameters, AuthorizationReply>(
        "WatchAuthorization", of: .session)
    /// Makes the connection one of the program at the other end of a passed socket.
    package static let actFor = Method<NoParameters, NoParameters>("ActFor", of: .session)
}

extension Authorization: Codable {}
extension AuthorizationChoice: Codable {}
extension AccuracyAuthorization: Codable {}
extension SessionRequirement: Codable {}

/// The parameters of `io.sextant.Session.Declare`.
package struct DeclareParameters: Codable, Sendable, Equatable {
    /// What the session needs. Absent: ``SessionRequirement/whenInUse``.
    package var requirement: SessionRequirement?
    /// The purpose for which the session needs full accuracy.
    package var purpose: String?
    /// Why the program wants the location, for its user.
    package var usageDescription: String?

    /// Creates the parameters of a session.
    package init(requirement: SessionRequirement? = nil, purpose: String? = nil, usageDescription: String? = nil) {
        (self.requirement, self.purpose) = (requirement, purpose)
        self.usageDescription = usageDescription
    }
}

/// A reply to `io.sextant.Session.Declare`.
package struct DeclareReply: Codable, Sendable, Equatable {
    /// Why the session does not get what it needs.
    package var diagnostics: DiagnosticsMessage

    /// Creates a reply with diagnostics.
    package init(_ flags: PermissionFlags) { diagnostics = DiagnosticsMessage(flags) }
}

/// The type `Diagnostics` of `io.sextant.Session`. Each flag is true or absent.
package struct DiagnosticsMessage: Codable, Sendable, Equatable {
    /// See ``PermissionFlags/authorizationDenied``.
    package var authorizationDenied: Bool?
    /// See ``PermissionFlags/authorizationDeniedGlobally``.
    package var authorizationDeniedGlobally: Bool?
    /// See ``PermissionFlags/authorizationRestricted``.
    package var authorizationRestricted: Bool?
    /// See ``PermissionFlags/authorizationRequestInProgress``.
    package var authorizationRequestInProgress: Bool?
    /// See ``PermissionFlags/insufficientlyInUse``.
    package var insufficientlyInUse: Bool?
    /// See ``PermissionFlags/alwaysAuthorizationDenied``.
    package var alwaysAuthorizationDenied: Bool?
    /// See ``PermissionFlags/fullAccuracyDenied``.
    package var fullAccuracyDenied: Bool?

    /// Creates the message for flags.
    package init(_ flags: PermissionFlags) {
        authorizationDenied = flags.value(of: .authorizationDenied)
        authorizationDeniedGlobally = flags.value(of: .authorizationDeniedGlobally)
        authorizationRestricted = flags.value(of: .authorizationRestricted)
        authorizationRequestInProgress = flags.value(of: .authorizationRequestInProgress)
        insufficientlyInUse = flags.value(of: .insufficientlyInUse)
        alwaysAuthorizationDenied = flags.value(of: .alwaysAuthorizationDenied)
        fullAccuracyDenied = flags.value(of: .fullAccuracyDenied)
    }
}

/// A reply to `io.sextant.Session.KeepActive`.
package struct KeepActiveReply: Codable, Sendable, Equatable {
    /// Whether the program has the lease.
    package var held: Bool

    /// Creates a reply.
    package init(held: Bool) { self.held = held }
}

/// The reply to `io.sextant.Session.GetAuthorization` and `WatchAuthorization`.
package struct AuthorizationReply: Codable, Sendable, Equatable {
    /// The permission of the caller.
    package var permission: PermissionMessage

    /// Creates a reply with a permission.
    package init(_ permission: PermissionMessage) { self.permission = permission }
}

/// The type `Permission` of `io.sextant.Session`, and the reply to `io.sextant.Permission.Explain`.
package struct PermissionMessage: Codable, Sendable, Equatable, PermissionFlagsMessage {
    /// The program in text form.
    package var program: String
    /// What the program may know.
    package var authorization: Authorization
    /// The accuracy that it gets now.
    package var accuracy: AccuracyAuthorization
    /// What decided, as text.
    package var decidedBy: String
    /// Why the program gets no location or a reduced one, as text.
    package var detail: String?
    package var authorizationDenied: Bool?
    package var authorizationDeniedGlobally: Bool?
    package var authorizationRestricted: Bool?
    package var authorizationRequestInProgress: Bool?
    package var insufficientlyInUse: Bool?
    package var accuracyLimited: Bool?
    package var serviceSessionRequired: Bool?

    /// Creates the message for the verdict of a program.
    package init(_ verdict: PermissionVerdict, of program: ProgramID) {
        self.program = program.description
        authorization = verdict.authorization
        accuracy = verdict.accuracy
        decidedBy = verdict.decidedBy
        detail = verdict.detail(for: program)
        permission = verdict.flags
    }
}

/// The error `PermissionDenied` of `io.sextant.Location`, `io.sextant.Monitor` and
/// `io.sextant.Manager`.
package struct PermissionDeniedError: Codable, Sendable, Equatable {
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

    /// Returns the error's full name in `interface`.
    package static func name(in interface: Interface) -> String { interface.name(of: "PermissionDenied") }

    /// Returns the error in the form of a reply of `interface`.
    package func reply(in interface: Interface) -> VarlinkError {
        VarlinkError(
            name: PermissionDeniedError.name(in: interface),
            parameters: [
                "authorization": .string(authorization.rawValue), "decidedBy": .string(decidedBy),
                "detail": .string(detail),
            ])
    }
}

/// The error `io.sextant.Session.NotInUse`.
package struct NotInUseError: Codable, Sendable, Equatable {
    /// The error's full name.
    package static let name = Interface.session.name(of: "NotInUse")
    /// Why the program is not in use, and what to do.
    package var detail: String

    /// Creates the error.
    package init(detail: String) { self.detail = detail }

    /// The error in the form of a reply.
    package var reply: VarlinkError { VarlinkError(name: NotInUseError.name, parameters: ["detail": .string(detail)]) }
}

/// The error `io.sextant.Session.NotAllowed`.
package struct ActingNotAllowedError: Codable, Sendable, Equatable {
    /// The error's full name.
    package static let name = Interface.session.name(of: "NotAllowed")
    /// Who may do this, or what else may be done.
    package var detail: String

    /// Creates the error.
    package init(detail: String) { self.detail = detail }

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        VarlinkError(name: ActingNotAllowedError.name, parameters: ["detail": .string(detail)])
    }
}

/// The error `io.sextant.Session.UnknownClient`.
package struct UnknownClientError: Codable, Sendable, Equatable {
    /// The error's full name.
    package static let name = Interface.session.name(of: "UnknownClient")
    /// What is missing.
    package var detail: String

    /// Creates the error.
    package init(detail: String) { self.detail = detail }

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        VarlinkError(name: UnknownClientError.name, parameters: ["detail": .string(detail)])
    }
}
