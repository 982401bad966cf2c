/// Reads the section `[web]` of `sextant-web`. Every key is checked; an unknown key is an error.
package struct WebSection {
    /// The settings of the section.
    package struct Settings: Equatable, Sendable {
        /// Further names of this machine, under which browsers may ask for the page.
        package var names: [String] = []
        /// Whether the page may change geofences; nil: for those who have entered the password, or
        /// come by the Unix socket.
        package var mayEdit: Bool?
        /// The path of the file with the hash of the password that connections by TCP need.
        package var passwordFile: String?
        package var hasMetrics = false
        package var metricsHavePosition = false

        package init() {}
    }

    private static let maxNames = 16

    private let file: ConfigurationFile

    package init(of file: ConfigurationFile) { self.file = file }

    /// Reads the standard files, or only one. The section of a later file replaces the earlier one.
    package static func load(file: String?) throws(ConfigurationError) -> Settings {
        var settings: Settings?
        let paths = if let file { [file] } else { try ConfigurationFiles.standard() }
        for path in paths { settings = try WebSection(of: ConfigurationFiles.read(path)).settings() ?? settings }
        return settings ?? Settings()
    }

    /// Returns the settings of the file; nil if it has no such section.
    package func settings() throws(ConfigurationError) -> Settings? {
        guard file.table.keys.contains("web") else { return nil }
        let section = try file.section("web", keys: ["names", "edit", "password_file", "metrics", "metrics_position"])
        var settings = Settings()
        settings.names = try section.texts("names") ?? []
        let areHosts = settings.names.allSatisfy { HostPort(host: $0, port: 1).isHost }
        guard areHosts, settings.names.count <= WebSection.maxNames else {
            throw section.error(
                "names", "must be a list of up to \(WebSection.maxNames) names such as \"boat.example\"")
        }
        settings.mayEdit = try section.flag("edit")
        settings.passwordFile = try section.path("password_file")
        settings.hasMetrics = try section.flag("metrics") ?? false
        settings.metricsHavePosition = try section.flag("metrics_position") ?? false
        return settings
    }
}
