import Logging
import Settings

/// The present settings, and how they are read again.
struct ConfigurationReloader {
    private let sources: SettingsSources
    private(set) var settings: Settings

    init(_ sources: SettingsSources, settings: Settings) {
        self.sources = sources
        self.settings = settings
    }

    /// Reads the configuration again. Settings that require a restart keep their values, and a
    /// warning is logged if they have changed.
    ///
    /// - Returns: Whether the settings are new. After an error, which is logged, the old ones stay.
    mutating func reload(_ log: Logger) -> Bool {
        do throws(ConfigurationError) {
            var new = try sources.load()
            if new.socket != settings.socket || new.state != settings.state || new.power != settings.power
                || new.rescues != settings.rescues
            {
                log.warning(
                    """
                    changes of service.socket, service.state, receivers.power and receivers.rescue take effect \
                    after a restart, not on reload
                    """
                )
            }
            new.socket = settings.socket
            new.state = settings.state
            new.power = settings.power
            new.rescues = settings.rescues
            settings = new
            return true
        } catch {
            log.error("reload failed, keeping the current configuration: \(error)")
            return false
        }
    }
}
