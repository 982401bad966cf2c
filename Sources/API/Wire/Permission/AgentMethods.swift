import Permission
import Varlink

/// The methods of `io.sextant.Agent`.
package enum AgentMethods {
    /// Serves as an agent. Requires `more`.
    package static let serve = Method<NoParameters, ServeReply>("Serve", of: .agent)
    /// Answers a request.
    package static let answer = Method<AnswerParameters, NoParameters>("Answer", of: .agent)
}

/// A reply to `io.sextant.Agent.Serve`.
package struct ServeReply: Codable, Sendable, Equatable {
    /// A new request.
    package var request: AuthorizationRequestMessage?
    /// The number of a request that needs no answer any more.
    package var withdrawn: Int?

    /// Creates a reply.
    package init(request: AuthorizationRequestMessage? = nil, withdrawn: Int? = nil) {
        (self.request, self.withdrawn) = (request, withdrawn)
    }
}

/// The type `Request` of `io.sextant.Agent`.
package struct AuthorizationRequestMessage: Codable, Sendable, Equatable {
    /// The number of the request, for ``AgentMethods/answer``.
    package var number: Int
    /// The program in text form.
    package var program: String
    /// The identifier of a desktop program, Flatpak or snap. Absent for others.
    package var application: String?
    /// What the program needs: `whenInUse` or `always`.
    package var requirement: SessionRequirement
    /// The purpose that the program states, at most 255 bytes; not verified.
    package var purpose: String?
    /// Why the program wants the location, as it states, at most 255 bytes; not verified.
    package var usageDescription: String?

    /// Creates the message for a request.
    package init(_ request: AuthorizationRequest) {
        number = request.number
        program = request.program.description
        application = request.program.application
        requirement = request.requirement
        purpose = request.purpose
        usageDescription = request.usageDescription
    }
}

/// The parameters of `io.sextant.Agent.Answer`.
package struct AnswerParameters: Codable, Sendable, Equatable {
    /// The number of the request.
    package var number: Int
    /// What is allowed.
    package var authorization: AuthorizationChoice
    /// Absent: ``AccuracyAuthorization/full``.
    package var accuracy: AccuracyAuthorization?
    /// Whether the answer ends with the last session of the program. Absent: false.
    package var temporary: Bool?

    /// Creates the parameters of an answer.
    package init(
        number: Int, authorization: AuthorizationChoice, accuracy: AccuracyAuthorization? = nil, temporary: Bool? = nil
    ) {
        self.number = number
        self.authorization = authorization
        self.accuracy = accuracy
        self.temporary = temporary
    }
}

/// The errors of `io.sextant.Agent`.
package enum AgentError: Error, Equatable, Sendable {
    /// The program may not be an agent.
    case notAllowed(detail: String)
    /// The request is closed, or belongs to another user.
    case noSuchRequest(number: Int)

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        switch self {
        case .notAllowed(let detail):
            VarlinkError(name: Interface.agent.name(of: "NotAllowed"), parameters: ["detail": .string(detail)])
        case .noSuchRequest(let number):
            VarlinkError(name: Interface.agent.name(of: "NoSuchRequest"), parameters: ["number": .int(Int64(number))])
        }
    }
}
