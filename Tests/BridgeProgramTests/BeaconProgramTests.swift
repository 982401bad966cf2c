import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// `sextant-beacons` as a process, with BlueZ as python-dbusmock simulates it.
@Suite(.serialized, .enabled(if: ModemBus.isPossible, "python3-dbusmock is not installed"))
struct BeaconProgramTests {
    private static let uuid = "F7826DA6-4FA4-4E98-8024-BC5B71E0893E"
    private static let mock = "org.freedesktop.DBus.Mock"

    private struct Stage {
        let daemon: TestDaemon
        let bus: MessageBus
        let blueZ: ChildProcess
        let environment: [String]

        func start(_ words: String...) throws -> ChildProcess {
            try ChildProcess(
                environment + [try Programs.path(of: "sextant-beacons")] + words, record: daemon.scratch("beacons.log"))
        }

        func scan() throws -> ChildProcess { try start("scan", "--socket", daemon.socket) }

        func addAdapter(isOn: Bool = true, hasMonitors: Bool = true) throws {
            try bus.busctl("call", "org.bluez", "/", mock, "AddAdapter", "bb", "\(isOn)", "\(hasMonitors)")
        }

        func advertise(_ minor: Int, strength: Int = -65, company: Int = 0x4C, isLate: Bool = false) throws {
            let id = stride(from: 0, to: 32, by: 2).map { index -> String in
                let digits = Array(uuid.filter { $0 != "-" })
                return "\(Int(String(digits[index...index + 1]), radix: 16) ?? 0)"
            }
            let data = ["2", "21"] + id + ["0", "1", "0", "\(minor)", "197"]
            let method = isLate ? "AdvertiseLate" : "Advertise"
            try bus.busctl(
                ["--", "call", "org.bluez", "/", mock, method, "sqayn", "\(minor)", "\(company)", "\(data.count)"]
                    + data + ["\(strength)"])
        }

        func seen() throws -> [String] {
            try bus.busctl("call", "org.bluez", "/", mock, "Seen").split(separator: "\"").map(String.init)
        }

        /// The next calls of a method of BlueZ fail.
        func fail(_ method: String, times: Int) throws {
            try bus.busctl("call", "org.bluez", "/", mock, "Fail", "su", method, "\(times)")
        }

        func waitForSeen(_ text: String, _ process: ChildProcess) throws {
            try waitUntil("\(text); \(process.output); \((try? seen()) ?? [])") { try seen().contains(text) }
        }

        func add(_ identifier: String, minor: Int? = nil, uuid: String = BeaconProgramTests.uuid) throws {
            var beacon: [String: JSONValue] = ["uuid": .string(uuid)]
            if let minor { (beacon["major"], beacon["minor"]) = (1, .int(Int64(minor))) }
            let condition: JSONValue = ["identifier": .string(identifier), "beacon": .object(beacon)]
            try call("io.sextant.Monitor.Add", ["name": "shop", "conditions": [condition]])
        }

        @discardableResult
        func call(_ method: String, _ parameters: JSONValue) throws -> JSONValue {
            try BlockingClient.connect(path: daemon.socket).call(
                method, with: parameters, timeout: timeout)
        }

        func record(_ identifier: String) throws -> JSONValue {
            try call("io.sextant.Monitor.GetRecord", ["name": "shop", "identifier": .string(identifier)])["record"]
                ?? .null
        }

        func waitForSatisfied(
            _ identifier: String, _ process: ChildProcess, advertising minor: Int, strength: Int = -65,
            isLate: Bool = false
        ) throws {
            try waitUntil(
                "\(identifier); \(process.output); \((try? seen()) ?? []); \((try? record(identifier)) ?? .null)"
            ) {
                try advertise(minor, strength: strength, isLate: isLate)
                return try record(identifier)["state"] == "satisfied"
            }
        }
    }

