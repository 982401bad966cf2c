import Chronology
import Glibc
import Permission
import SextantAPI

/// The names of programs and users.
enum ProgramFormatter {
    /// Returns the program's name, which the daemon may not have been able to read. The daemon
    /// itself follows the fences of a program that has ended.
    static func name(_ name: String?, purpose: Purpose) -> String {
        if purpose == .monitors, (name ?? "").isEmpty { return "sextantd" }
        return name.map { $0.isEmpty ? "?" : $0 } ?? ""
    }

    /// Returns the user's name; its number if it has no name.
    static func user(_ number: Int) -> String { userName(number) ?? "\(number)" }

    /// Returns the user's name; "user 4242" if it has no name.
    static func subject(_ user: Int) -> String { userName(user) ?? "user \(user)" }

    /// Returns a program with its user's name, such as "navigator:navigator.service". The commands
    /// accept this form. Returns "user 4242" or "4242:map.service" if the user has no name.
    static func program(_ text: String) -> String {
        let digits = text.prefix { $0.isNumber }
        guard let user = Int(digits), ProgramID(stored: text) != nil else { return text }
        let rest = text.dropFirst(digits.count)
        return userName(user).map { $0 + rest } ?? (rest.isEmpty ? subject(user) : text)
    }

    /// Returns a sentence of the daemon with names of users, where it has "user 0" or "program 0",
    /// and with local times.
    static func sentence(_ text: String) -> String {
        var words: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let end = word.lastIndex { !",;.".contains($0) }.map { word.index(after: $0) } ?? word.startIndex
            let (core, mark) = (String(word[..<end]), word[end...])
            let isName = ["user", "program"].contains(words.last) && core.first?.isNumber == true
            let name = isName ? program(core) : core
            let isTime = core.contains("T") && UTCTime(rfc3339: core) != nil
            words.append((isTime ? TimeText.moment(core) : name.contains(" ") ? core : name) + mark)
        }
        return words.joined(separator: " ")
    }

    private static func userName(_ number: Int) -> String? {
        uid_t(exactly: number).flatMap { getpwuid($0) }?.pointee.pw_name.map { String(cString: $0) }
    }
}
