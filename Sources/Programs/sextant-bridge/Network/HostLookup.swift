import CLinux
import Glibc
import ServiceRuntime
import SystemCalls

/// Looks up the addresses of a host in another process, so that the bridge does not wait for a name
/// server: `sextant-bridge lookup HOST` (``LookupCommand``).
///
/// The release of this object ends the process.
final class HostLookup {
    /// The numeric addresses of the host, at least one, or the reason why there is none.
    typealias Result = Swift.Result<[String], BridgeError>

    static let maxAddresses = 16
    /// The maximum length of the output in bytes.
    private static let maxOutput = 4096
    /// This program, also after a package has replaced its file.
    private static let program = "/proc/self/exe"

    private let host: String
    private let output: FileDescriptor
    private let handler: (Result) -> Void
    private var process: SpawnedProcess?
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
        process = try SpawnedProcess(
            HostLookup.program, ["sextant-bridge", LookupCommand.name, "--", host],
            descriptors: [(input.number, STDOUT_FILENO)])
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
        kill(process.id, SIGKILL)
        _ = process.end(waiting: true)
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
}

/// `sextant-bridge lookup HOST`: prints the numeric addresses of a host, or the reason why there is
/// none. ``HostLookup`` runs it; it is not listed.
struct LookupCommand: ProgramRole {
    static let name = "lookup"
    /// The time in seconds after which a signal ends the process.
    static let limit: UInt32 = 15

    private var host = ""

    mutating func set(_ option: String, to value: String) {}

    mutating func set(operands: [String]) throws(UsageError) {
        guard operands.count == 1 else { throw UsageError(message: "lookup needs the name of a host") }
        host = operands[0]
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: name, isListed: false, usage: "HOST",
        abstract: "Print the numeric addresses of a host.", discussion: "", entries: [])

    func run() -> CInt {
        alarm(LookupCommand.limit)
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &found)
        guard code == 0 else {
            print(String(cString: gai_strerror(code)))
            return 0
        }
        defer { freeaddrinfo(found) }
        var next = found
        for _ in 0..<HostLookup.maxAddresses {
            guard let entry = next?.pointee else { break }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            {
                print(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = entry.ai_next
        }
        return 0
    }
}
