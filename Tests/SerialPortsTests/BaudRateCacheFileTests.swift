import Glibc
import Receivers
import SystemCalls
import Testing

@testable import SerialPorts

@Suite struct BaudRateCacheFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/sextant-speeds-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "making a directory") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            _ = unlink(path + "/speeds")
            _ = rmdir(path)
        }
        try body(path)
    }

    @Test func `a saved file is loaded unchanged`() throws {
        try withDirectory { directory in
            let file = BaudRateCacheFile(path: directory + "/speeds")
            #expect(file.load() == (BaudRateCache(), nil))
            var memory = BaudRateCache()
            for number in 0..<64 { memory.store(9600, for: String(repeating: "x", count: 198) + "\(number)") }
            try file.save(memory)
            #expect(file.load() == (memory, nil))
            #expect(access(directory + "/speeds.new", F_OK) != 0)
        }
    }

    @Test func `a damaged file loads as empty with a notice`() throws {
        try withDirectory { directory in
            let path = directory + "/speeds"
            let file = FileDescriptor(owning: open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            let noise = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
            _ = write(file.number, noise, noise.count)
            let (memory, notice) = BaudRateCacheFile(path: path).load()
            #expect(memory.count == 0)
            #expect(notice == .damaged(path: path, .heading))
        }
    }

    @Test func `a pipe in place of the file does not block`() throws {
        var template = Array("/tmp/sextant-XXXXXX".utf8CString)
        _ = try #require(mkdtemp(&template))
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = directory + "/speeds"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(BaudRateCacheFile(path: path).load().notice == .damaged(path: path, .heading))
        unlink(path)
        rmdir(directory)
    }

    @Test func `an unreadable file loads as empty with a notice`() throws {
        let (memory, notice) = BaudRateCacheFile(path: "/proc").load()
        #expect(memory.count == 0)
        #expect(notice == .unreadable(SystemError(code: EISDIR, operation: "reading /proc")))
    }

    @Test func `saving to a missing directory throws`() {
        #expect(throws: SystemError(code: ENOENT, operation: "opening /nowhere/speeds.new")) {
            try BaudRateCacheFile(path: "/nowhere/speeds").save(BaudRateCache())
        }
    }
}
