import Delivery
import Receivers
import Serial
import Testing
import Wire

@testable import sextant

@Suite("Doctor's judgement")
struct DiagnosisTests {
    /// All well, as the daemon tells it.
    static func healthy() throws -> Observations {
        var port = Observations.Port(device: DeviceDescription(path: "/dev/ttyACM0"), exists: true, isServed: true, access: .allowed)
        port.heard = try Sample.receiver()
        port.location = try Sample.read(Sample.locationText, as: LocationMessage.self)
        let socket = Observations.Socket.answers(version: "0.1.0")
        return Observations(socketPath: "/run/sextant/io.sextant", socket: socket, service: .installed, user: "alice", port: port)
    }

    /// The first thing wrong in what is left after a change for the worse.
    private func firstWrong(_ worsen: (inout Observations) throws -> Void) throws -> Check? {
        var observations = try DiagnosisTests.healthy()
        try worsen(&observations)
        let checks = Diagnosis(observations).checks
        #expect(checks.map(\.check) == Check.Subject.ofPosition)
        return checks.first { $0.state == .wrong }
    }

    @Test("All is well")
    func well() throws {
        let diagnosis = Diagnosis(try DiagnosisTests.healthy())
        #expect(diagnosis.isHealthy)
        #expect(diagnosis.checks.map(\.state) == Array(repeating: .ok, count: Check.Subject.ofPosition.count))
        #expect(diagnosis.checks.map(\.mend) == Array(repeating: nil, count: diagnosis.checks.count))
    }

    @Test(
        "The socket: each way it can fail has its own mend",
        arguments: [
            (Observations.Socket.missing, Observations.Service.installed, "sudo systemctl enable --now sextantd.socket"),
            (.missing, .notInstalled, "sudo sextantd --socket /run/sextant/io.sextant"),
            (.missing, .noSystemd, "sudo sextantd --socket /run/sextant/io.sextant"),
            (.refused, .installed, "sudo systemctl restart sextantd.socket sextantd.service"),
            (.refused, .noSystemd, "sudo sextantd --socket /run/sextant/io.sextant"),
            (.forbidden, .installed, "sudo chmod 0666 /run/sextant/io.sextant"),
            (.broken("it speaks French"), .installed, "journalctl -u sextantd -n 50"),
        ])
    func socket(_ socket: Observations.Socket, _ service: Observations.Service, _ command: String) throws {
        let wrong = try firstWrong { ($0.socket, $0.service) = (socket, service) }
        #expect(wrong?.check == .socket && wrong?.command == command)
    }

    @Test("Without the daemon the receiver is checked all the same")
    func withoutDaemon() throws {
        var observations = try DiagnosisTests.healthy()
        observations.socket = .missing
        observations.port?.isServed = false
        let states = Diagnosis(observations).checks.map(\.state)
        #expect(states == [.wrong] + Array(repeating: .ok, count: 8))
    }

    @Test("After the first thing wrong with the receiver nothing more is looked at")
    func stops() throws {
        var observations = try DiagnosisTests.healthy()
        observations.port?.exists = false
        let states = Diagnosis(observations).checks.map(\.state)
        #expect(states == [.ok, .wrong] + Array(repeating: .skipped, count: 7))
    }

    @Test("No receiver, with and without a port that may have one")
    func noReceiver() throws {
        #expect(try firstWrong { $0.port = nil }?.command == "lsusb")
        let wrong = try firstWrong { ($0.port, $0.unlisted) = (nil, ["/dev/ttyS0", "/dev/ttyS1"]) }
        #expect(wrong?.check == .device && wrong?.command == "sextant doctor --device /dev/ttyS0")
    }

    @Test("Permission: the user joins the group, the service is given it")
    func permission() throws {
        let user = try firstWrong { $0.port?.deny(to: "dialout") }
        #expect(user?.check == .permission && user?.command == "sudo usermod -aG dialout alice")
        let service = try firstWrong { $0.port?.access = .denied(group: "uucp") }
        #expect(service?.check == .permission && service?.command == "sudo systemctl edit sextantd.service")
        #expect(service?.mend?.contains("SupplementaryGroups=uucp") == true)
        #expect(try firstWrong { $0.port?.access = .denied(group: nil) }?.command == "ls -l /dev/ttyACM0")
    }

    @Test(
        "Who holds the port, and how it is freed",
        arguments: [
            ("gpsd", "sudo systemctl disable --now gpsd.socket gpsd.service"), ("ModemManager", "sudo systemctl stop ModemManager"),
            ("cat", "kill 812"),
        ])
    func holder(_ name: String, _ command: String) throws {
        let wrong = try firstWrong { $0.port?.holders = [PortHolder(process: 812, command: name)] }
        #expect(wrong?.check == .holder && wrong?.command == command)
        #expect(wrong?.finding == "/dev/ttyACM0 is in use by \(name) (pid 812)")
    }

    @Test("A port the daemon finds busy, and nobody can be seen who holds it")
    func unseenHolder() throws {
        let wrong = try firstWrong { $0.port?.heard = try Sample.receiver(state: "busy") }
        #expect(wrong?.check == .holder && wrong?.mend?.contains("root") == true)
    }

