import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink

/// The role `modem` as a process, with ModemManager as python-dbusmock simulates it on a bus of its
/// own.
@Suite(.serialized, .enabled(if: ModemBus.isPossible, "python3-dbusmock is not installed"))
struct ModemTests {
    private static let modem = "/org/freedesktop/ModemManager1/Modem/0"
    /// The sources of modems whose port other programs may read, and of others.
    private static let (unmanaged, managed) = (0b1_1111, 0b0111)

    private static func run(_ body: (TestDaemon, VirtualPort, ModemBus, BridgeProgram) throws -> Void) throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        let bus = try ModemBus(scratch)
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { daemon in
            let bridge = try BridgeProgram(
                ["modem"], of: daemon, port: 0, before: ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
            try body(daemon, gps, bus, bridge)
        }
    }

    private static func waitForSources(_ sources: Int, _ bus: ModemBus, _ bridge: BridgeProgram) throws {
        var present: Int?
        try waitUntil("the sources \(sources), not \(present ?? -1); \(bridge.process.output)") {
            present = try bus.sources(of: modem)
            return present == sources
        }
    }

    /// Runs `sextant locate` while `sendEpoch` sends epochs.
    private static func locate(_ daemon: TestDaemon, sendEpoch: () throws -> Void) throws -> String {
        let locate = try ChildProcess(
            [try Programs.path(of: "sextant"), "locate", "--socket", daemon.socket], record: daemon.scratch("locate"))
        try waitUntil("a position; \(locate.output)") {
            try sendEpoch()
            _ = poll(nil, 0, 20)
            return !locate.isRunning
        }
        #expect(try locate.waitForEnd() == .code(0), "\(locate.output)")
        return locate.output
    }

    @Test func `GNSS is switched on, the daemon reads the port, and a position is printed`() throws {
        try ModemTests.run { daemon, gps, bus, bridge in
            try bus.addModem(ModemTests.modem, port: gps.path, sources: ModemTests.unmanaged, enabled: 1)
            try ModemTests.waitForSources(17, bus, bridge)
            #expect(bridge.process.output.contains("sextantd reads its GNSS at \(gps.path) (gps-unmanaged)"))
            var drive = Drive()
            #expect(try ModemTests.locate(daemon) { try gps.send(drive.next()) }.contains("±"))
            // At the end, only the own bit is cleared.
            bridge.process.send(SIGTERM)
            #expect(try bridge.process.waitForEnd() == .code(0))
            #expect(try bus.sources(of: ModemTests.modem) == 1)
        }
    }

    @Test func `the sentences of a modem without a port become positions of a receiver`() throws {
        try ModemTests.run { daemon, _, bus, bridge in
            try bus.addModem(ModemTests.modem, port: nil, sources: ModemTests.managed, enabled: 1)
            try ModemTests.waitForSources(5, bus, bridge)
            var drive = Drive()
            let text = try ModemTests.locate(daemon) { try bus.set(nmea: drive.next(), of: ModemTests.modem) }
            #expect(text.contains("±"))
            let receiver = try #require(try InletTests.receiver(daemon, "modem"))
            #expect(receiver["port"] == "feed:modem" && receiver["counts"]?["checksumErrors"] == 0)
            #expect(receiver["product"] == "QUALCOMM INCORPORATED QUECTEL Mobile Broadband Module")
            try bus.removeModem(ModemTests.modem)
            try waitUntil("no receiver") { try InletTests.receiver(daemon, "modem") == nil }
        }
    }

    @Test func `a modem that is not enabled is named, and used when it is`() throws {
        try ModemTests.run { _, gps, bus, bridge in
            try bus.addModem(ModemTests.modem, port: gps.path, sources: ModemTests.unmanaged, state: 3)
            try waitUntil("what to do; \(bridge.process.output)") {
                bridge.process.output.contains("is not enabled: run mmcli -m any --enable")
            }
            try bus.set(state: 8, of: ModemTests.modem)
            try ModemTests.waitForSources(16, bus, bridge)
        }
    }

    @Test func `GNSS is switched on again after another program, a replug and a restart of ModemManager`() throws {
        try ModemTests.run { _, gps, bus, bridge in
            try bus.addModem(ModemTests.modem, port: gps.path, sources: ModemTests.unmanaged, enabled: 1)
            try ModemTests.waitForSources(17, bus, bridge)
            // GeoClue of Debian 12 clears the sources of other programs when it stops.
            try bus.setUp(1, of: ModemTests.modem)
            try ModemTests.waitForSources(17, bus, bridge)
            try bus.removeModem(ModemTests.modem)
            try bus.addModem(ModemTests.modem, port: gps.path, sources: ModemTests.unmanaged)
            try ModemTests.waitForSources(16, bus, bridge)
            try bus.restartManager()
            try waitUntil("the end of ModemManager; \(bridge.process.output)") {
                bridge.process.output.contains("ModemManager does not run")
            }
            try bus.addModem(ModemTests.modem, port: gps.path, sources: ModemTests.unmanaged, enabled: 3)
            // Sources that ModemManager reads itself exclude the port, so they are read instead.
            try ModemTests.waitForSources(7, bus, bridge)
        }
    }
    @Test func `a list of modems that is refused changes nothing, and the GNSS is off at the end`() throws {
        try ModemTests.run { _, gps, bus, bridge in
            try bus.addModem(ModemTests.modem, port: gps.path, sources: ModemTests.unmanaged, enabled: 1)
            try ModemTests.waitForSources(17, bus, bridge)
            try bus.refuseLists()
            try bus.set(state: 9, of: ModemTests.modem)
            try waitUntil("the reason; \(bridge.process.output)") {
                bridge.process.output.contains("ModemManager does not list its modems: not now; trying again")
            }
            #expect(!bridge.process.output.contains("does not run"))
            bridge.process.send(SIGTERM)
            #expect(try bridge.process.waitForEnd() == .code(0))
            #expect(try bus.sources(of: ModemTests.modem) == 1)
        }
    }
}
