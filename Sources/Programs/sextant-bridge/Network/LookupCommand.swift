import ArgumentParser
import CLinux
import Glibc

/// `sextant-bridge lookup HOST`: prints the numeric addresses of a host, or the reason why there is
/// none. ``HostLookup`` runs it; it is not listed.
struct LookupCommand: ParsableCommand {
    static let name = "lookup"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Print the numeric addresses of a host.", shouldDisplay: false)
    /// The time in seconds after which a signal ends the process.
    static let limit: UInt32 = 15

    @Argument(help: "The name of the host.")
    var host: String

    func run() {
        alarm(LookupCommand.limit)
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &found)
        guard code == 0 else { return print(String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(found) }
        var next = found
        for _ in 0..<HostLookup.maxAddresses {
            guard let entry = next?.pointee else { return }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            {
                print(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = entry.ai_next
        }
    }
}
