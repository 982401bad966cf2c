import Glibc
import SextantAPI
import SystemCalls
import Varlink

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

/// Standard error, for everything that is not the result: errors, progress, notes.
enum StandardError {
    /// Whether standard error is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line.
    static func line(_ text: String) {
        write(ASCIIFallback.text(TerminalText.sanitized(text)) + "\n")
    }

    /// Overwrites the current line to show progress. An empty text clears it.
    static func overwriteLine(_ text: String) {
        write("\r\u{1B}[K" + TerminalText.sanitized(text))
    }

    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                uninterrupted { Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
            }
            // A write error on standard error cannot be reported.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Standard output as JSON lines, buffered into large writes.
struct JSONLineWriter {
    private static let flushThreshold = 1 << 16

    private var buffer: [UInt8] = []
    private var failure: CommandError?

    /// Writes a value as one line. ``finish()`` reports write errors.
    mutating func write(_ value: some Encodable) {
        guard failure == nil else { return }
        do {
            buffer.append(contentsOf: try JSONFormat.line(value))
            buffer.append(10)
            if buffer.count >= JSONLineWriter.flushThreshold { try flush() }
        } catch let error as CommandError {
            failure = error
        } catch {
            failure = CommandError("cannot encode a value as JSON: \(error)")
        }
    }

    /// Writes the rest of the buffer.
    ///
    /// - Throws: The first failure.
    mutating func finish() throws(CommandError) {
        if let failure { throw failure }
        try flush()
    }

    /// Writes each value as a line, immediately.
    static func print(_ values: [some Encodable]) throws(CommandError) {
        var output = JSONLineWriter()
        for value in values { output.write(value) }
        try output.finish()
    }

    private mutating func flush() throws(CommandError) {
        try StandardOutput.write(json: buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

// The messages that `--json` prints.
extension Addition: Encodable {}
extension AgentRequest: Encodable {}
extension Event: Encodable {}
extension ForgetReply: Encodable {}
extension ForgetVisitsReply: Encodable {}
extension ForwardReply: Encodable {}
extension Consumers: Encodable {}
extension RecentLocation: Encodable {}
extension Power: Encodable {}
extension ListGrantsReply: Encodable {}
extension Location: Encodable {}
extension Neighbourhood: Encodable {}
extension Neighbour: Encodable {}
extension OpenReply: Encodable {}
extension PermissionDeniedError: Encodable {}
extension PlacemarksReply: Encodable {}
extension Receiver: Encodable {}
extension ConditionRecord: Encodable {}
extension RemoveReply: Encodable {}
extension Satellite: Encodable {}
extension SentencesReply: Encodable {}
extension SourcesReply: Encodable {}
extension Status: Encodable {}
extension SubscribeReply: Encodable {}
extension Cause: Encodable {}
extension UnconfirmedPort: Encodable {}
extension Use: Encodable {}
extension Visit: Encodable {}
extension HeadingUpdate: Encodable {}
extension VisitUpdate: Encodable {}
