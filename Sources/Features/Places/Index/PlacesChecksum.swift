import Glibc
import SystemCalls

/// The checksum of a file of places: CRC-32 as in IEEE 802.3, by which any change of up to four
/// bytes in a row is found.
///
/// It is written behind the last page of SQLite, which does not read it: four letters, and the
/// checksum of all bytes before it, the most significant byte first. Only ``PlacesFile/check()``
/// reads it.
package enum PlacesChecksum {
    /// The letters before the checksum.
    private static let mark: [UInt8] = Array("SxCk".utf8)
    /// The length of the letters and the checksum.
    private static let length = 8
    private static let blockSize = 1 << 16

    package static func append(to file: borrowing FileDescriptor, path: String) throws(SystemError) {
        let number = file.number
        var code = Code()
        try forEachBlock(of: number, path, to: .max) { code.add($0) }
        code.add(mark)
        let bytes = mark + code.bytes
        let end = try size(number, path)
        let written = try systemCall("writing \(path)") { pwrite(number, bytes, bytes.count, end) }
        guard written == bytes.count else { throw SystemError(code: ENOSPC, operation: "writing \(path)") }
    }

    /// Whether a file has the checksum of its bytes; nil if it has none.
    package static func isValid(path: String) throws(SystemError) -> Bool? {
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        let number = file.number
        let end = try size(number, path) - off_t(length)
        guard end >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        _ = try systemCall("reading \(path)") { pread(number, &bytes, bytes.count, end) }
        guard bytes.prefix(mark.count).elementsEqual(mark) else { return nil }
        var code = Code()
        try forEachBlock(of: number, path, to: end) { code.add($0) }
        code.add(mark)
        return bytes.suffix(code.bytes.count).elementsEqual(code.bytes)
    }

    private static func size(_ number: Int32, _ path: String) throws(SystemError) -> off_t {
        var status = stat()
        try systemCall("reading \(path)") { fstat(number, &status) }
        return status.st_size
    }

    private static func forEachBlock(
        of number: Int32, _ path: String, to end: off_t, _ body: (ArraySlice<UInt8>) -> Void
    ) throws(SystemError) {
        var block = [UInt8](repeating: 0, count: blockSize)
        var position: off_t = 0
        while position < end {
            let size = Int(min(off_t(block.count), end - position))
            let count = try systemCall("reading \(path)") { pread(number, &block, size, position) }
            guard count > 0 else { return }
            body(block[..<count])
            position += off_t(count)
        }
    }

    /// The checksum of the bytes so far.
    private struct Code {
        private var value: UInt32 = .max

        /// The remainder of each byte. The bits of a byte count from the least significant one.
        private static let remainders: [UInt32] = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
        }

        mutating func add(_ bytes: some Sequence<UInt8>) {
            let remainders = Code.remainders
            for byte in bytes { value = value >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
        }

        var bytes: [UInt8] { withUnsafeBytes(of: (~value).bigEndian) { Array($0) } }
    }
}
