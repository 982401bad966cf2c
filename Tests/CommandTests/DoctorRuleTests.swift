import Locator
import Receivers
import SerialPorts
import SextantAPI
import Testing
import Varlink

@testable import sextant

/// The boundaries of the rules by which `sextant doctor` distinguishes problems from normal states.
@Suite("Rules of the doctor")
struct DoctorRuleTests {
    private func wrong(_ change: (inout Observations) throws -> Void) throws -> Check.Subject? {
        var observations = try DiagnosisTests.healthy()
        try change(&observations)
        return Diagnosis(observations).checks.first { $0.state == .wrong }?.check
    }

    @Test(arguments: [
        (5, 1, false), (19, 19, false), (20, 1, false), (20, 2, false), (20, 3, true), (99, 1, false), (199, 2, false),
        (299, 3, true), (300, 3, false), (300, 4, true), (0, 0, false),
    ])
    func `lines are faulty from 20 lines, three damaged ones and more than 1 % on`(
        total: Int, damaged: Int, isFaulty: Bool
    )
        throws
    {
        #expect(ReceivedLines(total: total, damaged: damaged).isFaulty == isFaulty)
        let subject = try wrong {
            $0.port?.receiver = try Sample.receiver(damaged: damaged)
            $0.port?.receiver?.counts.sentences = max(total - damaged, 1)
            $0.port?.recentLines = ReceivedLines(total: total, damaged: damaged)
        }
        #expect(subject == (isFaulty ? .sentences : nil))
    }

