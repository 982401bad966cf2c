import Locator
import Permission
import Receivers
import SerialPorts
import SextantAPI
import Testing

@testable import sextant

@Suite("Diagnosis of doctor")
struct DiagnosisTests {
    /// Observations without any problem, as the daemon reports them.
    static func healthy() throws -> Observations {
        var port = Observations.Port(
            device: DeviceDescription(path: "/dev/ttyACM0"), exists: true, isOpenInDaemon: true, access: .allowed)
        port.receiver = try Sample.receiver()
        port.location = try Sample.read(Sample.locationText, as: Location.self)
        let socket = Observations.Socket.replied(version: "0.1.0")
        var observations = Observations(
            socketPath: "/run/sextant/io.sextant", socket: socket, service: .installed, user: "alice", port: port,
            configuration: .valid(files: ["/etc/sextant/sextant.toml"]))
        observations.permission = permission(PermissionVerdict(.always))
        observations.state = StoredState()
        observations.stateDirectory = "/var/lib/sextant"
        return observations
    }

    /// What the program that runs the doctor may know.
    static func permission(_ verdict: PermissionVerdict) -> Observations.ProgramPermission {
        Observations.ProgramPermission(message: Permission(verdict, of: ProgramID(user: 1000)))
    }

    /// Returns the first failed check after `worsen` changes healthy observations.
    private func firstWrong(afterChange change: (inout Observations) throws -> Void) throws -> Check? {
        var observations = try DiagnosisTests.healthy()
        try change(&observations)
        let checks = Diagnosis(observations).checks
        #expect(checks.map(\.check) == Check.Subject.receiverChecks)
        return checks.first { $0.state == .wrong }
    }

    @Test
    func `a healthy system passes all checks`() throws {
        let diagnosis = Diagnosis(try DiagnosisTests.healthy())
        #expect(diagnosis.checks.isHealthy)
        #expect(diagnosis.checks.map(\.state) == Array(repeating: .ok, count: Check.Subject.receiverChecks.count))
        #expect(diagnosis.checks.map(\.remedy) == Array(repeating: nil, count: diagnosis.checks.count))
    }

    @Test
    func `positions in another datum are a problem`() throws {
        let check = try #require(try firstWrong { $0.port?.location?.datum = "TOY" })
        #expect(check.check == .fix)
        #expect(check.finding.contains("TOY"))
    }

    @Test(arguments: [
        (
            Observations.Socket.missing, Observations.Service.installed,
            "sudo systemctl enable --now sextantd.socket"
        ),
        (.missing, .notInstalled, "sudo sextantd --socket /run/sextant/io.sextant"),
        (.missing, .noSystemd, "sudo sextantd --socket /run/sextant/io.sextant"),
        (.refused, .installed, "sudo systemctl restart sextantd.socket sextantd.service"),
        (.refused, .noSystemd, "sudo sextantd --socket /run/sextant/io.sextant"),
        (.permissionDenied, .installed, "sudo chmod 0666 /run/sextant/io.sextant"),
        (.directoryDenied("/run/sextant"), .installed, "sudo chmod 0755 /run/sextant"),
        (.failed("unexpected reply"), .installed, "journalctl -u sextantd -n 50"),
    ])
    func `each socket failure has its own remedy`(
        socket: Observations.Socket, service: Observations.Service, command: String
    ) throws {
        let wrong = try firstWrong { ($0.socket, $0.service) = (socket, service) }
        #expect(wrong?.check == .socket && wrong?.command == command)
    }

    @Test
    func `a simulated receiver is named`() throws {
        var observations = try DiagnosisTests.healthy()
        #expect(!Diagnosis(observations).checks.contains { $0.finding.contains("simulated") })
        observations.port?.receiver?.simulated = true
        let fix = Diagnosis(observations).checks.first { $0.check == .fix }
        #expect(fix?.state == .ok && fix?.finding.contains("the receiver is simulated") == true)
    }

    @Test
    func `the receiver is checked even without a daemon`() throws {
        var observations = try DiagnosisTests.healthy()
        observations.socket = .missing
        observations.port?.isOpenInDaemon = false
        let states = Diagnosis(observations).checks.map(\.state)
        #expect(states == [.wrong, .ok, .skipped] + Array(repeating: .ok, count: states.count - 3))
    }

    @Test
    func `checks after the first receiver failure are skipped`() throws {
        var observations = try DiagnosisTests.healthy()
        observations.port?.exists = false
        let states = Diagnosis(observations).checks.map(\.state)
        #expect(states == [.ok, .ok, .ok, .wrong] + Array(repeating: .skipped, count: states.count - 4))
    }

    @Test
    func `a missing receiver yields lsusb or a candidate port`() throws {
        #expect(try firstWrong { $0.port = nil }?.command == "lsusb")
        let wrong = try firstWrong { ($0.port, $0.unlisted) = (nil, ["/dev/ttyS0", "/dev/ttyS1"]) }
        #expect(wrong?.check == .device && wrong?.command == "sextant doctor --device /dev/ttyS0")
    }

