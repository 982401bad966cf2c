import Glibc
import Receivers
import SerialPorts
import Simulator
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests with a receiver that a crash left asleep.
    @Suite struct Waking {
        /// Writes a state file with a sleeping receiver on this terminal; returns the configuration
        /// that names it.
        private func remember(_ terminal: borrowing PseudoTerminal, asleepIn scratch: Scratch) throws -> String {
            mkdir(scratch("state"), 0o755)
            let identity = DeviceEnumerator.describe(terminal.path).identity
            try scratch.write(
                "sextant receivers 1\nublox8 18.0 asleep 1000 any plain \(identity)\n", to: "state/receivers")
            return "[receivers]\ndiscover = false\n[[receiver]]\ndevice = \"\(terminal.path)\"\nbaud = 115200\n"
        }

        @Test func `a receiver stored as asleep is woken and its state removed at shutdown`() throws {
            let scratch = try Scratch()
            let terminal = try PseudoTerminal.open(baud: 115_200)
            let configuration = try remember(terminal, asleepIn: scratch)
            try TestDaemon.run(configuration: configuration, scratch: scratch) { daemon in
                var written: [UInt8] = []
                try waitUntil("the byte that wakes") {
                    written += terminal.received()
                    return written.contains(0xFF)
                }
                let driver = try daemon.receivers().first?["driver"]
                #expect(driver?["activity"] == "configuring" && driver?["isUnresponsive"] == false)
                let time = try seconds {
                    daemon.terminate()
                    let end = try daemon.process.waitForEnd()
                    #expect(end == .code(0))
                }
                #expect(time < 3, "\(time) s")
                #expect(Scratch.text(of: scratch("state/receivers")) == "sextant receivers 1\n")
            }
        }

        /// The receiver does not reply, so the shutdown takes its full two seconds.
        @Test func `a reload during shutdown is ignored`() throws {
            let scratch = try Scratch()
            let terminal = try PseudoTerminal.open(baud: 115_200)
            let configuration = try remember(terminal, asleepIn: scratch)
            try TestDaemon.run(configuration: configuration, scratch: scratch) { daemon in
                try daemon.waitForReceiver("detectingBaudRate", "silent", "sendingWithoutFix")
                daemon.terminate()
                try waitUntil("the end beginning") { daemon.logged("stopping") == 1 }
                try scratch.write(
                    configuration + "[[receiver]]\ndevice = \"\(scratch("another"))\"\n", to: "sextant.toml")
                daemon.process.send(SIGHUP)
                #expect(try daemon.process.waitForEnd() == .code(0))
                #expect(!daemon.log.contains("another") && !daemon.log.contains("reloaded"), "\(daemon.log)")
            }
        }

        @Test func `a damaged receiver state file is moved aside`() throws {
            let scratch = try Scratch()
            mkdir(scratch("state"), 0o755)
            try scratch.write("sextant receivers 9\n", to: "state/receivers")
            try TestDaemon.run(scratch: scratch) { daemon in
                try waitUntil("the damaged file being renamed") { daemon.logged("is damaged and was renamed") == 1 }
                #expect(Scratch.text(of: scratch("state/receivers.damaged")) == "sextant receivers 9\n")
            }
        }
    }
}
