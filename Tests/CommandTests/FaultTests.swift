import Chronology
import Glibc
import Locator
import Permission
import Receivers
import SerialPorts
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextant

/// A fault of the whole system: how it appears to the doctor, and what the doctor must report.
struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var check: Check.Subject
    var finding: String
    /// The command that repairs it, or shows what a person must repair.
    var command: String
    var change: @Sendable (inout Observations) throws -> Void

    init(
        _ name: String, _ check: Check.Subject, _ finding: String, _ command: String,
        _ change: @escaping @Sendable (inout Observations) throws -> Void
    ) {
        testDescription = name
        self.check = check
        self.finding = finding
        self.command = command
        self.change = change
    }

    private static let problem = ConfigurationProblem(
        file: "/etc/sextant/conf.d/a.toml", line: 2, key: "service.log_levl", reason: "unknown key")
    private static let edit = "sudo ${EDITOR:-vi} +2 /etc/sextant/conf.d/a.toml && "
    private static let record =
        "sudo systemctl stop sextantd.socket sextantd.service && sextant record --device /dev/ttyACM0 "

    /// The faults that were made in the virtual machine, except those of fences.
    static let all: [Fault] = [
        Fault(
            "the service is stopped, its socket too", .socket, "the daemon has ended",
            "sudo systemctl restart sextantd.socket sextantd.service"
        ) { $0.socket = .refused },
        Fault(
            "the daemon hangs", .socket, "sextantd (pid 31) runs, but does not reply",
            "sudo systemctl restart sextantd.socket sextantd.service"
        ) { $0.socket = .hung(HungDaemon(process: 31)) },
        Fault("the daemon is stopped", .socket, "a signal has stopped it", "kill -CONT 31") {
            $0.socket = .hung(HungDaemon(process: 31, isStopped: true))
        },
        Fault(
            "the socket was never enabled", .socket, "there is no socket", "sudo systemctl enable --now sextantd.socket"
        ) { $0.socket = .missing },
        Fault(
            "the socket is for root alone", .socket, "no permission to connect",
            "sudo chmod 0666 /run/sextant/io.sextant"
        ) { $0.socket = .permissionDenied },
        Fault(
            "the configuration prevents the start", .configuration,
            "/etc/sextant/conf.d/a.toml:2: service.log_levl: unknown key; sextantd cannot start",
            edit + "sudo systemctl reset-failed sextantd.service && "
                + "sudo systemctl restart sextantd.socket sextantd.service"
        ) { ($0.socket, $0.configuration, $0.port) = (.cannotStart, .invalid(problem), nil) },
        Fault(
            "the configuration was refused at a reload", .configuration, "keeps its earlier configuration",
            edit + "sudo systemctl reload sextantd.service"
        ) { $0.configuration = .invalid(problem) },
        Fault("the disk is full", .state, "4 KiB are free", "df -h /var/lib/sextant") {
            $0.state?.problem = StateProblem(
                cause: .full, reason: "4 KiB are free in the file system of /var/lib/sextant", remedy: "free space")
        },
        Fault(
            "the database belongs to another user", .state, "no program gets the location",
            "sudo chown -R sextant:sextant /var/lib/sextant && sudo chmod 0700 /var/lib/sextant"
                + " && sudo systemctl restart sextantd.service"
        ) {
            $0.fail(.unwritable, "opening /var/lib/sextant/sextant.db: Permission denied")
        },
        Fault("another daemon has the database", .state, "sextantd (pid 31) has it open", "sudo kill 31") {
            $0.fail(.busy, "opening /var/lib/sextant/sextant.db: database is locked")
            $0.databaseHolders = [PortHolder(process: 31, command: "sextantd")]
        },
        Fault(
            "an unknown program has the database", .state, "database is locked",
            "sudo fuser -v /var/lib/sextant/sextant.db"
        ) { $0.fail(.busy, "opening /var/lib/sextant/sextant.db: database is locked") },
        Fault(
            "a damaged database was replaced", .state, "its fences, visits, record of use and energy use are gone",
            "sudo rm /var/lib/sextant/sextant.db.torn-20261121T142233*"
        ) {
            $0.state?.replaced = ReplacedDatabase(
                path: "/var/lib/sextant/sextant.db.torn-20261121T142233", date: "2026-11-21T14:22:33.000Z")
        },
        Fault(
            "the directory of the socket is closed", .socket, "no permission to use /run/sextant",
            "sudo chmod 0755 /run/sextant"
        ) { $0.socket = .directoryDenied("/run/sextant") },
        Fault(
            "the discovery of receivers is off", .device, "discovery of receivers is off",
            "grep -rn discover /etc/sextant"
        ) {
            ($0.port, $0.discovers) = (nil, false)
        },
        Fault("no receiver is connected", .device, "no receiver is connected", "lsusb") { $0.port = nil },
        Fault("the receiver was disconnected", .device, "there is no device", "ls -l /dev/ttyACM0") {
            $0.lose("absent", .receiverLost)
            $0.port?.exists = false
        },
        Fault("the port is no serial port", .device, "is not a serial port", "grep -rn /dev/ttyACM0 /etc/sextant") {
            $0.lose("absent", .noReceiver)
            $0.port?.isSerialPort = false
        },
        Fault(
            "the service is not in the group of the port", .permission, "the daemon has no permission",
            "sudo systemctl edit sextantd.service"
        ) {
            $0.lose("denied", .permissionDenied)
            $0.port?.access = .denied(group: "dialout")
        },
        Fault(
            "the port belongs to root alone", .permission, "the daemon has no permission",
            "sudo udevadm trigger --action=add --name-match=/dev/ttyACM0"
        ) {
            $0.lose("denied", .permissionDenied)
            $0.port?.access = .denied(group: nil)
        },
        Fault(
            "the unit does not allow the driver", .permission, "device filter", "sudo systemctl edit sextantd.service"
        ) {
            $0.lose("denied", .permissionDenied)
            $0.port?.receiver?.detail = "sextantd cannot open \(SerialError.deniedByDeviceFilter(path: "/dev/ttyACM0"))"
            $0.port?.access = .denied(group: "dialout")
        },
        Fault(
            "gpsd has the port", .holder, "in use by gpsd (pid 812)",
            "sudo systemctl disable --now gpsd.socket gpsd.service"
        ) {
            $0.lose("busy", .portBusy)
            $0.port?.holders = [PortHolder(process: 812, command: "gpsd")]
        },
        Fault(
            "ModemManager reads the port too", .holder, "in use by ModemManager (pid 9)",
            "sudo systemctl stop ModemManager"
        ) { $0.port?.holders = [PortHolder(process: 9, command: "ModemManager")] },
        Fault("the receiver sends nothing", .baud, "no data received", record + "--duration 10") {
            $0.lose("silent", .receiverSilent)
            $0.port?.receiver?.counts = .none
        },
        Fault(
            "the device sends something else", .baud, "no GNSS sentence at any baud rate tried",
            record + "--baud 9600 --duration 10 -o unknown.bin"
        ) {
            $0.lose("detectingBaudRate", .notUnderstood)
            $0.port?.receiver?.counts.sentences = 0
        },
        Fault("the configured baud rate is wrong", .baud, "the configured rate", "grep -rn baud /etc/sextant") {
            $0.lose("sendingWithoutFix", .notUnderstood)
            $0.port?.receiver?.counts.sentences = 0
        },
        Fault(
            "a file sets the wrong baud rate", .baud, "the configured rate (/etc/sextant/sextant.toml:7)",
            "sudo ${EDITOR:-vi} +7 /etc/sextant/sextant.toml && sudo systemctl reload sextantd.service"
        ) {
            $0.lose("sendingWithoutFix", .notUnderstood)
            $0.port?.receiver?.counts.sentences = 0
            $0.baudPlace = ("/etc/sextant/sextant.toml", 7)
        },
        Fault("the line damages data", .sentences, "60 damaged: 30.0 % now", "sextant receivers") {
            $0.port?.receiver?.counts.checksumErrors = 60
            $0.port?.recentLines = ReceivedLines(total: 40, damaged: 12)
        },
        Fault("the antenna is open", .antenna, "open or shorted", "sextant receivers") {
            $0.lose("sendingWithoutFix", .antennaFault)
        },
        Fault("the port sends AIS alone", .fix, "sends AIS messages of ships, but no position", "sextant tail") {
            $0.lose("sendingWithoutFix", .notUnderstood)
            $0.port?.receiver?.detail =
                "/dev/ttyACM0 sends AIS messages of ships, but no position of this device: connect a GNSS receiver"
        },
        Fault("the sky is hidden", .fix, "no fix", "sextant sky --watch") { $0.lose("sendingWithoutFix", .noFix) },
        Fault(
            "the service is not in the group of a converter", .permission, "the daemon has no permission",
            "sudo systemctl edit sextantd.service"
        ) { $0.leaveUnconfirmed(.denied("sextantd cannot open /dev/ttyUSB0"), access: .denied(group: "dialout")) },
        Fault(
            "gpsd has the converter", .holder, "in use by gpsd (pid 812)",
            "sudo systemctl disable --now gpsd.socket gpsd.service"
        ) {
            $0.leaveUnconfirmed(.busy("/dev/ttyUSB0 is in use"))
            $0.port?.holders = [PortHolder(process: 812, command: "gpsd")]
        },
        Fault("no receiver is behind the converter", .holder, "sends no GNSS NMEA", "sextant receivers") {
            $0.leaveUnconfirmed(.notGNSS("/dev/ttyUSB0 sends no GNSS NMEA; it stays closed"))
        },
    ]
}

