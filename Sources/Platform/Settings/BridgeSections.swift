/// Reads the sections of the bridges: `[gpsd]`, `[nmea.NAME]`, `[time]` and `[inlet.NAME]`.
/// Every key is checked; an unknown key is an error.
package struct BridgeSections {
    package static let names = ["gpsd", "nmea", "time", "inlet"]
    /// The sentences that the role `nmea` writes.
    package static let sentences = ["rmc", "gga", "gsa", "gsv", "vtg", "gst", "zda"]

    private static let inletKeys = [
        "tcp", "tcp_listen", "udp_listen", "gpsd", "file", "ntrip", "product", "all_sources", "sentences",
        "password_file", "ca_file", "receiver",
    ]
    private static let intervals = 1.0...3600.0
    private static let timeIntervals = 1.0...1024.0
    private static let maxProductLength = 255
    /// The units of ntpd's shared memory (refclock_shm).
    private static let memoryUnits = 0...255

    private let file: ConfigurationFile

    package init(of file: ConfigurationFile) { self.file = file }

    /// Returns the settings of the file. Other sections are ignored.
    package func settings() throws(ConfigurationError) -> BridgeSettings {
        var settings = BridgeSettings()
        for key in file.table.keys.sorted() {
            switch key {
            case "gpsd":
                let section = try file.section(key, keys: ["listen", "release"])
                var gpsd = BridgeSettings.GPSD()
                gpsd.listen = try section.addresses("listen") ?? gpsd.listen
                gpsd.release = try section.text("release", max: 32)
                settings.gpsd = gpsd
            case "time":
                let section = try file.section(key, keys: ["chrony", "shm", "interval"])
                var time = BridgeSettings.Time()
                time.chrony = try section.path("chrony")
                time.shm = try section.integer("shm", BridgeSections.memoryUnits)
                time.interval = try section.number("interval", BridgeSections.timeIntervals, "seconds from 1 to 1024")
                settings.time = time
            case "nmea":
                let keys = ["tcp", "udp", "unix", "pty", "sentences", "talker", "interval"]
                for (name, section) in try file.sections(below: key, keys: keys) {
                    settings.nmea[name] = try nmea(section)
                }
            case "inlet":
                for (name, section) in try file.sections(below: key, keys: BridgeSections.inletKeys) {
                    settings.inlet[name] = try inlet(section)
                }
            default: break
            }
        }
        return settings
    }

    private func nmea(_ section: ConfigurationSection) throws(ConfigurationError) -> BridgeSettings.NMEA {
        var settings = BridgeSettings.NMEA()
        settings.tcp = try section.addresses("tcp") ?? settings.tcp
        settings.udp = try section.addresses("udp") ?? settings.udp
        settings.unix = try section.path("unix")
        settings.pty = try section.path("pty")
        settings.interval = try section.number("interval", BridgeSections.intervals, "seconds from 1 to 3600")
        settings.talker = try section.value("talker", "must be two capital letters, such as \"GP\"") { value in
            value.string.flatMap { $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) } ? $0 : nil }
        }
        let known = BridgeSections.sentences
        settings.sentences = try section.value(
            "sentences", "must be a list of \(known.joined(separator: ", "))"
        ) { value in
            let kinds = value.strings?.map { $0.lowercased() } ?? []
            return !kinds.isEmpty && kinds.allSatisfy(known.contains) ? kinds : nil
        }
        return settings
    }

    private func inlet(_ section: ConfigurationSection) throws(ConfigurationError) -> BridgeSettings.Inlet {
        let sources: [BridgeSettings.Inlet.Source?] = [
            try section.host("tcp").map { .tcp($0) }, try section.address("tcp_listen").map { .tcpListen($0) },
            try section.address("udp_listen").map { .udpListen($0) }, try section.host("gpsd").map { .gpsd($0) },
            try section.path("file").map { .file($0) }, try section.caster("ntrip").map { .ntrip($0) },
        ]
        let given = sources.compactMap(\.self)
        guard let source = given.first, given.count == 1 else {
            throw section.error(nil, "needs one of tcp, tcp_listen, udp_listen, gpsd, file and ntrip")
        }
        var settings = BridgeSettings.Inlet(source: source)
        settings.product = try section.text("product", max: BridgeSections.maxProductLength)
        settings.allSources = try section.flag("all_sources") ?? settings.allSources
        settings.sentences = try section.sentenceTypes("sentences")
        settings.passwordFile = try section.path("password_file")
        settings.authorities = try section.path("ca_file")
        settings.receiver = try section.text("receiver", max: 64)
        // Keys that the source does not use.
        let isCaster = if case .ntrip = source { true } else { false }
        let unused = isCaster ? ["product", "all_sources", "sentences"] : ["password_file", "ca_file", "receiver"]
        guard let key = unused.first(where: section.has) else { return settings }
        throw section.error(key, isCaster ? "is not used with ntrip" : "is used only with ntrip")
    }
}
