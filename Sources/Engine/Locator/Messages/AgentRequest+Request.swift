import Permission
import SextantAPI

extension AgentRequest {
    /// Creates the message for a request.
    package init(_ request: AuthorizationRequest) {
        self.init(
            number: request.number, program: request.program.description, application: request.program.application,
            requirement: request.requirement, purpose: request.purpose, usageDescription: request.usageDescription)
    }
}
