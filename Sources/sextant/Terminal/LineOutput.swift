import FoundationEssentials
import Wire

/// Standard output as lines of JSON, gathered into large writes.
struct LineOutput {
    private static let flushing = 1 << 16

    private let encoder = JSONText.encoder()
    private var buffer: [UInt8] = []
    private var failure: CommandError?

    /// Writes a value as one line. What cannot be written is reported by ``finish()``.
    mutating func write(_ value: some Encodable) {
        guard failure == nil else { return }
        do {
            buffer.append(contentsOf: try encoder.encode(value))
            buffer.append(10)
            if buffer.count >= LineOutput.flushing { try flush() }
        } catch let error as CommandError {
            failure = error
        } catch {
            failure = CommandError("cannot print a value as JSON: \(error)")
        }
    }

    /// Writes what is left; throws the first failure.
    mutating func finish() throws(CommandError) {
        if let failure { throw failure }
        try flush()
    }

    /// Writes these values, each as a line, now.
    static func print(_ values: [some Encodable]) throws(CommandError) {
        var output = LineOutput()
        for value in values { output.write(value) }
        try output.finish()
    }

    private mutating func flush() throws(CommandError) {
        try StandardOutput.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
