import Chronology
import Testing

@testable import Simulator

@Suite struct FaultTests {
    @Test func `fault arguments are parsed`() throws {
        #expect(try Fault(parsing: "dropout@30s+20s") == Fault(.dropout, start: .seconds(30), duration: .seconds(20)))
        #expect(
            try Fault(parsing: "corruption@0s+1.5m:0.01")
                == Fault(.corruption, start: .zero, duration: .seconds(90), rate: 0.01))
        #expect(try Fault(parsing: "silence@500ms") == Fault(.silence, start: .milliseconds(500)))
        #expect(try Fault(parsing: "dropout@30+2.5") == Fault(.dropout, start: .seconds(30), duration: .seconds(2.5)))
        #expect(try Fault(parsing: "unplug@1h+5s") == Fault(.unplug, start: .seconds(3600), duration: .seconds(5)))
    }

    @Test(arguments: [
        ("", "unknown fault"), ("tunnel@3s", "unknown fault"), ("dropout", "start time is missing"),
        ("dropout@30x", "is not a time"),
        ("dropout@-1s", "is not a time"), ("dropout@nans", "is not a time"),
        ("dropout@1s+0s", "is not a positive duration"),
        ("dropout@1s+", "is not a positive duration"), ("silence@1s+2s:0.5", "only corruption"),
        ("corruption@0s:2", "between 0 and 1"),
        ("corruption@1e300h", "is not a time"),
    ])
    func `an invalid fault argument is rejected with a reason`(argument: String, reason: String) {
        #expect {
            try Fault(parsing: argument)
        } throws: { error in
            "\(error)".contains("\"\(argument)\"") && "\(error)".contains(reason)
        }
    }

    @Test func `a dropout loses the fix and keeps the clock`() throws {
        let sent = try simulate(seconds: 20) {
            $0.faults = FaultSchedule([Fault(.dropout, start: .seconds(5), duration: .seconds(6))])
        }
        let status = sent.filter { kind($0) == "RMC" }.map { fields($0)[2] }.joined()
        #expect(status == "AAAAAVVVVVVVVAAAAAAA")
        let lost = try #require(sent.first { kind($0) == "RMC" && fields($0)[2] == "V" })
        #expect(fields(lost)[1] == "120005.00" && fields(lost)[9] == "010626" && fields(lost)[3].isEmpty)
    }

    @Test func `corruption flips about the requested share of bytes`() throws {
        let clean = try simulate(seconds: 60) { _ in }
        var options = SimulatorOptions()
        options.duration = .seconds(60)
        options.faults = FaultSchedule([Fault(.corruption, start: .zero, rate: 0.01)])
        let damaged = try SimulatedCapture.bytes(options)
        options.faults = FaultSchedule()
        let whole = try SimulatedCapture.bytes(options)
        #expect(whole.count == damaged.count)
        let flipped = zip(whole, damaged).filter { $0 != $1 }.count
        #expect(abs(Double(flipped) / Double(whole.count) - 0.01) < 0.002)
        #expect(zip(whole, damaged).allSatisfy { ($0 ^ $1).nonzeroBitCount <= 1 })
        #expect(lines(damaged).filter(isValid).count < clean.count)
    }

    @Test func `no bytes are sent during silence`() throws {
        var options = SimulatorOptions()
        options.faults = FaultSchedule([Fault(.silence, start: .seconds(3), duration: .seconds(4))])
        var receiver = try options.build(origin: .zero, utc: SimulatedCapture.defaultStart).receiver
        let instants = receiver.bytes(until: .zero + .seconds(10)).map { ($0.instant - .zero).seconds }
        #expect(instants.contains { $0 < 3 } && instants.contains { $0 >= 7 })
        #expect(!instants.contains { $0 >= 3 && $0 < 7 })
    }

    @Test func `the schedule returns its next change`() {
        let schedule = FaultSchedule([
            Fault(.dropout, start: .seconds(5), duration: .seconds(5)), Fault(.silence, start: .seconds(7)),
        ])
        #expect(schedule.nextChange(after: .zero) == .seconds(5))
        #expect(schedule.nextChange(after: .seconds(5)) == .seconds(7))
        #expect(schedule.nextChange(after: .seconds(7)) == .seconds(10))
        #expect(schedule.nextChange(after: .seconds(10)) == nil)
        #expect(schedule.active(.silence, at: .seconds(1e6)) != nil)
    }
}
