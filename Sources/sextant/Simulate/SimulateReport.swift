import Chronology
import Glibc
import ReceiverSimulator

/// Tells a person what the simulator is doing: the port on standard output, where a script can read it, the rest on standard error.
struct SimulateReport {
    /// Prints one event as a line.
    func tell(_ event: SimulatorSession.Event) {
        switch event {
        case .plugged(let path, let link):
            line(link.map { "\(path) \($0)" } ?? path, to: STDOUT_FILENO)
        case .unplugged: note("unplugged")
        case .began(let fault): note("\(fault.kind.rawValue) begins\(fault.duration.map { " for \($0.seconds) s" } ?? "")")
        case .ended(let fault): note("\(fault.kind.rawValue) is over")
        case .speed(let baud): note("the reader listens at \(baud.map(String.init) ?? "an unusual speed")")
        case .received(let bytes): note("the reader wrote \(bytes.count) bytes: \(printable(bytes))")
        }
    }

    private func note(_ text: String) {
        line("simulate: \(text)", to: STDERR_FILENO)
    }

    /// At once and past any buffer, for whoever waits for the path.
    private func line(_ text: String, to descriptor: Int32) {
        let bytes = Array("\(text)\n".utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    /// ASCII as it is, everything else as hexadecimal.
    private func printable(_ bytes: [UInt8]) -> String {
        bytes.prefix(64).map { (32..<127).contains($0) ? String(UnicodeScalar($0)) : "<\(String($0, radix: 16))>" }.joined()
    }
}
