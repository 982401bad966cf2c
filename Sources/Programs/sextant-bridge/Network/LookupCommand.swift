import CLinux
import Glibc
import ServiceRuntime

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
