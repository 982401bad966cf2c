import SextantAPI
import Varlink

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
