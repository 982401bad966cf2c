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

    @Test func `any number of programs needs a limited memory, and hides no other user`() {
        var notices = ProgramNotices()
        let admitted = (0..<5000).count { number in
            notices.admits(.refusal, about: ProgramID(user: 1000, unit: "\(number).service"), at: at(0))
        }
        let isOtherAdmitted = notices.admits(.refusal, about: ProgramID(user: 1001), at: at(0))
        let isAdmittedLater = notices.admits(.refusal, about: ProgramID(user: 1000), at: at(61))
        #expect(admitted == 64 && isOtherAdmitted && isAdmittedLater)
        let users = (2000..<9000).count { notices.admits(.refusal, about: ProgramID(user: $0), at: at(61)) }
        #expect(users == 4095, "one of 4,096 is remembered already")
    }
}
