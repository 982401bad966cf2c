/// What a virtual receiver does with what is written to it; raw values are the names on the command line.
public enum CommandManner: String, Sendable, CaseIterable {
    /// Does it, and answers as its make does.
    case obey
    /// Hears nothing: the wire to it is not connected.
    case ignore
    /// Does it, and never answers.
    case mute
}
