import Glibc
import SystemCalls
import Varlink

enum StandardOutput {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal; nil if standard output is none. A pipe or file gets whole
    /// lines.
    static var columns: Int? { isTerminal ? TerminalSize.ofStandardOutput.columns : nil }

    private static let operation = "cannot write to standard output"

    /// The error of a write to a pipe whose reader has ended, in a command that ignores SIGPIPE.
    static let readerHasEnded = CommandError(SystemError(code: EPIPE, operation: operation))

    /// Writes bytes of this program's own making, unchanged: control sequences, and text that
    /// ``TerminalText`` has processed.
    static func write(trusted bytes: [UInt8]) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(SystemError) {
                let count = try systemCall(operation) {
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
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

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
    mutating func write(_ value: some Encodable) { write { try JSONFormat.line(value) } }

    mutating func write(_ message: some Message) { write { JSONFormat.line(message) } }

    private mutating func write(_ line: () throws -> [UInt8]) {
        guard failure == nil else { return }
        do {
            buffer.append(contentsOf: try line())
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

    /// Writes each message as a line, immediately.
    static func print(_ messages: [some Message]) throws(CommandError) {
        var output = JSONLineWriter()
        for message in messages { output.write(message) }
        try output.finish()
    }

    /// Writes an object as a line, immediately.
    static func print(_ members: [String: JSONValue]) throws(CommandError) {
        var output = JSONLineWriter()
        output.write(members)
        try output.finish()
    }

    private mutating func flush() throws(CommandError) {
        try StandardOutput.write(json: buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