    @Test("Nothing comes; or bytes that are no NMEA")
    func speed() throws {
        let silent = try firstWrong { $0.port?.heard?.counts.bytes = 0 }
        #expect(silent?.check == .speed && silent?.finding == "nothing comes from /dev/ttyACM0")
        let garbage = try firstWrong {
            $0.port?.heard?.counts.sentences = 0
            $0.port?.heard?.baud = nil
        }
        #expect(garbage?.check == .speed && garbage?.command?.contains("record") == true)
        let hunting = try firstWrong { $0.port?.heard = try Sample.receiver(state: "hunting") }
        #expect(hunting?.check == .speed)
    }

    @Test("The speed that the configuration sets is not the receiver's")
    func setSpeed() throws {
        let wrong = try firstWrong {
            $0.port?.heard?.counts.sentences = 0
            $0.port?.heard?.baud = 4800
        }
        #expect(wrong?.check == .speed && wrong?.finding.contains("at 4800 baud, which is set for it") == true)
        #expect(wrong?.command == "grep -rn baud /etc/sextant")
    }

    @Test("A port has one reader: who is told to listen himself is told to stop the daemon first")
    func oneReader() throws {
        let service = try firstWrong { $0.port?.heard?.counts.bytes = 0 }
        #expect(service?.command?.hasPrefix("sudo systemctl stop sextantd.socket sextantd.service && sextant record ") == true)
        let byHand = try firstWrong {
            $0.port?.heard?.counts.bytes = 0
            $0.service = .notInstalled
        }
        #expect(byHand?.command?.hasPrefix("sextant record ") == true && byHand?.mend?.contains("end sextantd before") == true)
        let free = try firstWrong {
            $0.port?.heard?.counts.bytes = 0
            $0.port?.isServed = false
        }
        #expect(free?.command?.hasPrefix("sextant record ") == true && free?.mend?.contains("sextantd") == false)
    }

    @Test("Damaged sentences count from one in a hundred", arguments: [(3, false), (23, false), (24, true), (400, true)])
    func sentences(_ damaged: Int, _ isWrong: Bool) throws {
        let wrong = try firstWrong { $0.port?.heard = try Sample.receiver(damaged: damaged) }
        #expect((wrong?.check == .sentences) == isWrong)
    }

    @Test("A receiver that was heard and has fallen silent")
    func fallenSilent() throws {
        #expect(try firstWrong { $0.port?.heard = try Sample.receiver(state: "silent") }?.check == .sentences)
    }

    @Test("The antenna")
    func antenna() throws {
        let wrong = try firstWrong { $0.port?.lose(.antennaFault) }
        #expect(wrong?.check == .antenna)
        var mute = try DiagnosisTests.healthy()
        mute.port?.heard?.says = []
        #expect(Diagnosis(mute).checks.first { $0.check == .antenna }?.state == .skipped)
        #expect(Diagnosis(mute).isHealthy)
    }

    @Test(
        "No fix: what to do depends on what is heard",
        arguments: [
            ("", "clear view"), (Sample.satellite("gps", 1, 40, 10, 22, used: false), "four satellites"),
            ((1...5).map { Sample.satellite("gps", $0, 40, $0 * 40, 38, used: false) }.joined(separator: ","), "wait"),
        ])
    func fix(_ satellites: String, _ hint: String) throws {
        let wrong = try firstWrong {
            $0.port?.heard = try Sample.receiver(state: "talking", satellites: satellites)
            $0.port?.lose(.noFix)
        }
        #expect(wrong?.check == .fix && wrong?.mend?.contains(hint) == true)
    }

    @Test("An accuracy that is hardly one")
    func accuracy() throws {
        #expect(try firstWrong { $0.port?.location?.horizontalAccuracy = 240 }?.check == .accuracy)
        #expect(try firstWrong { $0.port?.location?.horizontalAccuracy = 99 } == nil)
    }

    @Test("The report, as a person reads it")
    func report() throws {
        var observations = try DiagnosisTests.healthy()
        observations.port?.deny(to: "dialout")
        let canvas = DoctorReport(checks: Diagnosis(observations).checks, width: 80).canvas()
        #expect(
            canvas.lines(.plain) == [
                " ok  socket      sextantd 0.1.0 answers at /run/sextant/io.sextant",
                " ok  device      /dev/ttyACM0",
                " !!  permission  /dev/ttyACM0 may not be opened by alice",
                "                 mend: join the group dialout, then log in anew",
                "                 $ sudo usermod -aG dialout alice",
                " --  holder      not looked at",
                " --  speed       not looked at",
                " --  sentences   not looked at",
                " --  antenna     not looked at",
                " --  fix         not looked at",
                " --  accuracy    not looked at",
            ])
    }
}

extension Observations.Port {
    fileprivate mutating func lose(_ cause: UnavailableCause) {
        (location, self.cause) = (nil, cause)
    }

    /// Not served by the daemon, and closed to this user.
    fileprivate mutating func deny(to group: String) {
        (access, isServed) = (.denied(group: group), false)
    }
}
