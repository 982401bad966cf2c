import Glibc
import SystemCalls

/// Standard output.
enum StandardOutput {
    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes all bytes.
    static func write(_ bytes: [UInt8]) throws(CommandError) {
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

    /// Writes lines of text, each with a line end.
    static func write(lines: [String]) throws(CommandError) {
        try write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
}