    @Test
    func `a permission failure adds the user or the service to the group`() throws {
        let user = try firstWrong { $0.port?.deny(to: "dialout") }
        #expect(user?.check == .permission && user?.command == "sudo usermod -aG dialout alice")
        let service = try firstWrong { $0.port?.access = .denied(group: "uucp") }
        #expect(service?.check == .permission && service?.command == "sudo systemctl edit sextantd.service")
        #expect(service?.remedy?.contains("SupplementaryGroups=uucp") == true)
        #expect(
            try firstWrong { $0.port?.access = .denied(group: nil) }?.command
                == "sudo udevadm trigger --action=add --name-match=/dev/ttyACM0")
    }

    @Test(arguments: [
        ("gpsd", "sudo systemctl disable --now gpsd.socket gpsd.service"),
        ("ModemManager", "sudo systemctl stop ModemManager"),
        ("cat", "kill 812"),
    ])
    func `the report names the program that holds the port and how to free it`(name: String, command: String) throws {
        let wrong = try firstWrong { $0.port?.holders = [PortHolder(process: 812, command: name)] }
        #expect(wrong?.check == .holder && wrong?.command == command)
        #expect(wrong?.finding == "/dev/ttyACM0 is in use by \(name) (pid 812)")
    }

    /// The other program reads the sentences of a receiver that the daemon has woken.
    @Test(arguments: [3.0, 15]) func `a start that does not end because another program reads the port`(
        seconds: Double
    ) throws {
        let wrong = try firstWrong {
            $0.port?.lose(.starting)
            $0.port?.receiver?.driver?.activity = .portClosed
            $0.port?.holders = [PortHolder(process: 812, command: "cat")]
            $0.port?.watchedSeconds = seconds
            $0.isPositionNeeded = true
        }
        #expect((wrong?.check == .holder) == (seconds == 15))
    }

    @Test
    func `a program without permission is the problem, not its missing satellites`() throws {
        let place = RulePlace(file: "/etc/sextant/conf.d/a.toml", line: 3)
        let verdicts: [(PermissionVerdict, String)] = [
            (
                PermissionVerdict(.denied, flags: .authorizationDenied, basis: .standard(place)),
                "sudo sextant grant 1000"
            ),
            (
                PermissionVerdict(
                    .restricted, flags: [.authorizationDenied, .authorizationRestricted], basis: .rule(place)),
                "sudo ${EDITOR:-vi} +3 /etc/sextant/conf.d/a.toml && sudo systemctl reload sextantd.service"
            ),
            (
                PermissionVerdict(
                    .denied, flags: [.authorizationDenied, .authorizationDeniedGlobally],
                    basis: .locationSwitch(user: 0)),
                "sudo sextant enable"
            ),
            (
                PermissionVerdict(.whenInUse, flags: .insufficientlyInUse, basis: .standard(place)),
                "sudo sextant grant 1000 --always"
            ),
        ]
        for (verdict, command) in verdicts {
            let wrong = try firstWrong {
                $0.permission = DiagnosisTests.permission(verdict)
                $0.port?.receiver?.satellites = []
                $0.port?.location = nil
            }
            #expect(wrong?.check == .authorization && wrong?.command == command, "\(String(describing: wrong))")
        }
    }

    @Test
    func `a reduced location is no problem, and hides the checks of satellites`() throws {
        var observations = try DiagnosisTests.healthy()
        observations.permission = DiagnosisTests.permission(
            PermissionVerdict(.always, accuracy: .reduced, flags: .accuracyLimited))
        observations.port?.receiver?.satellites = []
        observations.port?.location?.horizontalAccuracy = 5000
        let diagnosis = Diagnosis(observations)
        #expect(diagnosis.checks.isHealthy)
        #expect(diagnosis.checks.filter { $0.state == .skipped }.map(\.check) == [.antenna, .fix, .accuracy])
    }

    @Test
    func `a busy port without a visible holder suggests running as root`() throws {
        let wrong = try firstWrong {
            $0.port?.receiver = try Sample.receiver(state: "busy")
            $0.port?.watchedSeconds = 15
        }
        #expect(wrong?.check == .holder && wrong?.remedy?.contains("root") == true)
        #expect(wrong?.command == "sudo fuser -v /dev/ttyACM0")
        let free = try firstWrong {
            $0.port?.isOpenInDaemon = false
            $0.port?.isHeldInvisibly = true
        }
        #expect(free?.check == .holder && free?.finding == "/dev/ttyACM0 is in use by another program")
        #expect(free?.command == "sudo fuser -v /dev/ttyACM0")
    }

    @Test
    func `no data and undecodable bytes fail the check of the baud rate`() throws {
        let silent = try firstWrong { $0.port?.receiver?.counts.bytes = 0 }
        #expect(silent?.check == .baud && silent?.finding == "no data received from /dev/ttyACM0")
        let garbage = try firstWrong {
            $0.port?.receiver?.counts.sentences = 0
            $0.port?.receiver?.baud = nil
        }
        #expect(garbage?.check == .baud && garbage?.command?.contains("record") == true)
        let detectingBaudRate = try firstWrong {
            $0.port?.receiver = try Sample.receiver(state: "detectingBaudRate", detail: "now trying 9600 baud")
            $0.port?.lose(.notUnderstood)
            $0.port?.watchedSeconds = 15
        }
        #expect(detectingBaudRate?.check == .baud)
    }

    @Test
    func `a configured baud rate that differs from the receiver fails`() throws {
        let wrong = try firstWrong {
            $0.port?.receiver?.counts.sentences = 0
            $0.port?.receiver?.baud = 4800
        }
        #expect(wrong?.check == .baud && wrong?.finding.contains("at 4800 baud, the configured rate") == true)
        #expect(wrong?.command == "grep -rn baud /etc/sextant")
    }

    @Test
    func `recording by hand first stops a daemon that serves the port`() throws {
        let service = try firstWrong { $0.port?.receiver?.counts.bytes = 0 }
        #expect(
            service?.command?.hasPrefix("sudo systemctl stop sextantd.socket sextantd.service && sextant record ")
                == true)
        let byHand = try firstWrong {
            $0.port?.receiver?.counts.bytes = 0
            $0.service = .notInstalled
        }
        #expect(
            byHand?.command?.hasPrefix("sextant record ") == true
                && byHand?.remedy?.contains("stop sextantd before") == true)
        let free = try firstWrong {
            $0.port?.receiver?.counts.bytes = 0
            $0.port?.isOpenInDaemon = false
        }
        #expect(free?.command?.hasPrefix("sextant record ") == true && free?.remedy?.contains("sextantd") == false)
    }

    @Test(arguments: [(3, false), (23, false), (24, true), (400, true)])
    func `the sentences check fails from one damaged sentence in a hundred`(damaged: Int, isWrong: Bool) throws {
        let wrong = try firstWrong { $0.port?.receiver = try Sample.receiver(damaged: damaged) }
        #expect((wrong?.check == .sentences) == isWrong)
    }

    @Test
    func `a receiver that stopped sending fails the sentences check`() throws {
        let wrong = try firstWrong {
            $0.port?.receiver = try Sample.receiver(state: "silent", detail: "its receiver sends no data")
            $0.port?.lose(.receiverSilent)
        }
        #expect(wrong?.check == .sentences)
    }

    @Test
    func `an antenna fault fails and an unknown antenna state is skipped`() throws {
        let wrong = try firstWrong { $0.port?.lose(.antennaFault) }
        #expect(wrong?.check == .antenna)
        var mute = try DiagnosisTests.healthy()
        mute.port?.receiver?.says = []
        #expect(Diagnosis(mute).checks.first { $0.check == .antenna }?.state == .skipped)
        #expect(Diagnosis(mute).checks.isHealthy)
    }

    @Test(arguments: [
        ("", "clear view"),
        (
            Sample.satellite("gps", number: 1, elevation: 40, azimuth: 10, carrierToNoise: 22, used: false),
            "four satellites"
        ),
        (
            (1...5).map {
                Sample.satellite("gps", number: $0, elevation: 40, azimuth: $0 * 40, carrierToNoise: 38, used: false)
            }.joined(separator: ","), "wait"
        ),
    ])
    func `the remedy for a missing fix depends on the satellites in view`(satellites: String, hint: String) throws {
        let wrong = try firstWrong {
            $0.port?.receiver = try Sample.receiver(state: "sendingWithoutFix", satellites: satellites)
            $0.port?.lose(.noFix)
        }
        #expect(wrong?.check == .fix && wrong?.remedy?.contains(hint) == true)
    }

    @Test
    func `a very poor accuracy fails the accuracy check`() throws {
        #expect(try firstWrong { $0.port?.location?.horizontalAccuracy = 240 }?.check == .accuracy)
        #expect(try firstWrong { $0.port?.location?.horizontalAccuracy = 99 } == nil)
    }

    @Test
    func `the doctor report prints a line per check`() throws {
        var observations = try DiagnosisTests.healthy()
        observations.port?.deny(to: "dialout")
        let canvas = DoctorReport(checks: Diagnosis(observations).checks, width: 80).canvas()
        #expect(
            canvas.lines(.plain) == [
                " ok  socket         sextantd 0.1.0 replies on /run/sextant/io.sextant",
                " ok  configuration  /etc/sextant/sextant.toml: valid",
                " ok  state          /var/lib/sextant can be written",
                " ok  device         /dev/ttyACM0",
                " !!  permission     alice has no permission to open /dev/ttyACM0",
                "                    how to fix: join the group dialout, then log in again",
                "                    $ sudo usermod -aG dialout alice",
                " --  holder         not checked",
                " --  baud           not checked",
                " --  sentences      not checked",
                " --  authorization  not checked",
                " --  antenna        not checked",
                " --  fix            not checked",
                " --  accuracy       not checked",
            ])
    }
}

extension Observations.Port {
    fileprivate mutating func lose(_ cause: Cause) {
        (location, self.cause) = (nil, cause)
    }

    /// Makes the port unreadable for this user and not served by the daemon.
    fileprivate mutating func deny(to group: String) {
        (access, isOpenInDaemon) = (.denied(group: group), false)
    }
}
