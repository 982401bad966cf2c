import Glibc
import Locator
import Receivers
import SerialPorts
import SextantAPI
import SystemCalls
import Testing

@testable import sextant

/// What the doctor says of ports without NMEA, and of what else uses a port.
@Suite struct UnreadablePortTests {
    private static func firstWrong(_ change: (inout Observations) throws -> Void) throws -> Check? {
        var observations = try DiagnosisTests.healthy()
        try change(&observations)
        return Diagnosis(observations).checks.first { $0.state == .wrong }
    }

    @Test func `a binary protocol is named with its remedy, after the time in which it may be switched`() throws {
        for (seconds, isWrong) in [(0.0, false), (14.9, false), (15, true)] {
            let wrong = try Self.firstWrong {
                $0.port?.receiver?.state = .sendingWithoutFix
                $0.port?.receiver?.counts.sentences = 0
                $0.port?.receiver?.detail = "/dev/ttyACM0 sends SBF at 9600 baud and no NMEA: enable GGA"
                $0.port?.location = nil
                $0.port?.cause = .binaryProtocol
                $0.port?.watchedSeconds = seconds
            }
            #expect((wrong?.check == .baud) == isWrong)
            guard isWrong else { continue }
            #expect(wrong?.finding == "/dev/ttyACM0 sends SBF at 9600 baud and no NMEA")
            #expect(wrong?.remedy == "enable GGA" && wrong?.command == "sextant receivers")
        }
    }

    @Test func `what a line sends instead is named`() throws {
        let wrong = try Self.firstWrong {
            $0.port?.receiver?.state = .detectingBaudRate
            $0.port?.receiver?.counts.sentences = 0
            $0.port?.receiver?.detail =
                "/dev/ttyACM0 sends the answers of a modem at 9600 baud; now trying 4800 baud: use the NMEA port"
            $0.port?.location = nil
            $0.port?.cause = .notUnderstood
            $0.port?.watchedSeconds = 15
        }
        #expect(wrong?.check == .baud && wrong?.remedy == "use the NMEA port")
        #expect(wrong?.finding.contains("the answers of a modem at 9600 baud") == true)
    }

    @Test func `a converter with a binary protocol is explained`() throws {
        let wrong = try Self.firstWrong {
            let status = PortStatus.notGNSS("/dev/ttyUSB0 sends no GNSS NMEA, but TSIP: set NMEA", .binaryProtocol)
            let port = UnconfirmedPortReport(ReceiverID(1), name: "ttyUSB0", port: "/dev/ttyUSB0", status: status)
            $0.port?.isOpenInDaemon = false
            $0.port?.receiver = nil
            $0.port?.unconfirmed = UnconfirmedPort(port)
        }
        #expect(wrong?.check == .holder && wrong?.remedy == "set NMEA")
        #expect(wrong?.finding == "/dev/ttyUSB0 sends no GNSS NMEA, but TSIP")
    }

    @Test func `the console of the kernel and brltty are named`() throws {
        let console = try Self.firstWrong { $0.port?.isKernelConsole = true }
        #expect(console?.check == .holder && console?.finding.contains("the kernel writes its messages") == true)
        let taken = try Self.firstWrong {
            $0.port = nil
            $0.converterOfBraille = "1a86:7523"
        }
        #expect(taken?.check == .device && taken?.finding.contains("converter 1a86:7523") == true)
        #expect(taken?.command == "sudo systemctl mask --now brltty.path brltty.service brltty-udev.service")
    }

    @Test(arguments: [
        ("agetty", false, "sudo systemctl mask --now serial-getty@ttyS0.service"),
        ("agetty", true, "sudo raspi-config nonint do_serial_cons 1"),
        ("brltty", false, "sudo systemctl mask --now brltty.path brltty.service brltty-udev.service"),
        ("ModemManager", false, "sudo systemctl stop ModemManager"),
        ("gpsd", true, "sudo systemctl disable --now gpsd.socket gpsd.service"), ("minicom", false, "kill 812"),
    ])
    func `each program is stopped by its command`(name: String, isRaspberryPi: Bool, command: String) {
        let holder = PortHolder(process: 812, command: name)
        #expect(
            PortRelease.command(toStop: [holder], of: "/dev/ttyS0", isService: true, isRaspberryPi: isRaspberryPi)
                == command)
    }

    @Test func `of several programs, the daemon is stopped`() {
        let holders = [PortHolder(process: 812, command: "minicom"), PortHolder(process: 9, command: "sextantd")]
        let command = PortRelease.command(toStop: holders, of: "/dev/ttyS0", isService: true, isRaspberryPi: false)
        #expect(command == "sudo systemctl stop sextantd.socket sextantd.service")
    }
}

/// Questions to a port, as of `sextant doctor --probe`.
@Suite struct PortPollingTests {
    @Test func `a port that is lost or not writable is reported`() throws {
        let polling = PortPolling(path: "/dev/ttyUSB0")
        let refused = polling.refusal(.refused, isLate: false)
        #expect(refused?.description.contains("can be read but not written") == true)
        #expect(polling.refusal(.wouldBlock, isLate: false) == nil)
        #expect(polling.refusal(.wouldBlock, isLate: true)?.description.contains("accepts no bytes") == true)
        #expect(polling.refusal(.lost(.ended), isLate: false)?.description.contains("unplugged") == true)
    }

    @Test func `a device that is unplugged ends the questions`() throws {
        var ends: [Int32] = [-1, -1]
        var name = [CChar](repeating: 0, count: 128)
        #expect(ends.withUnsafeMutableBufferPointer { openpty(&$0[0], &$0[1], &name, nil, nil) } == 0)
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let port = try SerialPort(path: path)
        for end in ends { _ = close(end) }
        do throws(CommandError) {
            let poll = try PortPolling(path: path).ask(port, at: 9600)
            Issue.record("\(poll.bytes)")
        } catch {
            #expect(error.description.hasPrefix("\(path) was lost while it was asked"))
        }
    }

    @Test func `a device that is no port is not asked, and its users are not stopped`() {
        #expect(throws: CommandError(port: .notATerminal(path: "/dev/null"))) {
            try PortPolling(path: "/dev/null").run()
        }
    }

    @Test func `nothing is written to the console of the kernel`() {
        var polling = PortPolling(path: "/dev/ttyS0")
        polling.isKernelConsole = { $0 == "/dev/ttyS0" }
        do throws(CommandError) {
            let checks = try polling.run()
            Issue.record("\(checks)")
        } catch {
            #expect(error.description.contains("its console; remove console= of this port"))
            #expect(error.description.contains(PortRelease.consoleCommand))
        }
    }
}
