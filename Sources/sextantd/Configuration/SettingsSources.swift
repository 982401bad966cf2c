import Glibc

/// Where settings come from: the main file, its drop-ins, and the flags, later ones winning.
struct SettingsSources {
    /// Read when no other is named; need not exist.
    static let mainFile = "/etc/sextant/sextant.toml"
    /// Files of it that end in `.toml` are read after the main file, in the order of their names; need not exist.
    static let dropIns = "/etc/sextant/conf.d"

    /// The file named by `--config`, which must exist; with it no drop-ins are read.
    var file: String?
    var socket: String?
    var state: String?
    var devices: [String] = []

    /// Everything laid over the defaults.
    func load() throws(ConfigurationError) -> Settings {
        var settings = Settings()
        if let file {
            try SettingsSources.read(file, into: &settings)
        } else {
            for path in SettingsSources.standardFiles() { try SettingsSources.read(path, into: &settings) }
        }
        if let socket { settings.socket = socket }
        if let state { settings.state = state }
        if !devices.isEmpty {
            // Who names ports on the command line means these and no others.
            settings.discover = false
            settings.ports = devices.map { Settings.NamedPort(device: $0) }
        }
        return settings
    }

    private static func read(_ path: String, into settings: inout Settings) throws(ConfigurationError) {
        try SettingsFile(path: path, text: text(of: path)).apply(to: &settings)
    }

    private static func standardFiles() -> [String] {
        var files: [String] = []
        if access(mainFile, F_OK) == 0 { files.append(mainFile) }
        guard let directory = opendir(dropIns) else { return files }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        return files + names.sorted().map { "\(dropIns)/\($0)" }
    }

    /// A file's text, at most 1 MiB of it.
    private static func text(of path: String) throws(ConfigurationError) -> String {
        func failure() -> ConfigurationError {
            ConfigurationError(file: path, line: nil, key: nil, reason: "cannot be read: \(String(cString: strerror(errno)))")
        }
        guard let file = fopen(path, "re") else { throw failure() }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw failure() }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
