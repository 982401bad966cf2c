/// What the commands end with; the numbers above 63 are sysexits(3)'s.
enum ExitStatus: Int32, CaseIterable {
    /// It worked.
    case success = 0
    /// It did not, and the reason was printed.
    case failure = 1
    /// There is no position, no receiver, no such fence, or doctor found something.
    case nothing = 2
    /// The command line is wrong.
    case usage = 64
    /// A file or a port cannot be read.
    case noInput = 66
    /// The daemon cannot be reached.
    case unavailable = 69

    /// One line for the manual.
    var meaning: String {
        switch self {
        case .success: "it worked"
        case .failure: "it did not; the reason was printed"
        case .nothing: "no position, no receiver, no such fence, or doctor found something"
        case .usage: "the command line is wrong"
        case .noInput: "a file or port cannot be read"
        case .unavailable: "the daemon cannot be reached"
        }
    }
}
