import Chronology
import Glibc
import ServiceRuntime
import SextantServiceAPI
import SystemCalls
import TestSupport
import Testing

@testable import Fleet

/// The file that `sextant fleet status` reads.
@Suite struct StatusFileTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func text() throws -> String {
        let file = try #require(fopen(scratch("status.json"), "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test func `a change that comes too early is written at the deadline`() throws {
        let file = StatusFile(state: scratch("."), log: ProgramLog(name: "test"))
        var status = FleetStatus(destination: "mqtt://broker:1883")
        func write(at seconds: Double) {
            file.write([status], at: .zero + .seconds(seconds), isForced: false) { _ in nil }
        }
        write(at: 1)
        #expect(try text().contains(#""connected":false"#) && file.deadline == nil)
        status.isConnected = true
        write(at: 1.5)
        #expect(try text().contains(#""connected":false"#) && file.deadline == Instant.zero + .seconds(2))
        write(at: 2)
        #expect(try text().contains(#""connected":true"#) && file.deadline == nil)
        write(at: 2.5)
        #expect(file.deadline == nil)
    }

    @Test func `a file is not written through a link, and not readable for others`() throws {
        let (path, other) = (scratch("status.json"), scratch("other"))
        let file = AtomicFile(path: path, mode: 0o640, isDurable: false)
        try AtomicFile(path: other, mode: 0o600).replace(with: [1])
        #expect(symlink(other, path + ".new") == 0)
        try file.replace(with: Array("new".utf8))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode == S_IFREG | 0o640 && status.st_size == 3)
        #expect(lstat(other, &status) == 0 && status.st_size == 1)
        #expect(access(path + ".new", F_OK) != 0)
    }
}
