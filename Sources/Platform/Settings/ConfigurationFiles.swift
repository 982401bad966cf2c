import Glibc
import SystemCalls

/// The configuration files of the service and its bridges.
package enum ConfigurationFiles {
    /// The file read if no other is specified; optional.
    package static let mainFile = "/etc/sextant/sextant.toml"
    /// The directory whose `.toml` files are read after the main file, in the order of their names;
    /// optional.
    package static let dropIns = "/etc/sextant/conf.d"

    package static func read(_ path: String) throws(ConfigurationError) -> ConfigurationFile {
        try ConfigurationFile(path: path, text: text(of: path))
    }

    /// Returns the paths of the standard files. A file that exists but cannot be accessed is an
    /// error, because the service must not run without its configuration.
    package static func standard() throws(ConfigurationError) -> [String] {
        var files: [String] = []
        if access(mainFile, F_OK) == 0 || errno != ENOENT { files.append(mainFile) }
        do throws(SystemError) {
            let names = try Directory.names(in: dropIns).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
            return files + names.map { "\(dropIns)/\($0)" }
        } catch {
            guard error.code == ENOENT else { throw unreadable(dropIns, code: error.code) }
            return files
        }
    }

    /// The maximum size of a file in bytes.
    private static let maxFileSize = 1 << 20

    /// Returns the complete text of a file. A partial text could be a different configuration.
    private static func text(of path: String) throws(ConfigurationError) -> String {
        let found: [UInt8]?
        do throws(SystemError) { found = try contents(of: path) } catch { throw unreadable(path, code: error.code) }
        guard let bytes = found else {
            throw ConfigurationError(
                file: path, line: nil, key: nil, reason: "must be a regular file, because it is read again on reload")
        }
        guard bytes.count <= maxFileSize else {
            throw ConfigurationError(file: path, line: nil, key: nil, reason: "is longer than the limit of 1 MiB")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
            throw ConfigurationError(
                file: path, line: line.map { $0 + 1 }, key: nil, reason: "is not UTF-8, which TOML requires")
        }
        return text
    }

    /// Returns the contents of a file, at most ``maxFileSize`` + 1 bytes, or `nil` for a pipe or a
    /// socket.
    ///
    /// The file is opened without blocking. Otherwise a pipe without a writer would block a reload,
    /// and with it the service.
    private static func contents(of path: String) throws(SystemError) -> [UInt8]? {
        let file = FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) })
        var status = stat()
        try systemCall("reading the status of \(path)") { fstat(file.number, &status) }
        guard ![S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return nil }
        return try file.contents(of: path, limit: maxFileSize + 1)
    }

    private static func unreadable(_ path: String, code: Int32) -> ConfigurationError {
        let remedy =
            code == EACCES ? "; make it readable for the service's user, or select another file with --config" : ""
        return ConfigurationError(
            file: path, line: nil, key: nil, reason: "cannot be read: \(String(cString: strerror(code)))\(remedy)")
    }
}
