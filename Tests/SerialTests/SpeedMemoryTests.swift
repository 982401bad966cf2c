import Glibc
import SystemCalls
import Testing

@testable import Serial

@Suite struct SpeedMemoryTests {
    @Test func remembersAndForgetsTheOldest() {
        var memory = SpeedMemory()
        for number in 0..<70 { memory.remember(9600, for: "usb:1546:01a8:\(number)") }
        #expect(memory.count == SpeedMemory.capacity)
        #expect(memory["usb:1546:01a8:5"] == nil)
        #expect(memory["usb:1546:01a8:6"] == 9600)
    }

    @Test func onlyAChangeIsWorthSaving() {
        var memory = SpeedMemory()
        let changed = [9600, 9600, 4800].map { memory.remember($0, for: "a") }
        #expect(changed == [true, false, true])
        #expect(memory.count == 1)
    }

    @Test(arguments: [("", 9600), ("a\nb", 9600), ("a\u{7F}", 9600), (String(repeating: "a", count: 201), 9600), ("a", 0), ("a", -9600)])
    func whatCannotBeKeptIsLetGo(identity: String, speed: Int) {
        var memory = SpeedMemory()
        let changed = memory.remember(speed, for: identity)
        #expect(!changed)
        #expect(memory.count == 0)
    }

    @Test func theTextFormReadsBack() throws {
        var memory = SpeedMemory()
        memory.remember(9600, for: "usb:067b:2303@1-1.4")
        memory.remember(115_200, for: "/dev/tty with blanks")
        #expect(memory.text == "sextant line speeds 1\n9600 usb:067b:2303@1-1.4\n115200 /dev/tty with blanks\n")
        #expect(try SpeedMemory(text: memory.text) == memory)
        #expect(try SpeedMemory(text: SpeedMemory().text) == SpeedMemory())
    }

    @Test(
        arguments: [
            ("", .heading), ("\0\0\0", .heading), ("sextant line speeds 2\n", .heading), ("sextant line speeds 1\nx y\n", .line(2)),
            ("sextant line speeds 1\n9600 a\n9600\n", .line(3)), ("sextant line speeds 1\n9600 \n", .line(2)),
            ("sextant line speeds 1\n99999999999999999999 a\n", .line(2)), ("sextant line speeds 1\n-1 a\n", .line(2)),
            ("sextant line speeds 1\n" + String(repeating: "9600 a\n", count: 70), .tooLong),
        ] as [(String, SpeedMemory.Damage)])
    func damageIsNamed(text: String, damage: SpeedMemory.Damage) {
        #expect(throws: damage) { _ = try SpeedMemory(text: text) }
    }
}

@Suite struct SpeedMemoryFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/sextant-speeds-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, doing: "making a directory") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            _ = unlink(path + "/speeds")
            _ = rmdir(path)
        }
        try body(path)
    }

    @Test func savesAndLoads() throws {
        try withDirectory { directory in
            let file = SpeedMemoryFile(path: directory + "/speeds")
            #expect(file.load() == (SpeedMemory(), nil))
            var memory = SpeedMemory()
            for number in 0..<64 { memory.remember(9600, for: String(repeating: "x", count: 198) + "\(number)") }
            try file.save(memory)
            #expect(file.load() == (memory, nil))
            #expect(access(directory + "/speeds.new", F_OK) != 0)
        }
    }

    @Test func aDamagedFileIsAnEmptyMemoryAndANotice() throws {
        try withDirectory { directory in
            let path = directory + "/speeds"
            let file = FileDescriptor(owning: open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            let noise = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
            _ = write(file.number, noise, noise.count)
            let (memory, notice) = SpeedMemoryFile(path: path).load()
            #expect(memory.count == 0)
            #expect(notice == .damaged(path: path, .heading))
        }
    }

    @Test func aPipeInItsPlaceHoldsNobodyUp() throws {
        var template = Array("/tmp/sextant-XXXXXX".utf8CString)
        _ = try #require(mkdtemp(&template))
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = directory + "/speeds"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(SpeedMemoryFile(path: path).load().notice == .damaged(path: path, .heading))
        unlink(path)
        rmdir(directory)
    }

    @Test func aFileThatCannotBeReadIsANotice() throws {
        let (memory, notice) = SpeedMemoryFile(path: "/proc").load()
        #expect(memory.count == 0)
        #expect(notice == .unreadable(SystemError(code: EISDIR, doing: "reading /proc")))
    }

    @Test func aDirectoryThatIsNotThereCannotBeSavedTo() {
        #expect(throws: SystemError(code: ENOENT, doing: "opening /nowhere/speeds.new")) {
            try SpeedMemoryFile(path: "/nowhere/speeds").save(SpeedMemory())
        }
    }
}
