import DaemonSupport
import Glibc
import TestSupport
import Testing

/// The role `zone` as a process, with timedated as python-dbusmock simulates it.
@Suite(.serialized, .enabled(if: ModemBus.isPossible, "python3-dbusmock is not installed"))
struct ZoneTests {
    private typealias Body = (TestDaemon, ModemBus, BridgeProgram, _ sendEpoch: () throws -> Void) throws -> Void

    private static func run(kept: String? = nil, _ body: Body) throws {
        let scratch = try Scratch()
        let gps = try VirtualPort(scratch("gps"))
        let bus = try ModemBus(
            scratch, template: "timedated", service: "org.freedesktop.timedate1", object: "/org/freedesktop/timedate1")
        if let kept { _ = try scratch.write(kept, to: "zone") }
        let places = scratch("places")
        let program = try scratch.write(
            String(decoding: PackageResources.time_zones_py, as: UTF8.self), to: "time_zones.py")
        let service = try ChildProcess(
            ["/usr/bin/python3", program, places, "Europe/Lisbon"], record: scratch("places.log"))
        defer { service.destroy() }
        try waitUntil("the places; \(service.output)") { access(places, F_OK) == 0 }
        var drive = Drive()
        try TestDaemon.run(devices: [gps.link], scratch: scratch) { daemon in
            let bridge = try BridgeProgram(
                ["zone", "--after", "0", "--places", places, "--state", scratch.path], of: daemon, port: 0,
                before: ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
            try body(daemon, bus, bridge) {
                try gps.send(drive.next())
                _ = poll(nil, 0, 20)
            }
        }
    }

    @Test func `the zone of the place is set by timedated and kept`() throws {
        try ZoneTests.run { daemon, bus, bridge, sendEpoch in
            try waitUntil("the zone; \(bridge.process.output)") {
                try sendEpoch()
                return try bus.property("Timezone") == "Europe/Lisbon"
            }
            try waitUntil("the file; \(bridge.process.output)") {
                let kept = try? PackageFiles.read(daemon.scratch("zone"))
                return kept.map { String(decoding: $0, as: UTF8.self) } == "Europe/Lisbon"
            }
            bridge.process.send(SIGTERM)
            #expect(try bridge.process.waitForEnd() == .code(0))
            #expect(bridge.process.output.contains("set the time zone to Europe/Lisbon"), "\(bridge.process.output)")
        }
    }

    @Test func `a zone that somebody else has set stays, and the way to follow again is named`() throws {
        try ZoneTests.run(kept: "Asia/Tokyo") { _, bus, bridge, sendEpoch in
            try waitUntil("the reason; \(bridge.process.output)") {
                try sendEpoch()
                return bridge.process.output.contains("was set to Etc/Utc by somebody else, and stays; to follow again")
            }
            #expect(try bus.property("Timezone") == "Etc/Utc")
        }
    }
}
