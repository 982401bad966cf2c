import Settings

/// The sources of the settings: the main file, its drop-ins and the flags. Later sources override
/// earlier ones.
struct SettingsSources {
    /// The file specified by `--config`, which must exist. With it, no drop-ins are read.
    var file: String?
    var socket: String?
    var state: String?
    var devices: [String] = []
    /// Whether the sections of the bridges are checked too. They are not used by this program.
    var checksBridges = false

    /// Returns the defaults with all sources applied.
    func load() throws(ConfigurationError) -> Settings {
        var settings = Settings()
        if let file {
            try read(file, into: &settings)
        } else {
            for path in try ConfigurationFiles.standard() { try read(path, into: &settings) }
        }
        if let socket { settings.socket = socket }
        if let state { settings.state = state }
        if !devices.isEmpty {
            // Ports on the command line replace discovery and configured ports.
            settings.discover = false
            settings.ports = devices.map { Settings.NamedPort(device: $0) }
        }
        return settings
    }

    private func read(_ path: String, into settings: inout Settings) throws(ConfigurationError) {
        try SettingsFile(ConfigurationFiles.read(path)).apply(to: &settings, checksBridges: checksBridges)
    }
}
