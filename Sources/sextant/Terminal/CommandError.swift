import Glibc

/// What a person is told when a command cannot do its work: the thing, the reason and, where one is known, the mend.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    let exitCode: ExitStatus

    init(_ description: String, _ exitCode: ExitStatus = .failure) {
        self.description = description
        self.exitCode = exitCode
    }

    /// A system call that failed while doing something.
    static func system(_ doing: String, _ code: Int32) -> CommandError {
        CommandError("\(doing): \(String(cString: strerror(code)))", code == ENOENT || code == EACCES ? .noInput : .failure)
    }
}

/// What the commands end with; the numbers above 63 are sysexits(3)'s.
enum ExitStatus: Int32 {
    /// It worked.
    case success = 0
    /// It did not, and the reason was printed.
    case failure = 1
    /// There is no position, no receiver, or doctor found something.
    case nothing = 2
    /// The command line is wrong.
    case usage = 64
    /// A file cannot be read.
    case noInput = 66
    /// The daemon cannot be reached.
    case unavailable = 69
}
