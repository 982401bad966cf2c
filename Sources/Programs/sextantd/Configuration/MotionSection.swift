import Locator
import SerialPorts
import Settings
import SextantAPI

/// A device that the configuration names as a motion source.
struct MotionSetting: Equatable {
    var name: String
    var device: MotionDevice.Kind
}

/// Reads the section `[motion]` and its `[[motion.source]]` entries.
struct MotionSection {
    private static let section = "motion"
    private static let sourceSection = "motion.source"
    private static let kinds = MotionKind.allCases.filter { $0 != .report }
    /// The largest code of any type of input events, KEY_MAX.
    private static let maxCode = 0x2FF

    private let file: ConfigurationFile

    /// - Parameter file: The file of the section, for the places of errors.
    init(of file: ConfigurationFile) { self.file = file }

    /// Applies the values of the section to `settings`. Sources accumulate.
    func apply(_ section: [String: TOMLValue], to settings: inout Settings) throws(ConfigurationError) {
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "trust":
                guard let policy = value?.string.flatMap(MotionPolicy.init(rawValue:)) else {
                    throw file.error(
                        in: MotionSection.section, key: key, reason: "must be \"auto\", \"wake-only\" or \"off\"")
                }
                settings.motionPolicy = policy
            case "reporters":
                settings.motionReporters = try SettingsFile(file).programs(value, in: MotionSection.section, key: key)
            case "source": try applySources(value, to: &settings)
            default:
                throw file.error(
                    in: MotionSection.section, key: key,
                    reason: "unknown key; valid keys are trust, reporters and source")
            }
        }
    }

    private func applySources(_ value: TOMLValue?, to settings: inout Settings) throws(ConfigurationError) {
        let entries = value?.array.map { array in (0..<array.count).map { array[$0].table } } ?? [nil]
        for (index, entry) in entries.enumerated() {
            guard let entry else {
                throw file.error(
                    in: MotionSection.sourceSection, key: nil, reason: "must be written as [[motion.source]]")
            }
            let setting = try Entry(entry, nth: index, file: file).setting()
            guard !settings.motionSources.contains(where: { $0.name == setting.name }) else {
                throw file.error(
                    in: MotionSection.sourceSection, key: "name", reason: "the name \(setting.name) is used twice",
                    index: index)
            }
            guard settings.motionSources.count < MotionSources.capacity else {
                throw file.error(
                    in: MotionSection.sourceSection, key: nil,
                    reason: "there are more than \(MotionSources.capacity) motion sources; remove some", index: index)
            }
            settings.motionSources.append(setting)
        }
    }

    /// An entry `[[motion.source]]`.
    private struct Entry {
        private let values: [String: TOMLValue]
        private let nth: Int
        private let file: ConfigurationFile

        init(_ values: [String: TOMLValue], nth: Int, file: ConfigurationFile) {
            (self.values, self.nth) = (values, nth)
            self.file = file
        }

        func setting() throws(ConfigurationError) -> MotionSetting {
            guard let name = values["name"]?.string, FeedParameters.isName(name) else {
                throw error("name", "must be 1 to 64 letters, digits, dots, hyphens and underscores")
            }
            let device: MotionDevice.Kind
            var keys: Set = ["name", "kind", "device"]
            switch values["kind"]?.string.flatMap(MotionKind.init(rawValue:)) {
            case .input?:
                keys.formUnion(["key", "switch"])
                guard (values["key"] == nil) != (values["switch"] == nil) else {
                    throw error("kind", "an input device needs either key or switch, the code of its events")
                }
                let key = values["key"] == nil ? "switch" : "key"
                device = .input(
                    path: try path(), type: key == "key" ? MotionDevice.keyType : MotionDevice.switchType,
                    code: UInt16(try integer(key, 0...MotionSection.maxCode)))
            case .gpio?:
                keys.insert("line")
                device = .gpio(path: try path(), line: UInt32(try integer("line", 0...65_535)))
            case .iio?: device = .iio(path: try path())
            case .can?:
                guard let interface = values["device"]?.string, (1...15).contains(interface.utf8.count),
                    ConfigurationFile.isPlain(interface)
                else { throw error("device", "must be the name of a CAN interface, such as \"can0\"") }
                device = .can(interface: interface)
            case .report?, .unknown?, nil:
                let kinds = MotionSection.kinds.map { "\"\($0.rawValue)\"" }.joined(separator: " ")
                throw error("kind", "must be one of \(kinds)")
            }
            if let unknown = values.keys.filter({ !keys.contains($0) }).min() {
                throw error(unknown, "unknown key; valid keys are \(keys.sorted().joined(separator: ", "))")
            }
            return MotionSetting(name: name, device: device)
        }

        private func path() throws(ConfigurationError) -> String {
            guard let path = values["device"]?.string, path.hasPrefix("/"), ConfigurationFile.isPlain(path) else {
                throw error("device", "must be an absolute path in quotes, without control characters")
            }
            return path
        }

        private func integer(_ key: String, _ range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
            guard let number = values[key]?.int, range.contains(number) else {
                throw error(key, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }

        private func error(_ key: String, _ reason: String) -> ConfigurationError {
            file.error(in: MotionSection.sourceSection, key: key, reason: reason, index: nth)
        }
    }
}
