/// The options of the bridges' roles. Each property has the option of `sextant-bridge` of the same
/// name; nil for its default.
package struct BridgeSettings: Equatable, Sendable {
    /// The section `[gpsd]`.
    package struct GPSD: Equatable, Sendable {
        /// The addresses at which clients are accepted.
        package var listen: [String] = []
        /// The release of gpsd to state.
        package var release: String?

        package init() {}
    }

    /// A section `[nmea.NAME]`.
    package struct NMEA: Equatable, Sendable {
        /// The TCP addresses at which clients are accepted.
        package var tcp: [String] = []
        /// The UDP addresses that sentences are sent to.
        package var udp: [String] = []
        /// The path of a Unix socket.
        package var unix: String?
        /// The path of a link to a pseudo-terminal.
        package var pty: String?
        package var sentences: [String]?
        package var talker: String?
        /// The minimum interval in seconds.
        package var interval: Double?

        package init() {}
    }

    /// The section `[time]`.
    package struct Time: Equatable, Sendable {
        /// The path of chrony's socket.
        package var chrony: String?
        /// The unit of a shared memory of ntpd.
        package var shm: Int?
        /// The interval in seconds.
        package var interval: Double?

        package init() {}
    }

    /// A section `[inlet.NAME]`.
    package struct Inlet: Equatable, Sendable {
        /// Where the sentences or corrections come from.
        package enum Source: Equatable, Sendable {
            /// A TCP server.
            case tcp(String)
            /// A TCP port of this machine.
            case tcpListen(String)
            /// A UDP port of this machine, or a multicast group.
            case udpListen(String)
            /// A gpsd.
            case gpsd(String)
            /// A file or a pipe.
            case file(String)
            /// A stream of corrections.
            case ntrip(NTRIPAddress)
        }

        package var source: Source
        /// What is shown as product of the receiver.
        package var product: String?
        /// Whether several senders are used at the same time.
        package var allSources = false
        /// The sentences that are passed on; nil for all.
        package var sentences: [String]?
        /// The path of the file with the password of a caster.
        package var passwordFile: String?
        /// The path of the file with certificates of authorities; nil for those of the system.
        package var authorities: String?
        /// The receiver that gets the corrections; nil for the primary one.
        package var receiver: String?

        package init(source: Source) { self.source = source }
    }

    /// The role `gpsd`; nil without a section.
    package var gpsd: GPSD?
    /// The instances of the role `nmea`.
    package var nmea: [String: NMEA] = [:]
    /// The role `time`; nil without a section.
    package var time: Time?
    /// The instances of the role `inlet`.
    package var inlet: [String: Inlet] = [:]

    /// Settings without sections.
    package init() {}

    /// Reads the standard files, or only one. A section of a later file replaces the earlier one.
    package static func load(file: String?) throws(ConfigurationError) -> BridgeSettings {
        var all = BridgeSettings()
        let paths = if let file { [file] } else { try ConfigurationFiles.standard() }
        for path in paths {
            let settings = try BridgeSections(of: ConfigurationFiles.read(path)).settings()
            all.gpsd = settings.gpsd ?? all.gpsd
            all.time = settings.time ?? all.time
            all.nmea.merge(settings.nmea) { $1 }
            all.inlet.merge(settings.inlet) { $1 }
        }
        return all
    }
}
