import Permission
import Varlink
import VarlinkClient
import Wire

/// Sends answers to the daemon on a separate connection: serving as an agent occupies its own.
struct AgentReplier {
    let daemon: DaemonOptions

    /// Sends an answer, and prints what was answered, or that the daemon needs no answer any more.
    ///
    /// - Returns: false if the daemon did not take the answer, so that it has to be given again.
    func send(_ answer: AgentAnswer, about asked: AuthorizationRequestMessage) throws(CommandError) -> Bool {
        let parameters = AnswerParameters(
            number: asked.number, authorization: answer.authorization,
            accuracy: answer.accuracy == .reduced ? .reduced : nil, temporary: answer.isTemporary ? true : nil)
        do throws(ClientError) {
            let client = try Client.connect(path: daemon.socket)
            _ = try client.call(AgentMethods.answer, with: parameters, timeout: .seconds(10))
        } catch {
            if case .failed(_, let reply) = error, reply.name == Interface.agent.error(named: "NoSuchRequest") {
                AgentText.printWithdrawn(asked)
                return true
            }
            AgentText.printRetry(asked, because: "the answer was not saved: \(CommandError(daemon: error))")
            return false
        }
        try StandardOutput.write(lines: ["\(asked.program): \(answer.displayText)"])
        return true
    }
}
