import Chronology
import TestSupport
import Testing

@testable import Fleet

/// Starts that a message of the broker ends.
@Suite struct UnfinishedStartsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start(_ run: (inout UnfinishedStarts) throws -> Void) throws -> Bool {
        let outbox = try FleetOutbox(path: scratch("outbox.db"), tolerance: 25, hostTime: UTCTime(milliseconds: 0))
        var starts = try UnfinishedStarts(outbox.settings)
        try run(&starts)
        return starts.allowsCommands
    }

    @Test func `after two kills while the broker sends, no commands are received until an orderly end`()
        throws
    {
        #expect(try start { try $0.begin() })
        #expect(try start { try $0.begin() })
        for _ in 0..<3 { #expect(try !start { try $0.begin() }) }
        #expect(try !start { try $0.end() })
        #expect(try start { _ in })
    }

    @Test func `a start that has survived once counts as one start after each reconnection`() throws {
        #expect(try start { try $0.begin() })
        // One process that connects again and again, until a power cut.
        let isAllowed = try start { starts in
            for _ in 0..<3 {
                try starts.begin()
                try starts.finish()
            }
            try starts.begin()
        }
        #expect(isAllowed)
        #expect(try start { _ in })
    }

    @Test func `a start that works without commands lets the next one try again`() throws {
        for _ in 0..<2 { #expect(try start { try $0.begin() }) }
        for _ in 0..<2 {
            let isAllowed = try start { starts in
                try starts.begin()
                try starts.finish()
            }
            #expect(!isAllowed)
            // The message is still there.
            #expect(try start { try $0.begin() })
        }
        #expect(try !start { try $0.finish() })
        #expect(
            try start {
                try $0.begin(); try $0.finish()
            })
        for _ in 0..<2 { #expect(try start { try $0.begin() }) }
    }

    @Test func `orderly ends between connection and first acknowledgement do not count`() throws {
        for _ in 0..<5 {
            let isAllowed = try start { starts in
                try starts.begin()
                try starts.end()
            }
            #expect(isAllowed)
        }
    }

    @Test func `a kill after the first acknowledgement does not count, nor one before a connection`() throws {
        for _ in 0..<5 {
            let isAllowed = try start { starts in
                try starts.begin()
                try starts.finish()
            }
            #expect(isAllowed)
            #expect(try start { _ in })
        }
    }
}