    @Test
    func `damage before the doctor watched is no problem`() throws {
        for damaged in [1, 400, 2345] {
            #expect(
                try wrong {
                    $0.port?.receiver = try Sample.receiver(damaged: damaged)
                    $0.port?.recentLines = ReceivedLines(total: 60, damaged: 1)
                } == nil)
        }
    }

    @Test
    func `only a running receiver with much damage is watched`() throws {
        func needsRecent(_ change: (inout Observations) throws -> Void) throws -> Bool {
            var observations = try DiagnosisTests.healthy()
            observations.port?.receiver = try Sample.receiver(damaged: 400)
            try change(&observations)
            let port = try #require(observations.port)
            return ReceivedLines.needsRecent(port, phase: ReceiverPhase(of: port, in: observations))
        }
        #expect(try needsRecent { _ in })
        #expect(try !needsRecent { $0.port?.receiver = try Sample.receiver(damaged: 3) })
        // New damage after many good lines.
        #expect(
            try needsRecent {
                $0.port?.receiver = try Sample.receiver(damaged: 60)
                $0.port?.receiver?.counts.sentences = 1_000_000
            })
        #expect(try !needsRecent { $0.port?.isOpenInDaemon = false })
        #expect(
            try !needsRecent {
                $0.port?.receiver?.state = .asleep
                $0.port?.location = nil
                $0.port?.cause = .starting
            })
        #expect(try needsRecent { $0.port?.recentLines = ReceivedLines(total: 19, damaged: 0) })
        #expect(
            try !needsRecent {
                $0.port?.recentLines = ReceivedLines(total: 20, damaged: 0)
                $0.port?.watchedSeconds = 3
            })
        // The lines of one wake.
        #expect(
            try needsRecent {
                $0.port?.recentLines = ReceivedLines(total: 40, damaged: 3)
                $0.port?.watchedSeconds = 14
            })
    }

    @Test
    func `counts that began again give no negative lines`() throws {
        let (many, few) = (try Sample.receiver(damaged: 9).counts, ReceiverCounts.none)
        #expect(ReceivedLines(from: many, to: few) == ReceivedLines(total: 0, damaged: 0))
        #expect(ReceivedLines(from: few, to: many) == ReceivedLines(total: 2354, damaged: 9))
    }

    @Test
    func `an old position that comes with a cause is no fix`() throws {
        var observations = try DiagnosisTests.healthy()
        observations.port?.cause = .noFix
        let checks = Diagnosis(observations).checks
        #expect(checks.first { $0.check == .fix }?.state == .wrong)
        #expect(checks.first { $0.check == .accuracy }?.state == .skipped)
        // The accuracy of an old position is none either.
        observations.port?.location?.horizontalAccuracy = 500
        #expect(Diagnosis(observations).checks.first { $0.check == .accuracy }?.state == .skipped)
    }

    @Test(arguments: [(89.0, true), (90, false)])
    func `a missing fix is a problem from 90 s of search on`(seconds: Double, isHealthy: Bool) throws {
        func change(_ observations: inout Observations) {
            observations.port?.receiver?.state = .sendingWithoutFix
            observations.port?.location = nil
            observations.port?.cause = .noFix
        }
        for youngBy in 0..<3 {
            let subject = try wrong {
                change(&$0)
                $0.uptime = youngBy == 0 ? seconds : 1e6
                $0.port?.secondsPresent = youngBy == 1 ? seconds : nil
                $0.port?.receiver?.counts.epochs = youngBy == 2 ? Int(seconds) : 10_000
            }
            #expect(subject == (isHealthy ? nil : .fix))
        }
    }

    @Test(arguments: [
        ("detectingBaudRate", Cause.notUnderstood, Check.Subject.baud), ("busy", .portBusy, .holder),
        ("absent", .noReceiver, .device),
    ])
    func `a state that should be short is a problem after the watch limit`(
        state: String, cause: Cause, subject: Check.Subject
    ) throws {
        for (seconds, expected) in [(0.0, nil), (14.9, nil), (15, subject)] as [(Double, Check.Subject?)] {
            let found = try wrong {
                $0.port?.receiver = try Sample.receiver(state: state, detail: "the reason")
                $0.port?.location = nil
                $0.port?.cause = cause
                $0.port?.watchedSeconds = seconds
            }
            #expect(found == expected, "\(state) after \(seconds) s")
        }
    }

    @Test
    func `a receiver that sleeps without a fix is a problem only while a position is needed`() throws {
        for (isNeeded, subject) in [(false, nil), (nil, nil), (true, .fix)] as [(Bool?, Check.Subject?)] {
            let found = try wrong {
                $0.isPositionNeeded = isNeeded
                $0.port?.receiver?.state = .sendingWithoutFix
                $0.port?.receiver?.driver = DriverState(activity: .asleep, isUnresponsive: false)
                $0.port?.location = nil
                $0.port?.cause = .noFix
            }
            #expect(found == subject)
        }
    }

    @Test
    func `a port that the running daemon leaves unused is a problem`() throws {
        let device = DeviceDescription(
            name: "ttyUSB0", path: "/dev/ttyUSB0", subsystem: "tty", driver: "ftdi_sio",
            usb: USBIdentity(vendor: 0x0403, product: 0x6001))
        func unused(_ change: (inout Observations.Port) throws -> Void) throws -> Check? {
            var observations = try DiagnosisTests.healthy()
            observations.uptime = 1000
            var port = Observations.Port(device: device, exists: true, isOpenInDaemon: false, access: .allowed)
            try change(&port)
            observations.port = port
            return Diagnosis(observations).checks.first { $0.state == .wrong }
        }
        // The daemon's permission matters, not that of the user who calls the doctor.
        let denied = try unused { $0.access = .denied(group: "dialout") }
        #expect(denied?.check == .holder && denied?.command == "sudo sextant doctor --device /dev/ttyUSB0")
        let good = try unused { $0.receiver = try Sample.receiver() }
        #expect(good?.check == .holder && good?.finding.contains("sextantd does not use it") == true)
        let other = try unused { $0.holders = [.init(process: 0, command: "an unknown program")] }
        #expect(other?.check == .holder && other?.finding.contains("in use") == true)
        let silent = try unused {
            $0.receiver = try Sample.receiver()
            $0.receiver?.counts = .none
        }
        #expect(silent?.check == .baud)
    }

    @Test
    func `the state of a receiver and the activity of its driver agree`() throws {
        for state in ReceiverHealth.allCases {
            for activity in DriverActivity.allCases {
                var receiver = try Sample.receiver()
                receiver.state = state
                receiver.driver = DriverState(
                    activity: activity, chip: "ublox8", sleepMethod: "ubloxStandby", isUnresponsive: false)
                let shown = ReceiverFormatter.state(receiver)
                let text = ReceiverFormatter.driver(receiver) ?? ""
                let isResting = ["asleep", "sleep", "not needed", "saves power"].contains { text.contains($0) }
                if shown == .asleep { #expect(isResting, "\(state) \(activity): \(text)") }
                if isResting, activity != .savingPower { #expect(shown == .asleep, "\(state) \(activity): \(text)") }
                let table = ReceiverListText(receivers: [receiver]).canvas(columns: nil).lines(.plain)
                #expect(table[1].contains(" \(shown.displayText) ") && table.joined().contains(text))
            }
        }
    }

    @Test
    func `JSON of fence watch reports that events cannot be recorded`() throws {
        let full = FenceSample.monitor().split(separator: #""persistenceUnavailable":false"#).joined(
            separator: #""persistenceUnavailable":true"#)
        func daemon(_ monitor: String) -> FakeDaemon {
            FakeDaemon(results: [
                MonitorMethods.listMonitors.name: .reply(#"{"monitors":[\#(monitor)]}"#),
                MonitorMethods.open.name: .reply(#"{"monitor":\#(monitor)}"#),
            ])
        }
        for arguments in [["--json"], []] {
            let outcome = try daemon(full).run(["fence", "watch", "home", "--duration", "0.2"] + arguments)
            #expect(outcome.errors.contains("sextantd cannot record events"))
            guard arguments == ["--json"] else { continue }
            let line = try JSONValue(parsing: Array(outcome.output.utf8))
            #expect(line["monitor"]?["persistenceUnavailable"] == true && line["monitor"]?["name"] == "home")
        }
        let well = daemon(FenceSample.monitor())
        #expect(try well.run(["fence", "watch", "home", "--duration", "0.2", "--json"]).output == "")
    }
}
