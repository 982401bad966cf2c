import CLinux
import Glibc
import SystemCalls

/// A pseudo-terminal: the test is the receiver at the master end, and the port under test opens the
/// slave end.
final class PseudoTerminal {
    let path: String
    private var master: FileDescriptor?

    init() throws {
        var ends: [Int32] = [-1, -1]
        var name = [CChar](repeating: 0, count: 128)
        try systemCall("making a pseudo-terminal") {
            ends.withUnsafeMutableBufferPointer { ends in
                name.withUnsafeMutableBufferPointer { openpty(&ends[0], &ends[1], $0.baseAddress, nil, nil) }
            }
        }
        master = FileDescriptor(owning: ends[0])
        _ = close(ends[1])
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The descriptor of the master end; -1 after ``unplug()``.
    var number: Int32 { master?.number ?? -1 }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(number, bytes, bytes.count)
    }

    func receive() -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(number, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    var settings: termios {
        var settings = termios()
        _ = tcgetattr(number, &settings)
        return settings
    }

    /// Hangs up the slave end, as an unplugged device does.
    func unplug() { master = nil }
}
