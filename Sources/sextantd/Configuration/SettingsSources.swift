import Glibc
import SystemCalls

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
            for path in try SettingsSources.standardFiles() { try SettingsSources.read(path, into: &settings) }
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

    /// What is there but cannot be reached is no less a configuration: to go on without it would be to disobey it.
    private static func standardFiles() throws(ConfigurationError) -> [String] {
        var files: [String] = []
        if access(mainFile, F_OK) == 0 || errno != ENOENT { files.append(mainFile) }
        guard let directory = opendir(dropIns) else {
            guard errno == ENOENT else { throw unreadable(dropIns, errno) }
            return files
        }
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

    /// Bytes of a file at most.
    private static let longest = 1 << 20

    /// A file's text, all of it or none: a part of a configuration would be another one.
    private static func text(of path: String) throws(ConfigurationError) -> String {
        let found: [UInt8]?
        do throws(SystemError) { found = try contents(of: path) } catch { throw unreadable(path, error.code) }
        guard let bytes = found else {
            throw ConfigurationError(file: path, line: nil, key: nil, reason: "is no file, which can be read again at a reload")
        }
        guard bytes.count <= longest else {
            throw ConfigurationError(file: path, line: nil, key: nil, reason: "is longer than 1 MiB, which no configuration needs to be")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
            throw ConfigurationError(file: path, line: line.map { $0 + 1 }, key: nil, reason: "is not UTF-8, as all TOML is")
        }
        return text
    }

    /// What is in a file, one byte more than ``longest`` at most; nil for a pipe or socket.
    ///
    /// Opened without waiting: a pipe that nobody writes to would hold up a reload, and the service with it.
    private static func contents(of path: String) throws(SystemError) -> [UInt8]? {
        let file = FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) })
        var status = stat()
        try systemCall("looking at \(path)") { fstat(file.number, &status) }
        guard ![S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return nil }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        var used = 0
        while used < bytes.count {
            let count = try systemCall("reading \(path)") {
                bytes.withUnsafeMutableBytes { Glibc.read(file.number, $0.baseAddress.map { $0 + used }, $0.count - used) }
            }
            if count == 0 { break }
            used += count
        }
        return Array(bytes.prefix(used))
    }

    private static func unreadable(_ path: String, _ code: Int32) -> ConfigurationError {
        let mend = code == EACCES ? "; let the user of the service read it, or name another with --config" : ""
        return ConfigurationError(file: path, line: nil, key: nil, reason: "cannot be read: \(String(cString: strerror(code)))\(mend)")
    }
}
