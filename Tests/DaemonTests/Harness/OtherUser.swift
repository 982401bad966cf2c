import Glibc
import TestSupport

/// Runs programs as an unprivileged user: 65534, "nobody".
enum OtherUser {
    static let id: UInt32 = 65_534

    /// Returns the command that starts a program under test as that user; nil if that is not
    /// possible.
    ///
    /// The program is copied because other users may not have access to the build directory.
    static func command(for program: String, in scratch: Scratch) throws -> [String]? {
        guard getuid() == 0 else { return nil }
        let copy = scratch(program)
        let copying = try ChildProcess(["cp", Programs.path(of: program), copy], record: scratch("cp.log"))
        guard try copying.waitForEnd() == .code(0) else { throw TestFailure(copying.output) }
        let words = prefix + [copy]
        let trial = try ChildProcess(words + ["--version"], record: scratch("trial.log"))
        return try trial.waitForEnd() == .code(0) ? words : nil
    }

    static func canRun(_ program: String) -> Bool {
        guard let scratch = try? Scratch() else { return false }
        return (try? command(for: program, in: scratch)) != nil
    }

    /// The command prefix that starts a program as that user.
    static let prefix = ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"]
}
