import Glibc

/// Programs as a user without rights: 65534, "nobody".
enum OtherUser {
    static let id: UInt32 = 65_534

    /// The words that start a program under test as that user; nil where that is not possible.
    ///
    /// The program is copied, for the build directory may be closed to others.
    static func command(for program: String, in scratch: Scratch) throws -> [String]? {
        guard getuid() == 0 else { return nil }
        let copy = scratch(program)
        let copying = try ChildProcess(["cp", Programs.path(of: program), copy], record: scratch("cp.log"))
        guard try copying.waitForEnd() == .code(0) else { throw Disappointment(copying.output) }
        let words = prefix + [copy]
        let trial = try ChildProcess(words + ["--version"], record: scratch("trial.log"))
        return try trial.waitForEnd() == .code(0) ? words : nil
    }

    /// Whether that can be done.
    static func canRun(_ program: String) -> Bool {
        guard let scratch = try? Scratch() else { return false }
        return (try? command(for: program, in: scratch)) != nil
    }

    /// Starts the words that follow as that user.
    static let prefix = ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"]
}
