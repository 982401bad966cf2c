import Glibc
import TestSupport
import Testing

/// Client programs in another language that share only the protocol with the daemon.
enum Foreign {
    private static let scripts = [
        "connections.py": PackageResources.connections_py, "with_varlink.py": PackageResources.with_varlink_py,
        "with_asyncvarlink.py": PackageResources.with_asyncvarlink_py, "other_user.py": PackageResources.other_user_py,
        "permissions.py": PackageResources.permissions_py, "ended_process.py": PackageResources.ended_process_py,
        "acting.py": PackageResources.acting_py, "granted_user.py": PackageResources.granted_user_py,
        "watching_user.py": PackageResources.watching_user_py,
    ]

    /// The interpreter with the packages of the foreign clients, prepared by `make setup-test`; nil
    /// if missing.
    static var interpreter: String? {
        if let named = getenv("SEXTANT_PYTHON") { return String(cString: named) }
        guard let products = try? Programs.directory() else { return nil }
        // The environment is beside the build products: .build/venv for both
        // .build/x86_64-unknown-linux-gnu/debug and .build/debug.
        let parts = products.split(separator: "/")
        for count in [1, 2] {
            let path = parts.dropLast(count).reduce("") { "\($0)/\($1)" } + "/venv/bin/python"
            if access(path, X_OK) == 0 { return path }
        }
        return nil
    }

    private static let systemInterpreter = "/usr/bin/python3"

    /// Whether the system interpreter can run as another user.
    static var runsAsOtherUser: Bool {
        let words = OtherUser.prefix + [systemInterpreter, "-c", "pass"]
        guard let scratch = try? Scratch(), let child = try? ChildProcess(words, record: scratch("log")) else {
            return false
        }
        return (try? child.waitForEnd()) == .code(0)
    }

    /// Starts a script with the system interpreter as another user, or with ``interpreter`` as this
    /// user.
    static func run(_ name: String, _ arguments: [String], asOtherUser: Bool = false, _ scratch: Scratch) throws
        -> ChildProcess
    {
        guard let script = scripts[name] else { throw TestFailure("there is no script \(name)") }
        try scratch.write(String(decoding: script, as: UTF8.self), to: name)
        let start = asOtherUser ? OtherUser.prefix + [systemInterpreter] : [interpreter ?? "python3"]
        return try ChildProcess(start + [scratch(name)] + arguments, record: scratch("\(name).log"))
    }
}