extension Observations {
    /// Makes the permissions unreadable.
    fileprivate mutating func fail(_ cause: StateCause, _ reason: String) {
        state?.problem = StateProblem(cause: cause, reason: reason, remedy: "the remedy that the daemon gives")
        state?.permissionsUnreadable = true
        permission = DiagnosisTests.permission(
            PermissionVerdict(.denied, flags: .authorizationDenied, basis: .unreadable(reason: reason)))
    }

    /// Puts the receiver into a state without a position that lasts.
    fileprivate mutating func lose(_ state: String, _ cause: Cause) {
        port?.receiver?.state = ReceiverHealth(rawValue: state) ?? .silent
        port?.receiver?.detail = "the reason that the daemon gives"
        port?.location = nil
        port?.cause = cause
        port?.watchedSeconds = watchLimit
        uptime = 1e6
    }

    /// Leaves a converter as the only port, on which the daemon has confirmed no receiver.
    fileprivate mutating func leaveUnconfirmed(_ status: PortStatus, access: Access = .allowed) {
        let device = DeviceDescription(
            name: "ttyUSB0", path: "/dev/ttyUSB0", subsystem: "tty", driver: "ftdi_sio",
            usb: USBIdentity(vendor: 0x0403, product: 0x6001))
        var port = Port(device: device, exists: true, isOpenInDaemon: false, access: access)
        port.unconfirmed = UnconfirmedPort(
            UnconfirmedPortReport(ReceiverID(1), name: "ttyUSB0", port: "/dev/ttyUSB0", status: status))
        self.port = port
        uptime = 1e6
    }
}

