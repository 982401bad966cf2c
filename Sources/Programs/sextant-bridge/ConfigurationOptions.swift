import ArgumentParser
import Settings

/// The option for another configuration file.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Read the section from this file only.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var config: String?

    /// Reads the sections of the bridges.
    func load() throws(BridgeError) -> BridgeSettings {
        do throws(ConfigurationError) { return try BridgeSettings.load(file: config) } catch {
            throw .configuration(error)
        }
    }
}
