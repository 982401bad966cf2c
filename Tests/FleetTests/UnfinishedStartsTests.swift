import Chronology
import FleetStore
import TestSupport
import Testing

@testable import sextant_fleet

/// Starts that a message of the broker ends.
@Suite struct UnfinishedStartsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// One run of the program.
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
