import Glibc
import SystemCalls

/// What a program does with its command line. A program with several roles takes one of them as
/// first argument.
package protocol ProgramRole {
    static var table: OptionTable { get }

    init()

    /// Sets an option of the table; the value is empty if it has none.
    mutating func set(_ option: String, to value: String) throws(UsageError)
    /// Sets the arguments that are no options. By default there are none.
    mutating func set(operands: [String]) throws(UsageError)
    /// Checks what options need together.
    func validate() throws(UsageError)
    /// Does the work and returns the exit status.
    func run() throws -> CInt
}

extension ProgramRole {
    package mutating func set(operands: [String]) throws(UsageError) {
        if let first = operands.first { throw UsageError(message: "unexpected argument '\(first)'") }
    }

    package func validate() throws(UsageError) {}

    fileprivate static func run(version: String) throws -> CInt {
        var role = Self()
        let request = try table.read(version: version) { (option, value) throws(UsageError) in
            try role.set(option, to: value)
        }
        switch request {
        case .show(let text):
            print(text, terminator: "")
            return 0
        case .run(let operands):
            try role.set(operands: operands)
            try role.validate()
            return try role.run()
        }
    }
}

/// The start of a program that reads its options with an ``OptionTable``.
package struct RoleProgram {
    private let roles: [any ProgramRole.Type]
    private let abstract: String
    private let version: String

    /// - Parameters:
    ///   - roles: One role without a name, or several with names.
    ///   - abstract: What the program is for, in one sentence.
    package init(_ roles: [any ProgramRole.Type], abstract: String, version: String) {
        self.roles = roles
        self.abstract = abstract
        self.version = version
    }

    /// Runs the role that the command line names and ends the process.
    ///
    /// A command line that is not valid ends it with EX_USAGE of sysexits(3), another error with
    /// the status of `exitCode`.
    package func run(exitCode: (any Error) -> CInt = { _ in 1 }) -> Never {
        StandardDescriptors.openMissing()
        let first = CommandLine.arguments.dropFirst().first ?? ""
        let tables = roles.map { $0.table }
        let role = roles.first { $0.table.role == nil || $0.table.role == first }
        let log = ProgramLog(name: tables.first?.program ?? "")
        do {
            if first == "--generate-completion-script" {
                let shell = CommandLine.arguments.dropFirst(2).first ?? ""
                guard let script = ShellCompletion(tables.filter(\.isListed)).script(for: shell) else {
                    throw UsageError(message: "\(first) needs bash, zsh or fish")
                }
                print(script, terminator: "")
                exit(0)
            }
            if let role { exit(try role.run(version: version)) }
            print(try text(first, tables), terminator: "")
            exit(0)
        } catch let error as UsageError {
            log.write(error.message, priority: .error)
            log.write(role?.table.hint ?? "see '\(tables.first?.program ?? "") --help'", priority: .error)
            exit(UsageError.exitCode)
        } catch {
            log.write("\(error)", priority: .error)
            exit(exitCode(error))
        }
    }

    /// The text that a program with several roles prints without one.
    private func text(_ first: String, _ tables: [OptionTable]) throws(UsageError) -> String {
        switch first {
        case "--version": return version + "\n"
        case "--help", "-h", "help":
            let listed = tables.filter(\.isListed)
            let program = listed.first?.program ?? ""
            var lines = ["Usage: \(program) ROLE [options]", "", abstract, "", "Roles:"]
            for table in listed { lines += OptionTable.row(table.role ?? "", table.abstract) }
            lines += ["", "See '\(program) ROLE --help' for the options of a role."]
            return lines.joined(separator: "\n") + "\n"
        case "": throw UsageError(message: "the first argument must be a role")
        default: throw UsageError(message: "there is no role '\(first)'")
        }
    }
}
