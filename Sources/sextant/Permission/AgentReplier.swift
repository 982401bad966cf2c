import Permission
import Varlink
import Wire

/// Sends answers to the daemon on a separate connection: serving as an agent occupies its own.
struct AgentReplier {
    let daemon: DaemonOptions

    /// Sends an answer, and prints what was answered. If the daemon needs no answer any more or is
    /// unavailable, prints that: it asks again if necessary.
    func send(_ answer: AgentAnswer, about asked: AuthorizationRequestMessage) throws(CommandError) {
        let parameters = AnswerParameters(
            number: asked.number, authorization: answer.authorization,
            accuracy: answer.accuracy == .reduced ? .reduced : nil, temporary: answer.isTemporary ? true : nil)
        do throws(ClientError) {
            let client = try Client.connect(path: daemon.socket)
            _ = try client.call(AgentMethods.answer, with: parameters, timeout: .seconds(10))
        } catch {
            guard case .failed(_, let reply) = error else {
                return StandardError.line("sextant: the answer about \(asked.program) was not sent: \(error)")
            }
            guard reply.name == Interface.agent.error(named: "NoSuchRequest") else {
                throw CommandError(daemon: error)
            }
            return AgentText.printWithdrawn(asked)
        }
        try StandardOutput.write(lines: ["\(asked.program): \(answer.displayText)"])
    }
}