@Suite("The doctor and faults")
struct FaultTests {
    @Test(arguments: Fault.all)
    func `a fault is named rightly, with a command that repairs it`(fault: Fault) throws {
        var observations = try DiagnosisTests.healthy()
        try fault.change(&observations)
        let diagnosis = Diagnosis(observations)
        let wrong = try #require(diagnosis.checks.first { $0.state == .wrong })
        #expect(!diagnosis.checks.isHealthy)
        #expect(wrong.check == fault.check)
        #expect(wrong.finding.contains(fault.finding), "\(wrong.finding)")
        #expect(wrong.command == fault.command)
        #expect(wrong.remedy?.isEmpty == false)
        #expect(Fault.all.count >= 16)
    }

    @Test
    func `a full disk is named by the doctor of a fence`() throws {
        var record: ConditionRecord = try Sample.read(FenceSample.record())
        record.persistenceUnavailable = true
        let diagnosis = FenceDiagnosis(
            record: record, monitor: try Sample.read(FenceSample.monitor()), accuracy: 3, now: UTCTime(milliseconds: 0))
        let wrong = diagnosis.checks.first { $0.state == .wrong }
        #expect(wrong?.check == .store && wrong?.command?.contains("df -h /var/lib/sextant") == true)
    }

    @Test
    func `the line of a baud rate is that of the port's section`() {
        let text = """
            [receivers]
            power = "auto"
            [[receiver]]
            device = "/dev/ttyS1"
            baud = 4800
            [[receiver]]
              baud = 9600 # fixed
              device = "/dev/ttyS0"
            [log]
            baud = 1
            """
        #expect(BaudSetting.line(in: text) { $0 == "/dev/ttyS0" } == 7)
        #expect(BaudSetting.line(in: text) { $0 == "/dev/ttyS1" } == 5)
        #expect(BaudSetting.line(in: text) { $0 == "/dev/ttyS2" } == nil)
        #expect(BaudSetting.line(in: "[[receiver]]\ndevice = \"/dev/ttyS0\"") { _ in true } == nil)
    }

