import Locator
import SerialPorts
import Settings
import SextantAPI

/// A device that the configuration names as a motion source.
struct MotionSetting: Equatable {
    var name: String
    var device: MotionDevice.Kind
}

extension Settings {
    /// The largest code of any type of input events, KEY_MAX.
    private static let maxCode = 0x2FF

    /// Applies the section `[motion]` with its `[[motion.source]]` entries, which accumulate.
    mutating func applyMotion(_ file: ConfigurationFile) throws(ConfigurationError) {
        let section = try file.section("motion", keys: ["trust", "reporters", "source"])
        motionPolicy =
            try section.choice("trust", [("auto", .auto), ("wake-only", .wakeOnly), ("off", .off)]) ?? motionPolicy
        motionReporters = try section.programs("reporters") ?? motionReporters
        let keys = ["name", "kind", "device", "key", "switch", "line"]
        for entry in try section.entries("source", keys: keys) {
            let setting = try Settings.motionSource(entry)
            guard !motionSources.contains(where: { $0.name == setting.name }) else {
                throw entry.error("name", "the name \(setting.name) is used twice")
            }
            guard motionSources.count < MotionSources.capacity else {
                throw entry.error(
                    nil, "there are more than \(MotionSources.capacity) motion sources; remove some")
            }
            motionSources.append(setting)
        }
    }

    private static func motionSource(_ entry: ConfigurationSection) throws(ConfigurationError) -> MotionSetting {
        let kinds = MotionKind.allCases.filter { $0 != .report }
        guard let name = try entry.sourceName("name"),
            let kind = try entry.choice("kind", kinds.map { ($0.rawValue, $0) }), entry.has("device")
        else {
            let names = kinds.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            let missing = ["name", "kind", "device"].first { !entry.has($0) } ?? "device"
            throw entry.error(nil, "needs \(missing)\(missing == "kind" ? ", which is one of \(names)" : "")")
        }
        let key = try entry.integer("key", 0...maxCode).map { (MotionDevice.keyType, UInt16($0)) }
        let code = try entry.integer("switch", 0...maxCode).map { (MotionDevice.switchType, UInt16($0)) }
        let line = try entry.integer("line", 0...65_535).map { UInt32($0) }
        let used: Set = kind == .input ? ["key", "switch"] : kind == .gpio ? ["line"] : []
        if let unused = ["key", "switch", "line"].first(where: { entry.has($0) && !used.contains($0) }) {
            throw entry.error(unused, "is not used by a source of this kind")
        }
        guard kind != .input || (key == nil) != (code == nil) else {
            throw entry.error("kind", "an input device needs either key or switch, the code of its events")
        }
        guard kind != .gpio || line != nil else {
            throw entry.error("kind", "a gpio device needs line, the number of its line")
        }
        if kind == .can {
            let interface = try entry.value("device", "must be the name of a CAN interface, such as \"can0\"") {
                $0.string.flatMap { isInterfaceName($0) ? $0 : nil }
            }
            return MotionSetting(name: name, device: .can(interface: interface ?? ""))
        }
        let path = try entry.path("device") ?? ""
        if let (type, code) = key ?? code {
            return MotionSetting(name: name, device: .input(path: path, type: type, code: code))
        }
        return MotionSetting(name: name, device: line.map { .gpio(path: path, line: $0) } ?? .iio(path: path))
    }

    /// Whether a network interface can have that name. The path of a device has a slash.
    private static func isInterfaceName(_ name: String) -> Bool {
        (1...15).contains(name.utf8.count) && !name.utf8.contains(UInt8(ascii: "/")) && ConfigurationFile.isPlain(name)
    }
}
