import Chronology
import Glibc
import ReceiverSimulator

/// Tells a person what the simulator is doing: the port on standard output, where a script can read it, the rest on standard error.
/// As JSON all of it goes to standard output.
struct SimulateReport {
    /// For programs, not for people.
    var isJSON = false

    /// One event for programs.
    struct Line: Encodable, Equatable {
        /// plugged, unplugged, began, ended, speed or received.
        var event: String
        /// The port, and the link to it if there is one.
        var port: String?
        var link: String?
        /// The fault that begins or ends; seconds that it lasts.
        var fault: String?
        var duration: Double?
        /// Bits a second at which the reader listens; absent where it is an unusual speed.
        var baud: Int?
        /// What the reader wrote.
        var text: String?

        init(_ event: SimulatorSession.Event) {
            switch event {
            case .plugged(let path, let link): (self.event, port, self.link) = ("plugged", path, link)
            case .unplugged: self.event = "unplugged"
            case .began(let fault): (self.event, self.fault, duration) = ("began", fault.kind.rawValue, fault.duration?.seconds)
            case .ended(let fault): (self.event, self.fault) = ("ended", fault.kind.rawValue)
            case .speed(let baud): (self.event, self.baud) = ("speed", baud)
            case .received(let bytes): (self.event, text) = ("received", SimulateReport.printable(bytes))
            }
        }
    }

    /// Prints one event as a line.
    func tell(_ event: SimulatorSession.Event) {
        if isJSON {
            // A reader that has gone is no reason for the receiver to end.
            try? LineOutput.print([Line(event)])
            return
        }
        switch event {
        case .plugged(let path, let link):
            line(link.map { "\(path) \($0)" } ?? path, to: STDOUT_FILENO)
        case .unplugged: note("unplugged")
        case .began(let fault): note("\(fault.kind.rawValue) begins\(fault.duration.map { " for \($0.seconds) s" } ?? "")")
        case .ended(let fault): note("\(fault.kind.rawValue) is over")
        case .speed(let baud): note("the reader listens at \(baud.map(String.init) ?? "an unusual speed")")
        case .received(let bytes): note("the reader wrote \(bytes.count) bytes: \(SimulateReport.printable(bytes))")
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
    private static func printable(_ bytes: [UInt8]) -> String {
        bytes.prefix(64).map { (32..<127).contains($0) ? String(UnicodeScalar($0)) : "<\(String($0, radix: 16))>" }.joined()
    }
}
