import Glibc
import ServiceRuntime
import Settings
import SystemCalls

/// Why a bridge cannot start.
enum BridgeError: Error, CustomStringConvertible {
    /// The text is not an address with a port.
    case invalidAddress(String)
    /// The text is not a host with a port.
    case invalidHost(String)
    /// The bridge cannot accept connections at an address.
    case listening(address: String, SystemError)
    /// The bridge cannot receive datagrams at an address.
    case receiving(NetworkAddress, SystemError)
    /// The bridge cannot accept connections at the path of a Unix socket.
    case unixSocket(ListenerError)
    /// The directory of a Unix socket does not exist or cannot be searched.
    case missingDirectory(String, SystemError)
    /// The sockets of the service manager cannot be used.
    case passedSockets(ListenSockets.Failure)
    /// A configuration file is invalid.
    case configuration(ConfigurationError)
    /// A section of the configuration is missing.
    case missingSection(String, file: String?)
    /// A file has no usable password.
    case invalidPassword(path: String, reason: String)
    /// The name of a host has no address, with the reason.
    case unknownHost(String, reason: String)
    /// Another system call failed.
    case system(SystemError)

    /// The reason and how to fix it.
    var description: String {
        switch self {
        case .invalidAddress(let text):
            "\(text) is not an address: use a numeric address and a port, such as 127.0.0.1:2947 or [::1]:2947"
        case .invalidHost(let text):
            "\(text) is not a host with a port: use a name or an address and a port, such as gps.example:2947"
        case .listening(let address, let error) where error.code == EADDRINUSE:
            "another program uses \(address), probably gpsd: stop it with \"systemctl disable --now gpsd.socket "
                + "gpsd.service\", or choose another port with --listen or --tcp"
        case .listening(let address, let error) where error.code == EACCES:
            "accepting connections at \(address): ports below 1024 need root; choose another port"
        case .listening(_, let error): "\(error)"
        case .receiving(let address, let error) where error.code == EADDRINUSE:
            "another program receives at \(address.text): find it with \"ss -lunp\" and stop it, or choose another "
                + "port with --udp-listen"
        case .receiving(_, let error) where error.code == EADDRNOTAVAIL:
            "\(error): no interface has this address; list those of this device with \"ip address\""
        case .receiving(_, let error): "\(error)"
        case .unixSocket(let error): error.description(option: "--unix")
        case .missingDirectory(let directory, let error) where error.code == ENOENT:
            "\(error.operation): there is no directory \(directory); create it, or choose another path with --unix"
        case .missingDirectory(let directory, let error): "\(error.operation): \(directory): \(error.reason)"
        case .passedSockets(let error): "\(error)"
        case .configuration(let error): "\(error)"
        case .missingSection(let name, let file):
            "there is no section [\(name)] with something to do in "
                + "\(file ?? "/etc/sextant/sextant.toml and /etc/sextant/conf.d"); see sextant.toml(5)"
        case .invalidPassword(let path, let reason): "the password in \(path) is not used: \(reason)"
        case .unknownHost(let name, let reason): "looking up \(name): \(reason)"
        case .system(let error): "\(error)"
        }
    }

    /// The exit status: EX_USAGE of sysexits(3) for an address of the command line, EX_CONFIG for
    /// an invalid configuration, on which the units do not start again.
    var exitCode: Int32 {
        switch self {
        case .invalidAddress, .invalidHost: 64
        case .configuration, .missingSection: 78
        default: 1
        }
    }
}
