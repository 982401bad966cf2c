import Glibc
import SystemCalls

/// What a person is told when a command cannot do its work: the thing, the reason and, where one is known, the mend.
struct CommandError: Error, Equatable, CustomStringConvertible {
    let description: String
    let exitStatus: ExitStatus

    init(_ description: String, _ exitStatus: ExitStatus = .failure) {
        self.description = description
        self.exitStatus = exitStatus
    }

    /// A system call that failed while doing something.
    static func system(_ doing: String, _ code: Int32) -> CommandError {
        CommandError("\(doing): \(String(cString: strerror(code)))", code == ENOENT || code == EACCES ? .noInput : .failure)
    }

    /// See ``system(_:_:)``.
    init(_ error: SystemError) {
        self = .system(error.doing, error.code)
    }

    /// "sextant: ..." on standard error.
    func report() {
        StandardError.line("sextant: \(description)")
    }
}
