import Chronology
import Permission
import Testing

@testable import sextantd

@Suite struct ProgramNoticesTests {
    private func at(_ minutes: Double) -> Instant { .zero + .seconds(minutes * 60) }

    @Test func `a program is named once per kind and hour`() {
        var notices = ProgramNotices()
        let map = ProgramID(user: 1000)
        let admitted = [
            notices.admits(.refusal, about: map, at: at(0)), notices.admits(.refusal, about: map, at: at(59)),
            notices.admits(.lease, about: map, at: at(59)),
            notices.admits(.refusal, about: ProgramID(user: 1001), at: at(59)),
            notices.admits(.refusal, about: map, at: at(60)),
        ]
        #expect(admitted == [true, false, true, true, true])
    }

    @Test func `any number of programs needs a limited memory`() {
        var notices = ProgramNotices()
        var admitted = 0
        for user in 0..<5000 where notices.admits(.refusal, about: ProgramID(user: UInt32(user)), at: at(0)) {
            admitted += 1
        }
        #expect(admitted == 1024)
        let isAdmittedLater = notices.admits(.refusal, about: ProgramID(user: 9999), at: at(61))
        #expect(isAdmittedLater)
    }
}
