import CLinux
import Chronology
import Glibc
import SystemCalls

/// Checks the configuration of the installed daemon by `sextantd --check-config`: the program that
/// will read the files is the one that can judge them.
struct ConfigurationCheck {
    /// The files that the running daemon has read; empty if it does not run.
    let files: [String]
    /// The user who runs the command.
    let user: String
    /// The directory of the unit's own files.
    var directory = "/etc/sextant"
    /// The daemon that checks the files; nil if it is not installed.
    var program = ConfigurationCheck.installedProgram

    /// The time allowed for the check.
    private static let timeout = Instant.Span.seconds(5)
    /// EX_CONFIG of sysexits(3), with which the daemon reports an invalid file.
    private static let invalid: Int32 = 78

    func run() -> Observations.Configuration {
        // The unit's own files, unless the daemon was started with another one.
        let other = files.first { !$0.hasPrefix(directory + "/") }
        let checkedFiles = other.map { [$0] } ?? standardFiles
        let needed = checkedFiles + (other == nil ? [dropIns] : [])
        if let path = needed.first(where: isUnreadable) {
            return .unknown(reason: "\(user) cannot read \(path); run this command as root")
        }
        guard let program else { return .unknown(reason: "sextantd is not installed") }
        let arguments = [program, "--check-config"] + (other.map { ["--config", $0] } ?? [])
        guard let (status, output) = ConfigurationCheck.run(arguments) else {
            return .unknown(reason: "\(program) cannot be run")
        }
        switch status {
        case 0: return .valid(files: checkedFiles)
        case ConfigurationCheck.invalid:
            return ConfigurationProblem(parsing: output).map { .invalid($0) } ?? .unknown(reason: output)
        default: return .unknown(reason: "\(program) --check-config failed")
        }
    }

    private func isUnreadable(_ path: String) -> Bool { access(path, F_OK) == 0 && access(path, R_OK) != 0 }

    /// The directory of the files that the daemon reads after its main file.
    private var dropIns: String { "\(directory)/conf.d" }

    /// The unit's own files that exist, in the order in which the daemon reads them.
    private var standardFiles: [String] {
        let main = "\(directory)/sextant.toml"
        let files = access(main, F_OK) == 0 ? [main] : []
        let names = (try? Directory.names(in: dropIns)) ?? []
        return files + names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.map { "\(dropIns)/\($0)" }
    }

    /// The daemon beside this program, else the installed one.
    private static var installedProgram: String? {
        let own = SystemFile.target(of: "/proc/self/exe") ?? ""
        let folder = own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        return [folder, "/usr/bin", "/usr/local/bin"].map { $0 + "/sextantd" }.first { access($0, X_OK) == 0 }
    }

    /// Runs a program and returns its exit status and its standard error.
    private static func run(_ arguments: [String]) -> (status: Int32, output: String)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let input = FileDescriptor(owning: ends[0])
        let output = FileDescriptor(owning: ends[1])
        let null = FileDescriptor(owning: open("/dev/null", O_RDWR | O_CLOEXEC))
        let descriptors = [
            (null.number, STDIN_FILENO), (null.number, STDOUT_FILENO), (output.number, STDERR_FILENO),
        ]
        guard let process = try? SpawnedProcess(arguments[0], arguments, descriptors: descriptors) else { return nil }
        _ = consume output
        let text = read(all: input.number)
        if text == nil { kill(process.id, SIGKILL) }
        guard case .exited(let status)? = process.end(waiting: true), let text else { return nil }
        return (status, text)
    }

    /// Reads until the program ends; nil after the time limit.
    private static func read(all input: Int32) -> String? {
        let end = HostClock.now + timeout
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while HostClock.now < end {
            guard let ready = try? Poller.readable([input], until: end), !ready.isEmpty else { break }
            let count = uninterrupted { Glibc.read(input, &buffer, buffer.count) }
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += buffer.prefix(count)
        }
        return nil
    }
}
