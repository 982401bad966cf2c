import Chronology
import Permission
import Testing

@Suite("The record of use in memory")
struct UseLedgerTests {
    private static let date = UTCTime(milliseconds: 1_795_262_400_000)
    private static let use = LocationUse(PermissionStage.shell, .stream, .full, decidedBy: "the default")

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
    private func date(_ seconds: Double) -> UTCTime { UseLedgerTests.date.advanced(by: .seconds(seconds)) }

    private func records(_ ledger: UseLedger, at seconds: Double) -> [UseRecord] {
        ledger.records(at: at(seconds), date: date(seconds))
    }

    @Test func `a use has its start, duration, updates and end`() throws {
        var ledger = UseLedger()
        ledger.begin(.session(1), UseLedgerTests.use, count: 3, at: at(10))
        ledger.setCount(8, of: .session(1))
        let open = try #require(records(ledger, at: 30).first)
        #expect(open.from == date(10) && open.to == nil && open.state == .open)
        #expect(open.duration == .seconds(20) && open.updates == 5)
        ledger.end(.session(1), count: 9, at: at(40))
        let ended = try #require(records(ledger, at: 100).first)
        #expect(ended.to == date(40) && ended.state == .ended && ended.updates == 6)
        #expect(records(ledger, at: 100).count == 1)
    }

    @Test func `a use soon after another continues its record, a later one does not`() {
        var ledger = UseLedger()
        for second in [0, 300, 600.0] { ledger.record(UseLedgerTests.use, updates: 1, at: at(second)) }
        ledger.begin(.session(1), UseLedgerTests.use, at: at(700))
        ledger.end(.session(1), at: at(800))
        ledger.record(UseLedgerTests.use, updates: 2, at: at(1101))
        let all = records(ledger, at: 1200)
        #expect(all.map(\.updates) == [3, 2] && all.map(\.from) == [date(0), date(1101)])
        #expect(all.map(\.duration) == [.seconds(800), .zero] && all.map(\.number) == [1, 2])
    }

    @Test func `clients with the same use share a record`() {
        var ledger = UseLedger()
        ledger.begin(.session(1), UseLedgerTests.use, at: at(0))
        let revision = ledger.revision
        ledger.begin(.session(2), UseLedgerTests.use, at: at(5))
        ledger.end(.session(1), at: at(10))
        #expect(ledger.revision == revision, "the programs in use are the same")
        ledger.record(UseLedgerTests.use, updates: 1, at: at(11))
        #expect(records(ledger, at: 20).map(\.state) == [.open])
        ledger.end(.session(2), at: at(30))
        ledger.end(.session(2), at: at(40))
        #expect(ledger.revision == revision + 1)
        #expect(records(ledger, at: 50).map(\.duration) == [.seconds(30)])
    }

    @Test(arguments: [
        LocationUse(PermissionStage.shell, .stream, .reduced, decidedBy: "the default"),
        LocationUse(PermissionStage.shell, .stream, .full, decidedBy: "user 0"),
        LocationUse(PermissionStage.shell, .visits, .full, decidedBy: "the default"),
        LocationUse(PermissionStage.map, .stream, .full, decidedBy: "the default"),
    ])
    func `another accuracy, reason, kind or program makes another record`(other: LocationUse) {
        var ledger = UseLedger()
        ledger.begin(.session(1), UseLedgerTests.use, at: at(0))
        ledger.setCount(4, of: .session(1))
        ledger.begin(.session(1), other, count: 6, at: at(10))
        ledger.end(.session(1), count: 9, at: at(20))
        let all = records(ledger, at: 30)
        #expect(all.map(\.use) == [UseLedgerTests.use, other] && all.map(\.updates) == [6, 3])
    }

    @Test func `a clock that is set during a use gives it the new date and the same duration`() {
        var ledger = UseLedger()
        ledger.begin(.session(1), UseLedgerTests.use, at: at(100))
        #expect(ledger.unsaved(at: at(150), date: nil).map(\.from) == [nil])
        #expect(ledger.unsaved(at: at(150), date: nil).map(\.duration) == [.seconds(50)])
        ledger.end(.session(1), at: at(200))
        let record = ledger.unsaved(at: at(260), date: date(0)).first
        #expect(record?.from == date(-160) && record?.to == date(-60) && record?.duration == .seconds(100))
    }

    @Test func `a new record is saved after a minute, its changes after ten`() {
        var ledger = UseLedger()
        #expect(ledger.deadline == nil && !ledger.isSaveDue(at: at(1000)))
        ledger.begin(.session(1), UseLedgerTests.use, at: at(1000))
        // Not at once: a program that only asks is no reason to open the database.
        #expect(ledger.deadline == at(1060) && !ledger.isSaveDue(at: at(1059)) && ledger.isSaveDue(at: at(1060)))
        ledger.saved(at: at(1060))
        ledger.end(.session(1), at: at(1070))
        #expect(ledger.deadline == at(1670))
        ledger.record(UseLedgerTests.use, updates: 1, at: at(1100))
        #expect(ledger.deadline == at(1670) && !ledger.isSaveDue(at: at(1669)))
        ledger.begin(.session(2), LocationUse(PermissionStage.map, .visits, .full, decidedBy: "x"), at: at(1200))
        #expect(ledger.deadline == at(1260) && ledger.unsaved(at: at(1260), date: nil).count == 2)
        ledger.saved(at: at(1260))
        #expect(ledger.deadline == nil)
    }

