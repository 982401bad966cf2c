import Chronology
import Glibc
import TestSupport
import Testing

@testable import Fleet

@Suite struct BatteryReaderTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func make(_ name: String, _ attributes: [String: String]) throws {
        mkdir(scratch(name), 0o755)
        for (attribute, value) in attributes { try scratch.write(value + "\n", to: "\(name)/\(attribute)") }
    }

    @Test func `the battery of the device is read, at most once a minute`() throws {
        try make("AC", ["type": "Mains", "online": "1"])
        try make("hid-mouse", ["type": "Battery", "scope": "Device", "capacity": "5"])
        try make("test", ["type": "Battery", "capacity": "42", "status": "Discharging"])
        let reader = BatteryReader(folder: scratch.path)
        let battery = Battery(level: 42, state: .unplugged)
        #expect(reader.battery(at: .zero) == battery)
        try scratch.write("41\n", to: "test/capacity")
        #expect(reader.battery(at: .zero + .seconds(59)) == battery)
        #expect(reader.battery(at: .zero + .seconds(60))?.level == 41)
    }

    @Test func `a device without a battery has none`() throws {
        #expect(BatteryReader(folder: scratch("nowhere")).battery(at: .zero) == nil)
        try make("AC", ["type": "Mains"])
        #expect(BatteryReader(folder: scratch.path).battery(at: .zero) == nil)
    }
}
