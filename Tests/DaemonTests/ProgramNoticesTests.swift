import Chronology
import Permission
import Testing

@testable import sextantd

@Suite struct ProgramNoticesTests {
    private func at(_ minutes: Double) -> Instant { .zero + .seconds(minutes * 60) }

    @Test func `a program is named once per kind and hour`() {
        var notices = ProgramNotices()
        let map = ProgramID(user: 1000)
        #expect(notices.admits(.refusal, about: map, at: at(0)))
        #expect(!notices.admits(.refusal, about: map, at: at(59)))
        #expect(notices.admits(.lease, about: map, at: at(59)))
        #expect(notices.admits(.refusal, about: ProgramID(user: 1001), at: at(59)))
        #expect(notices.admits(.refusal, about: map, at: at(60)))
    }

    @Test func `any number of programs needs a limited memory`() {
        var notices = ProgramNotices()
        let admitted = (0..<5000).count { notices.admits(.refusal, about: ProgramID(user: UInt32($0)), at: at(0)) }
        #expect(admitted == 1024)
        #expect(notices.admits(.refusal, about: ProgramID(user: 9999), at: at(61)))
    }
}
