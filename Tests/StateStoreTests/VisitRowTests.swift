import Chronology
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite("Visits on the disk")
struct VisitRowTests {
    private static let now = UTCTime(milliseconds: 1_795_262_400_000)

    private func row(_ arrival: Int64?, _ departure: Int64? = nil, user: UInt32 = 1000, isOpen: Bool = true) -> VisitRow
    {
        VisitRow(
            user: user, arrival: arrival, departure: departure, latitude: 51.8, longitude: 5.8, radius: 12,
            isOpen: isOpen)
    }

    private func history(_ scratch: borrowing Scratch) throws -> VisitHistory {
        VisitHistory(try DatabaseFile(path: scratch("sextant.db")).open(at: VisitRowTests.now).database)
    }

    @Test func `an arrival is open until its departure, also in another process`() throws {
        let scratch = try Scratch()
        try history(scratch).record([row(10)], expiry: nil)
        let again = try history(scratch)
        #expect(try again.openVisit(of: 1000)?.arrival == 10)
        #expect(try again.openVisit(of: 7) == nil)
        try again.record([row(10, 90, isOpen: false)], expiry: nil)
        let rows = try again.rows(of: 1000, limit: 9)
        #expect(rows.map(\.departure) == [90] && rows.map(\.isOpen) == [false])
        #expect(try again.openVisit(of: 1000) == nil)
    }

    @Test func `an arrival that is written twice is one visit, and the next one ends it`() throws {
        let scratch = try Scratch()
        let history = try history(scratch)
        try history.record([row(10), row(10), row(nil, user: 7), row(nil, user: 7), row(50)], expiry: nil)
        #expect(try history.rows(of: 1000, limit: 9).map(\.arrival) == [50, 10])
        #expect(try history.rows(of: 1000, limit: 9).map(\.isOpen) == [true, false])
        #expect(try history.rows(of: 7, limit: 9).count == 1)
        try history.endVisits(of: 1000)
        #expect(try history.openVisit(of: 1000) == nil && history.openVisit(of: 7) != nil)
    }

    @Test func `a visit that is continued after its departure was written stays one visit`() throws {
        let scratch = try Scratch()
        let history = try history(scratch)
        try history.record([row(10), row(10, 90, isOpen: false)], expiry: nil)
        try history.record([row(10)], expiry: nil)
        #expect(try history.openVisit(of: 1000)?.arrival == 10)
        // Its end was not detected again.
        try history.record([row(10, nil, isOpen: false)], expiry: nil)
        #expect(try history.rows(of: 1000, limit: 9).map(\.departure) == [90])
        // An earlier visit is over.
        try history.record([row(100), row(100, 190, isOpen: false), row(10)], expiry: nil)
        #expect(try history.rows(of: 1000, limit: 9).map(\.arrival) == [10, 100, 10])
    }

    @Test func `a departure after its visit was erased is not stored`() throws {
        let scratch = try Scratch()
        let history = try history(scratch)
        try history.record([row(10), row(10, user: 7)], expiry: nil)
        #expect(try history.erase(of: 1000) == 1)
        try history.record([row(10, 90, isOpen: false)], expiry: nil)
        #expect(try history.rows(of: 1000, limit: 9).isEmpty)
        #expect(try history.rows(of: 7, limit: 9).count == 1)
        #expect(try history.erase(of: nil) == 1)
    }

    @Test func `visits are read in pages and by time, and erased before a time`() throws {
        let scratch = try Scratch()
        let history = try history(scratch)
        for time: Int64 in [100, 200, 300] {
            try history.record([row(time), row(time, time + 50, isOpen: false)], expiry: nil)
        }
        try history.record([row(400)], expiry: nil)
        let all = try history.rows(of: 1000, limit: 9)
        #expect(all.map(\.arrival) == [400, 300, 200, 100])
        #expect(try history.rows(of: 1000, before: all[1].number, limit: 1).map(\.arrival) == [200])
        #expect(try history.rows(of: 1000, in: 250..<300, limit: 9).map(\.arrival) == [200])
        #expect(try history.rows(of: 1000, in: 251..<(.max), limit: 9).map(\.arrival) == [400, 300])
        #expect(try history.erase(of: 1000, before: 300) == 2)
        #expect(try history.rows(of: 1000, limit: 9).map(\.arrival) == [400, 300])
    }

    @Test func `closed visits expire, and no user keeps more than the limit`() throws {
        let scratch = try Scratch()
        let history = try history(scratch)
        try history.record([row(nil), row(100), row(100, 150, isOpen: false), row(200)], expiry: 500)
        #expect(try history.rows(of: 1000, limit: 9).map(\.arrival) == [200])
        try history.record((1...5100).map { row(Int64($0), user: 7) }, expiry: nil)
        #expect(try history.rows(of: 7, limit: 9000).count == VisitRow.maxPerUser)
        #expect(try history.rows(of: 1000, limit: 9).count == 1)
    }
}
