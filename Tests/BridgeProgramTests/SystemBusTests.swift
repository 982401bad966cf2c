import Chronology
import DaemonSupport
import Glibc
import ServiceRuntime
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextant_bridge

/// The connection to the message bus, and what the role `modem` needs of its surroundings.
@Suite(.serialized)
struct SystemBusTests {
    /// Runs a loop with a connection to a simulated ModemManager until the test ends it with 0.
    private static func run(_ body: (SystemBus, ModemBus, EventLoop) throws -> Void) throws {
        let scratch = try Scratch()
        let bus = try ModemBus(scratch)
        let loop = try EventLoop()
        let connection = try SystemBus(in: loop, address: bus.address)
        loop.onDeadline = { _ in loop.exit(1) }
        loop.setDeadline(HostClock.now + .seconds(60))
        try body(connection, bus, loop)
        let status = try withExtendedLifetime((connection, bus)) { try loop.run() }
        #expect(status == 0)
        loop.onDeadline = { _ in }
    }

    @Test(.enabled(if: ModemBus.isPossible, "python3-dbusmock is not installed"))
    func `only signals of the service are handled`() throws {
        let modem = "\(ModemBus.manager)/Modem/0"
        var signals: [JSONValue?] = []
        try SystemBusTests.run { connection, bus, loop in
            try connection.match("interface='org.freedesktop.DBus.Properties'", of: ModemBus.service) { arguments in
                signals.append(arguments.first)
                loop.exit(0)
            }
            try bus.addModem(modem, port: nil, sources: 7)
            let ping = SystemBus.Call(
                ModemBus.service, path: ModemBus.manager, interface: "org.freedesktop.DBus.Peer", method: "Ping")
            connection.call(ping) { result in
                #expect(result == .success([]))
                // The forged one arrives first.
                do {
                    try bus.forgeSignal(to: getpid())
                    try bus.set(state: 9, of: modem)
                } catch { Issue.record(error) }
            }
        }
        #expect(signals == [.string("org.freedesktop.ModemManager1.Modem")])
    }

    @Test(.enabled(if: ModemBus.isPossible, "python3-dbusmock is not installed"))
    func `values of all types are read`() throws {
        var reply: Result<[JSONValue], SystemBus.Failure>?
        try SystemBusTests.run { connection, bus, loop in
            try bus.addMethod(
                "GetAll", of: "test.Odd", returning: "(ybnqiuxtdsogvaia{ud})",
                code: """
                    ret = (255, True, -2, 65535, -3, 4294967295, -2**63, 2**64 - 1, 0.5, 'a', '/b', 'ai',
                        dbus.Array([dbus.Struct((1, 'c'), signature='is')], signature='(is)'), [], {7: 1.5})
                    """)
            let call = SystemBus.Call(
                ModemBus.service, path: ModemBus.manager, interface: "test.Odd", method: "GetAll")
            connection.call(call) { result in
                reply = result
                loop.exit(0)
            }
        }
        let values: [JSONValue] = [
            .int(255), .bool(true), .int(-2), .int(65_535), .int(-3), .int(4_294_967_295), .int(.min), .int(.max),
            .double(0.5), .string("a"), .string("/b"), .string("ai"), .array([.array([.int(1), .string("c")])]),
            .array([]), .object(["7": .double(1.5)]),
        ]
        #expect(reply == .success([.array(values)]))
    }

    @Test func `ports that are named by links are compared by their device files`() throws {
        let scratch = try Scratch()
        let (link, file) = (scratch("link"), try scratch.write("", to: "device"))
        #expect(symlink(file, link) == 0)
        let counts = ReceiverCounts(
            bytes: 0, sentences: 0, unknown: 0, epochs: 0, fixes: 0, checksumErrors: 0, missingChecksums: 0,
            overlong: 0, truncated: 0, malformed: 0, strayBytes: 0)
        let receivers = ["feed:modem", link].map {
            Receiver(name: "a", port: $0, says: [], state: .silent, isPrimary: false, counts: counts, satellites: [])
        }
        let port = UnconfirmedPort(name: "a", port: link, state: .absent, cause: .starting, detail: "")
        let resolved = ModemBridge.resolved(Receivers(receivers: receivers, unconfirmedPorts: [port]))
        let device = try #require(realpath(file, nil))
        defer { free(device) }
        #expect(resolved.receivers.map(\.port) == ["feed:modem", String(cString: device)])
        #expect(resolved.unconfirmedPorts?.map(\.port) == [String(cString: device)])
    }

    @Test func `the unit sees device files, waits for the bus, and limits the memory of messages`() throws {
        let unit = String(
            decoding: try PackageFiles.read("\(PackageFiles.package)/systemd/sextant-modem.service"), as: UTF8.self)
        let lines = Set(unit.split(separator: "\n"))
        #expect(!unit.contains("PrivateDevices=yes"))
        #expect(
            lines.isSuperset(of: [
                "DevicePolicy=closed", "Wants=sextantd.socket dbus.socket", "StartLimitIntervalSec=0", "MemoryMax=64M",
            ]))
    }
}