    private static func run(hasBlueZ: Bool = true, _ body: (Stage) throws -> Void) throws {
        let scratch = try Scratch()
        let template = try scratch.write(
            String(decoding: PackageResources.bluez_py, as: UTF8.self), to: "bluez.py")
        let bus = try MessageBus(scratch)
        let blueZ = try bus.simulate(template, as: "org.bluez", at: "/")
        defer { blueZ.destroy() }
        if !hasBlueZ { blueZ.destroy() }
        try TestDaemon.run(configuration: "[receivers]\ndiscover = false\n", scratch: scratch) { daemon in
            let environment = ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"]
            try body(Stage(daemon: daemon, bus: bus, blueZ: blueZ, environment: environment))
        }
    }

    @Test func `a monitor of the adapter finds wanted beacons alone, and the program ends with the condition`() throws {
        try Self.run { stage in
            try stage.addAdapter()
            try stage.add("one", minor: 2)
            let process = try stage.scan()
            defer { process.destroy() }
            try stage.waitForSatisfied("one", process, advertising: 2)
            #expect(try stage.record("one")["pending"]?["beacon"]?["minor"] == 2)
            let seen = try stage.seen()
            #expect(seen.contains("RegisterMonitor") && !seen.contains("StartDiscovery"))
            try stage.call("io.sextant.Monitor.Remove", ["name": "shop", "identifiers": ["one"]])
            #expect(try process.waitForEnd() == .code(0), "\(process.output)")
            #expect(try stage.seen().contains("UnregisterMonitor"))
        }
    }

    @Test func `without monitors discovery finds them, and ranging uses it in any case`() throws {
        try Self.run { stage in
            try stage.addAdapter(hasMonitors: false)
            try stage.add("any")
            let process = try stage.scan()
            defer { process.destroy() }
            try stage.waitForSatisfied("any", process, advertising: 3)
            #expect(try stage.seen().contains("StartDiscovery"))
        }
        try Self.run { stage in
            try stage.addAdapter()
            var range = try BlockingClient.connect(path: stage.daemon.socket).stream(
                "io.sextant.Beacon.Range", with: [:])
            let process = try stage.scan()
            defer { process.destroy() }
            try waitUntil("discovery; \(process.output)") { try stage.seen().contains("StartDiscovery") }
            var reading: JSONValue?
            try waitUntil("a reading; \(process.output)") {
                try stage.advertise(7, strength: -59)
                reading = try range.next(timeout: timeout)?.parameters["beacons"]?.array?.first
                return reading != nil
            }
            #expect(reading?["beacon"]?["minor"] == 7 && reading?["zone"] == "near")
        }
    }

    @Test func `a beacon is present although the adapter does not tell its strength`() throws {
        try Self.run { stage in
            try stage.addAdapter(hasMonitors: false)
            try stage.add("any")
            let process = try stage.scan()
            defer { process.destroy() }
            try stage.waitForSatisfied("any", process, advertising: 3, strength: 127)
            let reading = try stage.call("io.sextant.Beacon.Range", .object([:]))["beacons"]?.array?.first
            #expect(reading?["zone"] == "unknown" && reading?["rssi"] == nil)
        }
    }

    @Test func `an advertisement counts once, and many identities need the patterns of the formats alone`() throws {
        try Self.run { stage in
            try stage.addAdapter()
            try stage.add("one", minor: 2)
            try stage.add("two", minor: 3)
            let process = try stage.scan()
            defer { process.destroy() }
            try stage.waitForSeen("monitor of 3 patterns", process)
            for _ in 0..<2 { try stage.advertise(2) }
            try stage.waitForSatisfied("two", process, advertising: 3)
            #expect(try stage.record("one")["state"] == "unknown")
            for digit in 1...2 { try stage.add("\(digit)", uuid: "\(digit)\(Self.uuid.dropFirst())") }
            try stage.waitForSeen("monitor of 9 patterns", process)
            for digit in 3...6 { try stage.add("\(digit)", uuid: "\(digit)\(Self.uuid.dropFirst())") }
            try waitUntil("fewer patterns; \((try? stage.seen()) ?? [])") {
                try stage.seen().last { $0.hasPrefix("monitor") } == "monitor of 3 patterns"
            }
        }
    }

