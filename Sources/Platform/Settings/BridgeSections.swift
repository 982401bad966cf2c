/// Reads the sections of the bridges: `[gpsd]`, `[nmea.NAME]`, `[time]` and `[inlet.NAME]`.
/// Every key is checked; an unknown key is an error.
package struct BridgeSections {
    /// The names of the sections.
    package static let names = ["gpsd", "nmea", "time", "inlet"]
    /// The sentences that the role `nmea` writes.
    package static let sentences = ["rmc", "gga", "gsa", "gsv", "vtg", "gst", "zda"]

    private static let intervals = 1.0...3600.0
    private static let timeIntervals = 1.0...1024.0
    private static let maxProductLength = 255
    /// The units of ntpd's shared memory (refclock_shm).
    private static let memoryUnits = 0...255

    private let file: ConfigurationFile
    private let values: SectionValues

    /// Reads from a parsed file.
    package init(of file: ConfigurationFile) {
        self.file = file
        values = SectionValues(of: file)
    }

    /// Returns the settings of the file. Other sections are ignored.
    package func settings() throws(ConfigurationError) -> BridgeSettings {
        var settings = BridgeSettings()
        for key in file.table.keys.sorted() {
            switch key {
            case "gpsd": settings.gpsd = try gpsd(file.section(key))
            case "time": settings.time = try time(file.section(key))
            case "nmea":
                for (name, section) in try instances(of: key) {
                    settings.nmea[name] = try nmea(section, "nmea.\(name)")
                }
            case "inlet":
                for (name, section) in try instances(of: key) {
                    settings.inlet[name] = try inlet(section, "inlet.\(name)")
                }
            default: break
            }
        }
        return settings
    }

    /// Returns the sections below `[nmea]` or `[inlet]` with their names, which are also those of
    /// units and receivers.
    private func instances(of role: String) throws(ConfigurationError) -> [(String, [String: TOMLValue])] {
        let section = try file.section(role)
        var found: [(String, [String: TOMLValue])] = []
        for name in section.keys.sorted() {
            guard let table = section[name]?.table else {
                throw file.error(
                    in: role, key: name, reason: "must be a section with a name, such as [\(role).\(name)]")
            }
            guard BridgeSections.isName(name) else {
                throw file.error(
                    in: "\(role).\(name)", key: nil,
                    reason: "the name needs 1 to 64 letters, digits, dots, hyphens and underscores")
            }
            found.append((name, table))
        }
        return found
    }

    private func gpsd(_ section: [String: TOMLValue]) throws(ConfigurationError) -> BridgeSettings.GPSD {
        var settings = BridgeSettings.GPSD()
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "listen": settings.listen = try values.addresses(value, in: "gpsd", key: key)
            case "release": settings.release = try values.text(value, in: "gpsd", key: key, max: 32)
            default: throw file.unknown(key, in: "gpsd", "listen and release")
            }
        }
        return settings
    }

    private func time(_ section: [String: TOMLValue]) throws(ConfigurationError) -> BridgeSettings.Time {
        var settings = BridgeSettings.Time()
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "chrony": settings.chrony = try values.path(value, in: "time", key: key)
            case "shm": settings.shm = try values.integer(value, in: "time", key: key, BridgeSections.memoryUnits)
            case "interval":
                settings.interval = try values.number(value, in: "time", key: key, BridgeSections.timeIntervals)
            default: throw file.unknown(key, in: "time", "chrony, shm and interval")
            }
        }
        return settings
    }

    private func nmea(_ section: [String: TOMLValue], _ name: String) throws(ConfigurationError) -> BridgeSettings.NMEA
    {
        var settings = BridgeSettings.NMEA()
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "tcp": settings.tcp = try values.addresses(value, in: name, key: key)
            case "udp": settings.udp = try values.addresses(value, in: name, key: key)
            case "unix": settings.unix = try values.path(value, in: name, key: key)
            case "pty": settings.pty = try values.path(value, in: name, key: key)
            case "interval":
                settings.interval = try values.number(value, in: name, key: key, BridgeSections.intervals)
            case "talker":
                let talker = try values.text(value, in: name, key: key, max: 2)
                guard talker.utf8.count == 2, talker.utf8.allSatisfy({ (65...90).contains($0) }) else {
                    throw file.error(in: name, key: key, reason: "must be two capital letters, such as \"GP\"")
                }
                settings.talker = talker
            case "sentences":
                let kinds = try values.texts(value, in: name, key: key).map { $0.lowercased() }
                guard !kinds.isEmpty, kinds.allSatisfy(BridgeSections.sentences.contains) else {
                    throw file.error(
                        in: name, key: key,
                        reason: "must be a list of \(BridgeSections.sentences.joined(separator: ", "))")
                }
                settings.sentences = kinds
            default: throw file.unknown(key, in: name, "tcp, udp, unix, pty, sentences, talker and interval")
            }
        }
        return settings
    }

    private func inlet(_ section: [String: TOMLValue], _ name: String) throws(ConfigurationError)
        -> BridgeSettings.Inlet
    {
        var sources: [BridgeSettings.Inlet.Source] = []
        var settings = BridgeSettings.Inlet(source: .file("-"))
        for key in section.keys.sorted() {
            let value = section[key]
            switch key {
            case "tcp": sources.append(.tcp(try values.host(value, in: name, key: key)))
            case "tcp_listen": sources.append(.tcpListen(try values.address(value, in: name, key: key)))
            case "udp_listen": sources.append(.udpListen(try values.address(value, in: name, key: key)))
            case "gpsd": sources.append(.gpsd(try values.host(value, in: name, key: key)))
            case "file": sources.append(.file(try values.path(value, in: name, key: key)))
            case "ntrip": sources.append(.ntrip(try values.caster(value, in: name, key: key)))
            case "product":
                settings.product = try values.text(value, in: name, key: key, max: BridgeSections.maxProductLength)
            case "all_sources": settings.allSources = try values.flag(value, in: name, key: key)
            case "sentences": settings.sentences = try values.sentenceTypes(value, in: name, key: key)
            case "password_file": settings.passwordFile = try values.path(value, in: name, key: key)
            case "ca_file": settings.authorities = try values.path(value, in: name, key: key)
            case "receiver": settings.receiver = try values.text(value, in: name, key: key, max: 64)
            default:
                throw file.unknown(
                    key, in: name,
                    "tcp, tcp_listen, udp_listen, gpsd, file, ntrip, product, all_sources, sentences, password_file, "
                        + "ca_file and receiver")
            }
        }
        guard let source = sources.first, sources.count == 1 else {
            throw file.error(
                in: name, key: nil, reason: "needs one of tcp, tcp_listen, udp_listen, gpsd, file and ntrip")
        }
        settings.source = source
        try check(section, name, of: source)
        return settings
    }

    /// Refuses keys that the source does not use.
    private func check(
        _ section: [String: TOMLValue], _ name: String, of source: BridgeSettings.Inlet.Source
    ) throws(ConfigurationError) {
        let isCaster = if case .ntrip = source { true } else { false }
        let unused = isCaster ? ["product", "all_sources", "sentences"] : ["password_file", "ca_file", "receiver"]
        guard let key = unused.first(where: { section[$0] != nil }) else { return }
        throw file.error(in: name, key: key, reason: isCaster ? "is not used with ntrip" : "is used only with ntrip")
    }

    /// Whether a text is a name of an instance: it becomes part of the name of a unit.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
            }
    }
}
