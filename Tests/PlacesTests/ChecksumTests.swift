import Glibc
import Places
import TestSupport
import Testing

@Suite struct ChecksumTests {
    /// Writes other bytes into a file of places.
    private static func write(_ bytes: [UInt8], at offset: Int, of imported: Imported) {
        let number = Glibc.open(imported.folder.file, O_RDWR)
        defer { close(number) }
        #expect(pwrite(number, bytes, bytes.count, off_t(offset)) == bytes.count)
    }

    private static func bytes(of imported: Imported) throws -> [UInt8] {
        let number = Glibc.open(imported.folder.file, O_RDONLY)
        defer { close(number) }
        var bytes = [UInt8](repeating: 0, count: 1 << 22)
        let count = read(number, &bytes, bytes.count)
        try #require(count > 0 && count < bytes.count)
        return Array(bytes.prefix(count))
    }

    private static func fault(of imported: Imported) -> String? {
        do throws(PlacesError) {
            try PlacesFile(imported.folder).check()
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a change of any byte is found`() throws {
        let imported = try Imported()
        let bytes = try Self.bytes(of: imported)
        #expect(Self.fault(of: imported) == nil)
        // All bytes of the checksum, and others of all pages.
        let offsets = Array(stride(from: 0, to: bytes.count, by: 997)) + Array(bytes.indices.suffix(8))
        for offset in offsets {
            Self.write([bytes[offset] ^ UInt8(1 << (offset % 8))], at: offset, of: imported)
            #expect(Self.fault(of: imported) != nil, "byte \(offset)")
            Self.write([bytes[offset]], at: offset, of: imported)
        }
        #expect(Self.fault(of: imported) == nil)
    }

    @Test func `the checksum is CRC-32 of all bytes before it`() throws {
        let bytes = try Self.bytes(of: try Imported())
        #expect(bytes.dropLast(4).suffix(4).elementsEqual("SxCk".utf8))
        var value = UInt32.max
        for byte in bytes.dropLast(4) {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
        }
        #expect(bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } == ~value)
    }

    @Test(arguments: [1, 4, 8, 100, 4104])
    func `a file without its end must be imported again`(missing: Int) throws {
        let imported = try Imported()
        let count = try Self.bytes(of: imported).count
        #expect(truncate(imported.folder.file, off_t(count - missing)) == 0)
        #expect(try #require(Self.fault(of: imported)).contains("run sextant places import again"))
    }
}