    @Test func `counts alone are saved every ten minutes, with a turn that comes anyway`() {
        var ledger = UseLedger()
        ledger.begin(.session(1), UseLedgerTests.use, at: at(1000))
        ledger.saved(at: at(1060))
        ledger.setCount(7, of: .session(1))
        #expect(ledger.deadline == nil && !ledger.isSaveDue(at: at(1659)))
        #expect(ledger.isSaveDue(at: at(1660)))
        #expect(ledger.unsaved(at: at(1660), date: nil).map(\.updates) == [7])
        ledger.saved(at: at(1660))
        // Its duration grows, so an open use is written with each save, and no save is due for it.
        #expect(ledger.unsaved(at: at(2259), date: nil).map(\.duration) == [.seconds(1259)])
        #expect(!ledger.isSaveDue(at: at(2259)))
        ledger.end(.session(1), at: at(2000))
        ledger.saved(at: at(2600))
        #expect(!ledger.isSaveDue(at: at(100_000)))
    }

    @Test func `a damaged number of a stored record is replaced`() {
        var ledger = UseLedger()
        ledger.record(UseLedgerTests.use, updates: 1, at: at(0))
        ledger.beginNumbers(after: .max)
        ledger.record(LocationUse(PermissionStage.map, .visits, .full, decidedBy: "x"), updates: 1, at: at(1))
        #expect(records(ledger, at: 2).map(\.number) == [(1 << 53) + 1, (1 << 53) + 2])
    }

    @Test func `a disk that failed is tried again after a minute`() {
        var ledger = UseLedger()
        ledger.record(UseLedgerTests.use, updates: 1, at: at(0))
        #expect(ledger.savingFailed(at: at(60)) == 0 && ledger.deadline == at(120))
    }

    @Test func `what is saved and cannot continue leaves the memory`() {
        var ledger = UseLedger()
        ledger.record(UseLedgerTests.use, updates: 1, at: at(0))
        ledger.saved(at: at(60))
        #expect(records(ledger, at: 60).count == 1)
        ledger.begin(.session(1), LocationUse(PermissionStage.map, .stream, .full, decidedBy: "x"), at: at(400))
        ledger.saved(at: at(460))
        #expect(records(ledger, at: 460).map(\.number) == [2])
        ledger.record(UseLedgerTests.use, updates: 1, at: at(500))
        #expect(records(ledger, at: 500).map(\.number) == [2, 3])
    }

    @Test func `a disk that fails bounds the memory and loses the oldest`() {
        var ledger = UseLedger()
        let count = UseLedger.maxUnsaved + 10
        for number in 0..<count {
            ledger.record(
                LocationUse(ProgramID(user: UInt32(number)), .oneShot, .full, decidedBy: "x"), updates: 1, at: at(0))
        }
        #expect(ledger.savingFailed(at: at(60)) == 10)
        #expect(ledger.deadline == at(120) && records(ledger, at: 60).first?.number == 11)
        #expect(ledger.savingFailed(at: at(120)) == 0)
    }

    @Test func `numbers follow those of the store`() {
        var ledger = UseLedger()
        ledger.begin(.session(1), UseLedgerTests.use, at: at(0))
        ledger.beginNumbers(after: 70)
        ledger.setCount(2, of: .session(1))
        ledger.end(.session(1), at: at(1))
        ledger.record(LocationUse(PermissionStage.map, .visits, .full, decidedBy: "x"), updates: 1, at: at(2))
        #expect(records(ledger, at: 3).map(\.number) == [71, 72] && records(ledger, at: 3).map(\.updates) == [2, 1])
    }

    @Test func `forgetting begins the open uses again`() {
        var ledger = UseLedger()
        ledger.begin(.session(1), UseLedgerTests.use, at: at(0))
        ledger.setCount(5, of: .session(1))
        ledger.saved(at: at(1))
        ledger.record(LocationUse(PermissionStage.map, .visits, .full, decidedBy: "x"), updates: 1, at: at(2))
        #expect(ledger.forget(at: at(10)) == 1, "the other is in the store")
        ledger.setCount(6, of: .session(1))
        let all = records(ledger, at: 20)
        #expect(all.map(\.use) == [UseLedgerTests.use] && all.map(\.from) == [date(10)] && all.map(\.updates) == [1])
        #expect(all.map(\.number) == [3])
        ledger.end(.session(1), at: at(30))
        #expect(records(ledger, at: 30).map(\.duration) == [.seconds(20)])
    }

