import FoundationEssentials
import Glibc
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
    mutating func finish() throws {
        if let failure { throw failure }
        try flush()
    }

    /// Hands everything to the system now.
    mutating func flush() throws(CommandError) {
        var sent = 0
        while sent < buffer.count {
            let count = buffer.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw CommandError.system("cannot write to standard output", errno) }
            sent += count
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
