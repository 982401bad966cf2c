import Glibc
import SystemCalls

/// Standard output.
enum StandardOutput {
    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal; nil if standard output is none. A pipe or file gets whole
    /// lines.
    static var columns: Int? { isTerminal ? TerminalSize.ofStandardOutput.columns : nil }

    /// Writes bytes of this program's own making, unchanged: control sequences, and text that
    /// ``TerminalText`` has processed.
    static func write(trusted bytes: [UInt8]) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(SystemError) {
                let count = try systemCall("cannot write to standard output") {
                    rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            } catch {
                throw CommandError(error)
            }
        }
    }

    /// Writes lines of text, each with a line end. Without Unicode, symbols of this program become
    /// ASCII.
    static func write(lines: [String]) throws(CommandError) {
        let texts = lines.map { ASCIIFallback.text(TerminalText.sanitized($0)) }
        try write(trusted: Array(texts.map { $0 + "\n" }.joined().utf8))
    }

    /// Writes lines of JSON, which end with their line ends.
    static func write(json bytes: [UInt8]) throws(CommandError) {
        try write(trusted: TerminalText.sanitized(json: bytes))
    }

    /// Writes a drawing, with styles if the terminal supports them.
    static func write(
        _ canvas: Canvas, capabilities: TerminalCapabilities = .ofStandardOutput
    ) throws(CommandError) {
        try write(trusted: Array(canvas.lines(capabilities).map { $0 + "\n" }.joined().utf8))
    }
}
