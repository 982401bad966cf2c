import DaemonSupport
import Glibc
import Receivers
import Simulator
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The recipe of the README for users of gpsd: a receiver that gpsd itself has switched to its
/// binary protocol.
@Suite(.serialized, .enabled(if: GPSDPrograms.areInstalled, "gpsd is not installed: make setup-test"))
struct SwitchedReceiverTests {
    /// CFG-MSG with rate 0 for RMC, the last of the position sentences that gpsd switches off.
    private static let endOfSentences: [UInt8] = [0xB5, 0x62, 0x06, 0x01, 0x03, 0x00, 0xF0, 0x04, 0x00]

    @Test(arguments: [ReceiverKind.ublox6, .ublox8])
    func `after gpsd, a receiver gives a position within 40 s, and programs for gpsd get it`(_ kind: ReceiverKind)
        throws
    {
        let scratch = try Scratch()
        var options = SimulatorOptions()
        options.receiver = kind
        options.baud = 9600
        options.binary = BinaryOutput(.ubx, .sentences)
        var commands: [UInt8] = []
        var simulator = try SimulatorSession(
            options, on: PortOptions(link: scratch("gps")), now: SimulatorClock.now, utc: SimulatorClock.utc
        ) { if case .received(let bytes) = $0 { commands += bytes } }
        try SwitchedReceiverTests.runGPSD(scratch) {
            try simulator.step(now: SimulatorClock.now)
            return commands.firstRange(of: SwitchedReceiverTests.endOfSentences) != nil
        }
        try TestDaemon.run(devices: [scratch("gps")], scratch: scratch) { daemon in
            let bridge = try BridgeProgram.gpsd(of: daemon)
            let client = try ChildProcess(
                ["gpspipe", "-w", "127.0.0.1:\(bridge.port)"], record: scratch("gpspipe"))
            let causes = try BlockingClient.connect(path: daemon.socket)
            var seen: Set<String> = []
            try waitUntil("a position; \(client.output)", within: .seconds(40)) {
                for _ in 0..<50 {
                    try simulator.step(now: SimulatorClock.now)
                    _ = poll(nil, 0, 5)
                }
                let update = try causes.call("io.sextant.Location.Subscribe")
                if let cause = update["cause"]?.string { seen.insert(cause) }
                return client.output.contains("\"mode\":3")
            }
            #expect(seen.contains("binaryProtocol"), "\(seen)")
            #expect(daemon.logged("was switched to NMEA") == 1)
            let list = try causes.call("io.sextant.Receiver.List")
            #expect(list["receivers"]?.array?.first?["simulated"] == true)
        }
    }

    /// Runs gpsd on the port until it has switched the receiver.
    private static func runGPSD(_ scratch: Scratch, until isSwitched: () throws -> Bool) throws {
        let port = try BridgeProgram.freePort()
        let gpsd = try ChildProcess(
            ["gpsd", "-N", "-n", "-S", "\(port)", "-F", scratch("gpsd.socket"), scratch("gps")],
            record: scratch("gpsd.log"))
        try waitUntil("gpsd has switched the receiver; \(gpsd.output)", within: .seconds(40)) {
            _ = poll(nil, 0, 5)
            return try isSwitched()
        }
        // At SIGTERM it switches the receiver back, if it finds the time.
        gpsd.send(SIGKILL)
        try waitUntil("the end of gpsd") {
            _ = try isSwitched()
            return !gpsd.isRunning
        }
    }
}

private enum GPSDPrograms {
    static let areInstalled = {
        let needed: [String] = ["/usr/sbin/gpsd", "/usr/bin/gpspipe"]
        return needed.allSatisfy { access($0, X_OK) == 0 }
    }()
}
