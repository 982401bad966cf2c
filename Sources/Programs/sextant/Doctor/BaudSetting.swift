/// Where a configuration file sets the baud rate of a port.
enum BaudSetting {
    /// Returns the line of the setting, from 1; nil if the text has none for the port.
    ///
    /// - Parameters:
    ///   - text: The text of a valid configuration file.
    ///   - isPort: Whether a value of `device` is the port.
    static func line(in text: String, where isPort: (String) -> Bool) -> Int? {
        var line: Int?
        var isSection = false
        var isOfPort = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            let content = raw.drop { $0 == " " || $0 == "\t" }
            if content.hasPrefix("[") {
                if isOfPort, let line { return line }
                line = nil
                isOfPort = false
                isSection = content.hasPrefix("[[receiver]]")
            }
            guard isSection, let equals = content.firstIndex(of: "=") else { continue }
            let key = content[..<equals].filter { $0 != " " && $0 != "\t" }
            if key == "baud" { line = index + 1 }
            let quoted = content[equals...].split(separator: "\"", omittingEmptySubsequences: false)
            if key == "device", quoted.count > 1, isPort(String(quoted[1])) { isOfPort = true }
        }
        return isOfPort ? line : nil
    }
}

extension Observations {
    /// Where the baud rate is set, as the end of a sentence, and the command to change it.
    var baudSetting: (text: String, command: String) {
        guard let place = baudPlace else { return ("", "grep -rn baud /etc/sextant") }
        return (" (\(place.file):\(place.line))", PermissionText.editCommand((place.file, place.line)))
    }
}
