/// How a simulated receiver handles commands. Raw values are the command-line names.
package enum CommandBehavior: String, Sendable, CaseIterable {
    /// Executes commands and sends the responses of its chip family.
    case normal = "obey"
    /// Ignores all input, as if the line to it were not connected.
    case ignore
    /// Executes commands and sends no responses.
    case silent = "mute"
}
