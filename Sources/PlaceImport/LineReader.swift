import Glibc
import SystemCalls

/// The lines of a file, read in parts.
struct LineReader: ~Copyable {
    /// The length of a line in bytes, at most. The longest of GeoNames has 15 kB.
    static let maxLength = 1 << 20

    private let path: String
    private let file: FileDescriptor
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasEnded = false

    init(_ path: String) throws(SystemError) {
        self.path = path
        file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
    }

    /// Returns the next line without its end; nil at the end of the file. Invalid UTF-8 is
    /// replaced.
    ///
    /// - Throws: `SystemError` with EFBIG for a line above ``maxLength``.
    mutating func next() throws(SystemError) -> String? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 10) {
                defer { start = end + 1 }
                let content = buffer[start..<end]
                return String(decoding: content.last == 13 ? content.dropLast() : content, as: UTF8.self)
            }
            guard !hasEnded else {
                guard start < buffer.count else { return nil }
                defer { start = buffer.count }
                return String(decoding: buffer[start...], as: UTF8.self)
            }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            guard buffer.count <= LineReader.maxLength else {
                throw SystemError(code: EFBIG, operation: "reading a line of \(path)")
            }
            var part = [UInt8](repeating: 0, count: 65_536)
            let count = try systemCall("reading \(path)") { read(file.number, &part, part.count) }
            hasEnded = count == 0
            buffer.append(contentsOf: part.prefix(count))
        }
    }
}
