import Chronology
import Simulator

/// Reports the simulator's events: the port on standard output for scripts, the rest on standard
/// error. As JSON everything goes to standard output.
struct SimulateReport {
    /// Whether to print JSON.
    var isJSON = false
    /// Whether to also print what the reader does: baud rates and commands. JSON always has them.
    var isVerbose = false

    /// One event in JSON.
    struct Line: Encodable, Equatable {
        /// plugged, unplugged, began, ended, speed or received.
        var event: String
        /// The port, and the link to it if there is one.
        var port: String?
        var link: String?
        /// The fault that begins or ends, and its duration in seconds.
        var fault: String?
        var duration: Double?
        /// The reader's baud rate in bits per second; absent if it is nonstandard.
        var baud: Int?
        /// What the reader wrote.
        var text: String?

        init(_ event: SimulatorSession.Event) {
            switch event {
            case .plugged(let path, let link):
                self.event = "plugged"
                port = path
                self.link = link
            case .unplugged: self.event = "unplugged"
            case .began(let fault):
                self.event = "began"
                self.fault = fault.kind.rawValue
                duration = fault.duration?.seconds
            case .ended(let fault): (self.event, self.fault) = ("ended", fault.kind.rawValue)
            case .speed(let baud): (self.event, self.baud) = ("speed", baud)
            case .received(let bytes): (self.event, text) = ("received", SimulateReport.printable(bytes))
            }
        }
    }

    /// Prints one event as a line, unbuffered, for scripts that wait for the path. Ignores write
    /// errors: the receiver continues if no one reads its output any more.
    func print(_ event: SimulatorSession.Event) {
        if isJSON {
            try? JSONLineWriter.print([Line(event)])
            return
        }
        switch event {
        case .speed where !isVerbose, .received where !isVerbose: break
        case .plugged(let path, let link):
            try? StandardOutput.write(lines: [link.map { "\(path) \($0)" } ?? path])
        case .unplugged: printNote("unplugged")
        case .began(let fault):
            printNote("\(fault.kind.rawValue) begins\(fault.duration.map { " for \($0.seconds) s" } ?? "")")
        case .ended(let fault): printNote("\(fault.kind.rawValue) ends")
        case .speed(let baud):
            printNote("the reader set the baud rate to \(baud.map(String.init) ?? "a nonstandard value")")
        case .received(let bytes):
            printNote(
                "the reader wrote \(RecordProgress.size(bytes.count)): "
                    + "\(SimulateReport.printable(bytes))")
        }
    }

    private func printNote(_ text: String) {
        StandardError.line("simulate: \(text)")
    }

    /// Returns ASCII characters unchanged and other bytes as hexadecimal.
    private static func printable(_ bytes: [UInt8]) -> String {
        bytes.prefix(64).map {
            (32..<127).contains($0)
                ? String(UnicodeScalar($0)) : "<\(DecimalText.padded(String($0, radix: 16), to: 2))>"
        }
        .joined()
    }
}