    @Test func `the programs in use have their best accuracy, first start and all kinds`() {
        var ledger = UseLedger()
        ledger.begin(.session(1), LocationUse(PermissionStage.map, .visits, .reduced, decidedBy: "x"), at: at(5))
        ledger.begin(
            .monitors(PermissionStage.map), LocationUse(PermissionStage.map, .monitors, .full, decidedBy: "x"),
            at: at(9))
        ledger.begin(.session(2), UseLedgerTests.use, at: at(7))
        ledger.record(LocationUse(PermissionStage.navigator, .oneShot, .full, decidedBy: "x"), updates: 1, at: at(9))
        let programs = ledger.inUse(at: at(10), date: date(10))
        #expect(programs.map(\.program) == [PermissionStage.shell, PermissionStage.map])
        #expect(programs.map(\.accuracy) == [.full, .full] && programs.map(\.since) == [date(7), date(5)])
        #expect(programs.map(\.kinds) == [[.stream], [.visits, .monitors]])
        ledger.end(.session(2), at: at(20))
        ledger.begin(.session(2), UseLedgerTests.use, at: at(25))
        #expect(ledger.inUse(at: at(30), date: nil).map(\.since) == [nil, nil])
        #expect(ledger.inUse(at: at(30), date: date(30)).first?.since == date(25), "the record began earlier")
        ledger.endAll(at: at(40))
        #expect(ledger.inUse(at: at(40), date: nil) == [])
    }

    @Test func `a long reason is cut`() {
        let path = String(repeating: "ä", count: 400)
        #expect(LocationUse(PermissionStage.map, .stream, .full, decidedBy: path).decidedBy.utf8.count <= 200)
    }

    /// Random orders of events; the open clients are the model.
    @Test func `counts and states agree with a model for random events`() {
        var random = ReducedRandom(state: 7)
        var ledger = UseLedger()
        var open: [Int: (use: LocationUse, count: Int)] = [:]
        var total = 0
        var stored: [Int64: UseRecord] = [:]
        for step in 0..<4000 {
            let now = at(Double(step * 7))
            let client = Int(random.next() % 6)
            let kind = UseKind.allCases[Int(random.next() % 4)]
            switch random.next() % 5 {
            case 0, 1:
                let count = open[client]?.count ?? 0
                let use = LocationUse(PermissionStage.shell, kind, .full, decidedBy: "x")
                ledger.begin(.session(client), use, count: count, at: now)
                open[client] = (use, count)
            case 2:
                ledger.end(.session(client), at: now)
                open[client] = nil
            case 3:
                guard let known = open[client] else { break }
                total += 3
                open[client]?.count = known.count + 3
                ledger.setCount(known.count + 3, of: .session(client))
            default:
                guard ledger.isSaveDue(at: now) else { break }
                for record in ledger.unsaved(at: now, date: nil) { stored[record.number] = record }
                ledger.saved(at: now)
            }
            #expect(Set(ledger.inUse(at: now, date: nil).flatMap(\.kinds)) == Set(open.values.map(\.use.kind)))
        }
        for record in ledger.unsaved(at: at(1e6), date: nil) { stored[record.number] = record }
        #expect(stored.values.reduce(0) { $0 + $1.updates } == total)
        #expect(stored.values.allSatisfy { $0.duration >= .zero })
    }
}

@Suite("The expiry of records of use")
struct UseExpiryTests {
    private let date = UTCTime(milliseconds: 1_795_262_400_000)

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test func `a steady clock deletes what is older than 30 days`() {
        var expiry = UseExpiry()
        #expect(expiry.cutoff(at: at(0), date: date) == nil)
        #expect(expiry.cutoff(at: at(599), date: date.advanced(by: .seconds(599))) == nil)
        let now = date.advanced(by: .seconds(600))
        #expect(expiry.cutoff(at: at(600), date: now) == now.advanced(by: .seconds(-30 * 86_400)))
    }

    @Test(arguments: [-1e8, -61, 61, 1e8])
    func `a clock that jumps deletes nothing for a while`(jump: Double) {
        var expiry = UseExpiry()
        for second in [0, 700.0] { _ = expiry.cutoff(at: at(second), date: date.advanced(by: .seconds(second))) }
        let wrong = date.advanced(by: .seconds(701 + jump))
        #expect(expiry.cutoff(at: at(701), date: wrong) == nil)
        #expect(expiry.cutoff(at: at(1300), date: wrong.advanced(by: .seconds(599))) == nil)
        #expect(expiry.cutoff(at: at(1301), date: wrong.advanced(by: .seconds(600))) != nil)
    }

    @Test func `a clock that is not set deletes nothing`() {
        var expiry = UseExpiry()
        _ = expiry.cutoff(at: at(0), date: date)
        #expect(expiry.cutoff(at: at(700), date: nil) == nil)
        #expect(expiry.cutoff(at: at(701), date: date.advanced(by: .seconds(701))) == nil)
        #expect(UseExpiry.cutoff(date: nil) == nil)
    }
}
