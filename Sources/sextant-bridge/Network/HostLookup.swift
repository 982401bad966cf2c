import CLinux
import Glibc
import SettingsFiles
import SystemCalls
import Systemd

/// Looks up the addresses of a host in another process, so that the bridge does not wait for a name
/// server: `sextant-bridge lookup HOST` (``LookupCommand``).
///
/// The release of this object ends the process.
final class HostLookup {
    /// The numeric addresses of the host, at least one, or the reason why there is none.
    typealias Result = Swift.Result<[String], BridgeError>

    /// The maximum number of addresses.
    static let maxAddresses = 16
    /// The maximum length of the output in bytes.
    private static let maxOutput = 4096
    /// This program, also after a package has replaced its file.
    private static let program = "/proc/self/exe"

    private let host: String
    private let output: FileDescriptor
    private let handler: (Result) -> Void
    private var process: pid_t?
    private var source: IOSource?
    private var text: [UInt8] = []

    /// Starts the process.
    ///
    /// - Parameter handler: Called once. Captures its owner unowned or weakly.
    /// - Throws: `SystemError` if the process cannot be started.
    init(_ host: String, in loop: EventLoop, handler: @escaping (Result) -> Void) throws(SystemError) {
        self.host = host
        self.handler = handler
        var ends: [Int32] = [-1, -1]
        try systemCall("creating a pipe") { linux_pipe(&ends) }
        output = FileDescriptor(owning: ends[0])
        let input = FileDescriptor(owning: ends[1])
        let number = output.number
        process = try HostLookup.start(host, output: input.number)
        source = try loop.watch(number, for: .readable) { [weak self] _ in self?.read() }
    }

    deinit {
        source?.remove()
        end()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: HostLookup.maxOutput)
        let count = uninterrupted { Glibc.read(output.number, &buffer, buffer.count) }
        if count < 0, errno == EAGAIN { return }
        if count > 0 { text += buffer[..<count] }
        guard count <= 0 || text.count > HostLookup.maxOutput else { return }
        source?.remove()
        end()
        handler(result)
    }

    /// Ends the process. It has answered, or its answer is not needed any more.
    private func end() {
        guard let process else { return }
        self.process = nil
        kill(process, SIGKILL)
        var status: Int32 = 0
        uninterrupted { waitpid(process, &status, 0) }
    }

    /// The addresses of complete lines, or the reason that the process has printed.
    private var result: Result {
        let lines = String(decoding: text.prefix(HostLookup.maxOutput), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        let addresses = lines.filter { NetworkAddress.isNumeric($0) }.prefix(HostLookup.maxAddresses)
        guard addresses.isEmpty else { return .success(Array(addresses)) }
        return .failure(
            .unknownHost(host, reason: lines.first ?? "no answer within \(LookupCommand.limit) s"))
    }

    private static func start(_ host: String, output: Int32) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The event loop has blocked its signals.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = ["sextant-bridge", LookupCommand.name, "--", host]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, &attributes, &words, environ)
        guard code == 0 else { throw SystemError(code: code, operation: "starting a process that looks up \(host)") }
        return process
    }
}