    @Test
    func `the output of the daemon's check gives file, line and reason`() {
        let problem = ConfigurationProblem(
            parsing: "sextantd: /etc/sextant/a: b.toml:12: service.socket: must be a path\nmore")
        // A colon with a space ends the place, also in a file name.
        #expect(problem?.displayText == "/etc/sextant/a: b.toml:12: service.socket: must be a path")
        let simple = ConfigurationProblem(parsing: "sextantd: /etc/sextant/s.toml:3: receiver.baud: must be 9600")
        #expect(simple?.file == "/etc/sextant/s.toml" && simple?.line == 3)
        #expect(simple?.reason == "receiver.baud: must be 9600")
        let whole = ConfigurationProblem(parsing: "sextantd: /etc/s.toml: cannot be read: Is a directory")
        #expect(whole?.file == "/etc/s.toml" && whole?.line == nil && whole?.reason == "cannot be read: Is a directory")
        #expect(ConfigurationProblem(parsing: "Segmentation fault") == nil)
    }

    @Test(arguments: [
        ("/dev/ttyUSB0", "/dev/ttyUSB0"), ("a b", "'a b'"), ("$(reboot)", "'$(reboot)'"), ("it's", "'it'\\''s'"),
        ("", "''"),
    ])
    func `a name in a command is taken literally by the shell`(text: String, quoted: String) {
        #expect(ShellText.quoted(text) == quoted)
    }

    @Test
    func `doctor checks the files that a daemon has read`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/wrong.toml"
        let writer = try CaptureWriter(path, replaces: false)
        try writer.finish(header: "[service]\nlog_levl = \"debug\"\n")
        let status = Sample.statusText.split(separator: "/etc/sextant/sextant.toml").joined(separator: path)
        let daemon = FakeDaemon(results: [
            ManagerMethods.getStatus.name: .reply(#"{"status":\#(status)}"#),
            ReceiverMethods.list.name: .reply(#"{"receivers":[]}"#),
        ])
        let outcome = try daemon.run(["doctor"])
        #expect(outcome.status == 2)
        let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("!! configuration \(path):2: service.log_levl: unknown key"), "\(outcome)")
    }

    @Test
    func `doctor names the file that prevents the start`() throws {
        let parameters =
            #"{"file":"/etc/sextant/sextant.toml","line":7,"key":"receiver.baud","reason":"must be one of 4800 9600"}"#
        let refusal = FakeDaemon.CallResult.error("io.sextant.Manager.InvalidConfiguration", parameters)
        let daemon = FakeDaemon(results: [
            ManagerMethods.getStatus.name: refusal, LocationMethods.getLocation.name: refusal,
        ])
        let doctor = try daemon.run(["doctor", "--device", "/nowhere"])
        let text = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(doctor.status == 2 && text.contains("/etc/sextant/sextant.toml:7: receiver.baud: must be one of"))
        let locate = try daemon.run(["locate"])
        #expect(
            locate.status == 69 && locate.errors.contains("sextant.toml:7: receiver.baud: must be one of 4800 9600"))
    }

    @Test
    func `doctor names a daemon that does not reply, and starts no second one`() throws {
        let daemon = FakeDaemon(results: [ManagerMethods.getStatus.name: .silence])
        let outcome = try daemon.run(["doctor", "--json"])
        let checks = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        let socket = try #require(checks.first { $0["check"] == "socket" })
        #expect(outcome.status == 2 && socket["finding"]?.string?.contains("(pid \(getpid()))") == true, "\(outcome)")
        #expect(socket["finding"]?.string?.contains("does not reply") == true)
        #expect(socket["command"]?.string?.contains("sextantd --socket") == false, "\(socket)")
        // The daemon that hangs may have the receiver.
        #expect(!outcome.output.contains("no receiver is connected"), "\(outcome.output)")
    }

    @Test
    func `doctor finds the receiver of the daemon by a symbolic link to its port`() throws {
        let scratch = try Scratch()
        let link = scratch.path + "/gps0"
        #expect(symlink("/dev/tty", link) == 0)
        let receiver = Sample.receiverText().split(separator: "/dev/ttyACM0").joined(separator: "/dev/tty")
        let daemon = FakeDaemon(results: [
            ManagerMethods.getStatus.name: .reply(#"{"status":\#(Sample.statusText)}"#),
            ReceiverMethods.list.name: .reply(#"{"receivers":[\#(receiver)]}"#),
            LocationMethods.subscribe.name: .reply(Sample.updateText),
        ])
        let outcome = try daemon.run(["doctor", "--json", "--device", link, "--timeout", "0.1"])
        let checks = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        let device = checks.first { $0["check"] == "device" }
        #expect(device?["finding"]?.string?.hasPrefix("/dev/tty") == true, "\(outcome)")
    }

    @Test
    func `a device that is no serial port is recognized without opening it`() {
        #expect(!DeviceFile(path: "/dev/null").isSerialPort && DeviceFile(path: "/dev/null").exists)
        #expect(!DeviceFile(path: "/").isSerialPort)
        #expect(!DeviceFile(path: "/nowhere").exists)
    }
}
