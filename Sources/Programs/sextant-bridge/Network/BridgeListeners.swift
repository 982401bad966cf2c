import Glibc
import ServiceRuntime
import SystemCalls

/// The listening sockets of a bridge.
enum BridgeListeners {
    /// The listening sockets among those of the service manager.
    static func listening(_ sockets: [ListenSockets.Passed]) -> [StreamListener] {
        sockets.filter(\.isListening).map { StreamListener(adopting: FileDescriptor(owning: $0.descriptor)) }
    }

    /// All stream sockets of the service manager, with the connections of an earlier process.
    static func claim() throws(BridgeError) -> [ListenSockets.Passed] {
        do { return try ListenSockets.claimStreams() } catch { throw .passedSockets(error) }
    }

    /// Sockets at all addresses. `localhost` is both addresses of the host.
    static func allTCP(_ addresses: [String]) throws(BridgeError) -> [StreamListener] {
        var listeners: [StreamListener] = []
        for address in addresses {
            guard address.hasPrefix("localhost:") else {
                listeners.append(try tcp(address))
                continue
            }
            let port = address.dropFirst("localhost:".count)
            listeners += try availableTCP(["127.0.0.1:\(port)", "[::1]:\(port)"])
        }
        return listeners
    }

    /// Sockets at those addresses whose family the host has: IPv6 may be off.
    static func availableTCP(_ addresses: [String]) throws(BridgeError) -> [StreamListener] {
        var listeners: [StreamListener] = []
        var missing: BridgeError?
        for address in addresses {
            do throws(BridgeError) {
                listeners.append(try tcp(address))
            } catch {
                guard case .listening(_, let reason) = error, [EAFNOSUPPORT, EADDRNOTAVAIL].contains(reason.code) else {
                    throw error
                }
                missing = error
            }
        }
        if listeners.isEmpty, let missing { throw missing }
        return listeners
    }

    /// A Unix socket at a path, for all users. A wrong path gets an error instead of a directory.
    static func unix(_ path: String) throws(BridgeError) -> StreamListener {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard stat(directory, &status) == 0 else {
            throw .missingDirectory(directory, SystemError(code: errno, operation: "creating the socket \(path)"))
        }
        do throws(ListenerError) { return try StreamListener(path: path) } catch { throw .unixSocket(error) }
    }

    private static func tcp(_ address: String) throws(BridgeError) -> StreamListener {
        let parsed = try NetworkAddress(address)
        do throws(SystemError) {
            return StreamListener(adopting: try parsed.listen())
        } catch { throw .listening(address: address, error) }
    }
}
