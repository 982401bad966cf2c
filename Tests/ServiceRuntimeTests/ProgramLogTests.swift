import Chronology
import Glibc
import SystemCalls
import Testing

@testable import ServiceRuntime

@Suite struct ProgramLogTests {
    /// Returns what a log writes to a pipe, at most 64 KiB.
    private static func written(_ message: String, filled: Bool = false) throws -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        try systemCall("making a pipe") { pipe(&ends) }
        let reader = FileDescriptor(owning: ends[0])
        let writer = FileDescriptor(owning: ends[1])
        let number = writer.number
        try systemCall("preparing a pipe") { fcntl(number, F_SETFL, O_NONBLOCK) }
        let page = [UInt8](repeating: 0, count: 4096)
        while filled, write(number, page, page.count) > 0 {}
        // A write to a full pipe would wait from now on.
        try systemCall("preparing a pipe") { fcntl(number, F_SETFL, 0) }
        ProgramLog(name: "a-program", to: number).write(message)
        var text = [UInt8](repeating: 0, count: 1 << 17)
        let count = read(reader.number, &text, text.count)
        // The pipe is open until here.
        _ = writer.number
        return Array(text.prefix(max(0, count)))
    }

    @Test func `a line begins with the program and is harmless`() throws {
        let text = String(decoding: try ProgramLogTests.written("one\u{1b}[0m\ntwo"), as: UTF8.self)
        #expect(text.hasPrefix("a-program: one") && text.hasSuffix("two\n"))
        #expect(text.count { $0 == "\n" } == 1 && !text.contains("\u{1b}"))
    }

    @Test func `a long line keeps its end`() throws {
        let bytes = try ProgramLogTests.written(String(repeating: "x", count: 10_000))
        #expect(bytes.count == 4096 && bytes.last == UInt8(ascii: "\n"))
    }

    @Test func `a reader that has stopped does not stop the program`() throws {
        #expect(try ProgramLogTests.written("text", filled: true).allSatisfy { $0 == 0 })
    }

    @Test func `a problem is logged once, and again after its end`() {
        var problem = RepeatedProblem()
        let logged = ["one", "one", "two", "one"].map { problem.shouldLog($0) }
        #expect(logged == [true, false, true, true])
        problem.reset()
        let isLoggedAgain = problem.shouldLog("one")
        #expect(isLoggedAgain)
    }
}

@Suite struct IdleExitTests {
    private static func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test func `a program ends when it was idle long enough`() {
        var exit = IdleExit(after: .seconds(30), at: Self.at(0))
        #expect(exit.deadline == Self.at(30) && !exit.isDue(at: Self.at(29)) && exit.isDue(at: Self.at(30)))
        exit.update(isIdle: false, at: Self.at(10))
        #expect(exit.deadline == nil && !exit.isDue(at: Self.at(99)))
        exit.update(isIdle: true, at: Self.at(20))
        exit.update(isIdle: true, at: Self.at(25))
        #expect(exit.deadline == Self.at(50))
    }

    @Test func `without a limit it never ends`() {
        let exit = IdleExit(after: nil, at: Self.at(0))
        #expect(exit.deadline == nil && !exit.isDue(at: Self.at(9999)))
    }
}