    @Test func `discovery is used after a failure or the end of a monitor, and tried again after its own`() throws {
        try Self.run { stage in
            try stage.addAdapter()
            try stage.fail("RegisterMonitor", times: 1)
            try stage.fail("StartDiscovery", times: 1)
            try stage.add("one", minor: 2)
            let process = try stage.scan()
            defer { process.destroy() }
            try waitUntil("the flag; \(process.output)") {
                try stage.record("one")["conditionUnsupported"]?.string?.contains("BlueZ does not listen") == true
            }
            try stage.waitForSatisfied("one", process, advertising: 2)
            #expect(try stage.record("one")["conditionUnsupported"] == nil)
        }
        try Self.run { stage in
            try stage.addAdapter()
            try stage.add("one", minor: 2)
            let process = try stage.scan()
            defer { process.destroy() }
            try stage.waitForSeen("monitor of 3 patterns", process)
            try stage.bus.busctl("call", "org.bluez", "/", Self.mock, "Release")
            try stage.waitForSatisfied("one", process, advertising: 2)
            #expect(try stage.seen().contains("UnregisterMonitor"))
        }
    }

    @Test func `a discovery whose end BlueZ refused is ended later, and what is reported at the end counts`() throws {
        try Self.run { stage in
            try stage.addAdapter(hasMonitors: false)
            try stage.fail("StopDiscovery", times: 1)
            try stage.add("any")
            let process = try stage.scan()
            defer { process.destroy() }
            try stage.waitForSatisfied("any", process, advertising: 3, isLate: true)
            let seen = try stage.seen()
            #expect(seen.count { $0 == "StopDiscovery" } >= 3)
            #expect(try stage.record("any")["conditionUnsupported"] == nil)
        }
    }

    @Test func `without BlueZ the reason is told at once`() throws {
        try Self.run(hasBlueZ: false) { stage in
            try stage.add("one")
            let process = try stage.scan()
            defer { process.destroy() }
            let reasons = ["there is no Bluetooth adapter", "BlueZ does not run; install bluez"]
            try waitUntil("the flag; \(process.output)") {
                try reasons.contains(stage.record("one")["conditionUnsupported"]?.string ?? "")
            }
        }
    }

    @Test func `conditions are unsupported without an adapter, and work when one is switched on`() throws {
        try Self.run { stage in
            try stage.add("any")
            let process = try stage.scan()
            defer { process.destroy() }
            try waitUntil("the flag; \(process.output)") {
                try stage.record("any")["conditionUnsupported"] == "there is no Bluetooth adapter"
            }
            try stage.addAdapter(isOn: false)
            try waitUntil("the flag; \(process.output)") {
                try stage.record("any")["conditionUnsupported"]?.string?.contains("bluetoothctl power on") == true
            }
            try stage.bus.busctl(
                "call", "org.bluez", "/org/bluez/hci0", Self.mock, "UpdateProperties", "sa{sv}", "org.bluez.Adapter1",
                "1", "Powered", "b", "true")
            try stage.waitForSatisfied("any", process, advertising: 1)
            #expect(try stage.record("any")["conditionUnsupported"] == nil)
        }
    }

    @Test func `advertise registers the bytes of an iBeacon`() throws {
        try Self.run { stage in
            try stage.addAdapter()
            try stage.bus.busctl(
                "call", "org.bluez", "/org/bluez/hci0", Self.mock, "AddProperties", "sa{sv}",
                "org.bluez.LEAdvertisingManager1", "1", "ActiveInstances", "y", "0")
            let process = try stage.start("advertise", "\(Self.uuid)/1/2", "--power", "-60")
            defer { process.destroy() }
            let bytes = "0215f7826da64fa44e988024bc5b71e0893e00010002c4"
            try waitUntil("the advertisement; \(process.output); \((try? stage.seen()) ?? [])") {
                try stage.seen().contains { $0.contains("broadcast") && $0.contains(bytes) }
            }
            stage.blueZ.destroy()
            #expect(try process.waitForEnd() == .code(1), "\(process.output)")
            #expect(process.output.contains("BlueZ) has ended"))
        }
    }
}
