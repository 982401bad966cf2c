import TestSupport
import Testing

@Suite struct MemoryTests {
    @Test func `an open store uses little memory`() throws {
        let scratch = try Scratch()
        let scribe = try Child([Child.scribe(), "idle", scratch("sextant.db")])
        let words = String(decoding: scribe.readAll(), as: UTF8.self)
        #expect(scribe.status() == 0)
        print("memory, kB:\n\(words)")
        let dirty = words.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(dirty.count == 4)
        if let before = dirty.first, let rested = dirty.last { #expect(rested - before < 370) }
    }
}
