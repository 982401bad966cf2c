import SextantAPI

/// An invalid file of the daemon's configuration.
struct ConfigurationProblem: Equatable {
    var file: String
    /// The line number, from 1; nil if the file as a whole is the problem.
    var line: Int?
    /// The key, if one is wrong, and the reason.
    var reason: String

    /// "FILE:LINE: KEY: REASON"
    var displayText: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)" }

    /// Creates the problem that the daemon reports; nil for any other error.
    init?(_ error: ManagerError?) {
        guard case .invalidConfiguration(let file, let line, let key, let reason)? = error else { return nil }
        self.init(file: file, line: line, key: key, reason: reason)
    }

    init(file: String, line: Int?, key: String?, reason: String) {
        self.file = file
        self.line = line
        self.reason = key.map { "\($0): \(reason)" } ?? reason
    }

    /// Creates the problem from the output of `sextantd --check-config`:
    /// "sextantd: FILE:LINE: KEY: REASON". Returns nil for another output.
    init?(parsing output: String) {
        let prefix = "sextantd: "
        guard output.hasPrefix(prefix) else { return nil }
        let text = output.dropFirst(prefix.count).prefix { $0 != "\n" }
        // The end of the place is the first colon with a space.
        guard let end = text.indices.first(where: { text[$0...].hasPrefix(": ") }) else { return nil }
        let place = text[..<end]
        reason = String(text[end...].dropFirst(2))
        if let colon = place.lastIndex(of: ":"), let number = Int(place[place.index(after: colon)...]) {
            (file, line) = (String(place[..<colon]), number)
        } else {
            (file, line) = (String(place), nil)
        }
    }

    /// The command that corrects the file and makes the service use it.
    ///
    /// - Parameter isDaemonRunning: Whether the daemon runs with an earlier configuration.
    func command(service: Observations.Service, isDaemonRunning: Bool) -> String {
        let edit = "sudo ${EDITOR:-vi} \(line.map { "+\($0) " } ?? "")\(ShellText.quoted(file))"
        guard service == .installed else { return edit }
        // A start is refused after several failed ones, until the failures are reset.
        let start =
            "sudo systemctl reset-failed sextantd.service && sudo systemctl restart sextantd.socket sextantd.service"
        return "\(edit) && \(isDaemonRunning ? "sudo systemctl reload sextantd.service" : start)"
    }
}

/// Text for a shell command that users copy.
enum ShellText {
    /// Returns a word that the shell takes literally.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            (48...57).contains($0) || (64...90).contains($0) || (97...122).contains($0) || "/._-+:,".utf8.contains($0)
        }
        return isPlain && !text.isEmpty
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
