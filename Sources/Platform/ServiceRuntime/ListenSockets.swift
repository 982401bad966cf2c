import CLinux
import CSystemd
import Glibc
import SystemCalls

/// The sockets that the service manager opened and passed to this service at start (socket
/// activation, sd_listen_fds(3)).
package enum ListenSockets {
    /// Why the passed sockets cannot be used.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Several sockets were passed, and none has the requested name.
        case noMatchingName(wanted: String, passed: [String])
        /// The descriptor is not a listening stream socket, or not one of the expected family.
        case notListening(name: String)
        /// The list of passed sockets cannot be read.
        case system(SystemError)

        /// The reason and how to fix it.
        package var description: String {
            switch self {
            case .noMatchingName(let wanted, let passed):
                "the service manager passed \(passed.count) sockets (\(passed.joined(separator: ", "))), none named "
                    + "\(wanted): set FileDescriptorName=\(wanted) in the socket unit"
            case .notListening(let name):
                "the passed socket \(name) is not a listening stream socket of the expected family: use "
                    + "ListenStream= in the socket unit, for sextantd with a path"
            case .system(let error):
                "\(error)"
            }
        }
    }

    /// Takes the socket with the given name, or the only socket. Reads the environment once and
    /// clears it, so a second call returns `nil`.
    ///
    /// - Returns: The socket's descriptor, non-blocking and close-on-exec; `nil` if the service was
    ///   started without sockets.
    /// - Throws: ``Failure``.
    package static func claim(named name: String) throws(Failure) -> FileDescriptor? {
        let names = try passedNames()
        guard !names.isEmpty else { return nil }
        guard let index = index(of: name, among: names) else { throw .noMatchingName(wanted: name, passed: names) }
        let descriptor = SD_LISTEN_FDS_START + Int32(index)
        guard sd_is_socket(descriptor, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0 else {
            throw .notListening(name: names[index])
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return FileDescriptor(owning: descriptor)
    }

    /// A stream socket that the service manager passed.
    package struct Passed {
        /// The descriptor, non-blocking and close-on-exec. The caller closes it.
        package let descriptor: Int32
        /// The name of the socket, or of a stored descriptor (``ServiceManager/store(_:name:)``).
        package let name: String
        /// Whether it accepts connections; otherwise it is one.
        package let isListening: Bool
    }

    /// Takes all stream sockets, of any address family. Reads the environment once and clears it,
    /// so a second call returns none.
    ///
    /// - Throws: ``Failure``.
    package static func claimStreams() throws(Failure) -> [Passed] {
        var sockets: [Passed] = []
        for (index, name) in try passedNames().enumerated() {
            let descriptor = SD_LISTEN_FDS_START + Int32(index)
            guard sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_STREAM.rawValue), -1) > 0 else {
                throw .notListening(name: name)
            }
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            let isListening = sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_STREAM.rawValue), 1) > 0
            sockets.append(Passed(descriptor: descriptor, name: name, isListening: isListening))
        }
        return sockets
    }

    /// Returns the index of the requested name, or of the only name; nil if neither exists.
    static func index(of wanted: String, among names: [String]) -> Int? {
        names.firstIndex(of: wanted) ?? (names.count == 1 ? 0 : nil)
    }

    private static func passedNames() throws(Failure) -> [String] {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count: Int32
        do throws(SystemError) {
            count = try throwingOnError(
                sd_listen_fds_with_names(1, &list), operation: "reading the list of passed sockets")
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
