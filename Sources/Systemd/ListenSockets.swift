import CLinux
import CSystemd
import Glibc
import SystemCalls

/// The sockets the service manager opened for this service and passed at start (socket activation, sd_listen_fds(3)).
public enum ListenSockets {
    /// Why what was passed cannot be used.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Several sockets were passed and none has the name asked for.
        case unnamed(wanted: String, passed: [String])
        /// The descriptor is not a listening Unix stream socket.
        case notListening(name: String)
        /// The list of what was passed could not be read.
        case system(SystemError)

        /// The failure in words, with the mend.
        public var description: String {
            switch self {
            case .unnamed(let wanted, let passed):
                "\(passed.count) sockets were passed (\(passed.joined(separator: ", "))), none named \(wanted): "
                    + "set FileDescriptorName=\(wanted) in the socket unit"
            case .notListening(let name):
                "the passed socket \(name) is not a listening Unix stream socket: use ListenStream= with a path in the socket unit"
            case .system(let error):
                "\(error)"
            }
        }
    }

    /// Takes the socket with that name, or the only one there is. Asks the environment once and clears it, so a second call finds none.
    ///
    /// - Returns: its descriptor, non-blocking and closed on exec; `nil` when the service was started without sockets.
    /// - Throws: ``Failure``.
    public static func take(named name: String) throws(Failure) -> FileDescriptor? {
        let names = try passedNames()
        guard !names.isEmpty else { return nil }
        guard let index = choose(name, among: names) else { throw .unnamed(wanted: name, passed: names) }
        let descriptor = SD_LISTEN_FDS_START + Int32(index)
        guard sd_is_socket(descriptor, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0 else { throw .notListening(name: names[index]) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return FileDescriptor(owning: descriptor)
    }

    /// The place of the name wanted, or of the only one.
    static func choose(_ wanted: String, among names: [String]) -> Int? {
        names.firstIndex(of: wanted) ?? (names.count == 1 ? 0 : nil)
    }

    private static func passedNames() throws(Failure) -> [String] {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count: Int32
        do throws(SystemError) {
            count = try checked(sd_listen_fds_with_names(1, &list), "reading the passed sockets")
        } catch { throw .system(error) }
        guard let list else { return [] }
        defer { free(list) }
        return (0..<Int(count)).map { index in
            guard let name = list[index] else { return "" }
            defer { free(name) }
            return String(cString: name)
        }
    }
}
