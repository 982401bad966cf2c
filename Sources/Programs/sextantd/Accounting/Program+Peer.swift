import Glibc
import Permission
import Receivers
import ServiceRuntime
import SystemCalls
import Varlink

extension Program {
    /// The kernel limits a process name to 15 bytes (proc(5), TASK_COMM_LEN), followed by a line
    /// end.
    private static let maxNameLength = 16

    /// Creates a program from the peer of a socket. The name is "" if it may not be read.
    init(_ peer: PeerCredentials) {
        self.init(user: peer.user, unit: ProgramID(of: peer).unit, name: Program.name(of: peer.process))
    }

    /// Creates a program from the owner of monitors, which need not be running.
    init(_ owner: ProgramID) {
        self.init(user: owner.user, unit: owner.unit, name: "")
    }

    private static func name(of process: Int32) -> String {
        let number = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return "" }
        let file = FileDescriptor(owning: number)
        return withUnsafeTemporaryAllocation(byteCount: maxNameLength, alignment: 1) { bytes in
            let count = uninterrupted { read(file.number, bytes.baseAddress, bytes.count) }
            return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}

extension ProgramID {
    /// Creates the identity of the program at the other end of a socket.
    init(of peer: PeerCredentials) {
        self.init(user: peer.user, unit: peer.unit, userUnit: peer.userUnit)
    }

    /// Returns the namespace of the program that a client names with `application`; `nil` if it
    /// names none.
    func namespace(_ application: String?) throws(VarlinkError) -> ProgramID? {
        guard let application else { return nil }
        guard let namespace = with(namespace: application) else { throw ServiceError.invalid("application") }
        return namespace
    }
}
