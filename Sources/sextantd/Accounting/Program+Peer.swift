import Glibc
import Receivers
import SystemCalls
import Systemd

extension Program {
    /// The kernel gives a process's name 15 bytes (proc(5), TASK_COMM_LEN); a line end follows.
    private static let longestName = 16

    /// Who is at the other end of a socket. The name is read where it may be, and is "" elsewhere.
    init(_ peer: PeerCredentials) {
        self.init(user: peer.user, unit: peer.userUnit ?? peer.unit, name: Program.name(of: peer.process))
    }

    /// Whose monitors are watched, whether it runs or not.
    init(_ owner: MonitorOwner) {
        let words = owner.description.split(separator: ":")
        self.init(user: owner.user, unit: words.count > 1 ? words.last.map(String.init) : nil, name: "")
    }

    private static func name(of process: Int32) -> String {
        let number = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return "" }
        let file = FileDescriptor(owning: number)
        return withUnsafeTemporaryAllocation(byteCount: longestName, alignment: 1) { bytes in
            let count = read(file.number, bytes.baseAddress, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}
