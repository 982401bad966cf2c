import Chronology
import Glibc
import Permission
import SextantAPI

/// The name of a program on the command line: its text form, or a short form of it.
///
/// | short form | text form |
/// |---|---|
/// | `alice`, `alice:navigator.service` | `1000`, `1000:navigator.service` |
/// | `navigator.service` | `998:navigator.service`, if only this known program has the unit |
enum ProgramName {
    /// A program that the daemon knows: its text form, which is exact, or a user with a unit of
    /// either manager.
    enum Known: Equatable {
        case exact(String)
        case unit(String, user: Int)
    }

    /// What a short form stands for.
    enum Meaning: Equatable {
        /// The program with this text form.
        case program(String)
        /// A unit without a user. Only the daemon knows the users that run it.
        case unit(String)
    }

    /// The text of help about a program.
    static let help =
        "a user ID or name; for a service, add \":\" and its unit, such as 998:navigator.service, or "
        + "1000:user:map.service for a unit of the user's own manager. A unit alone is accepted if only one known "
        + "program has it."

    /// User IDs below this one belong to the system (systemd, SYS_UID_MAX). Such users normally
    /// have no manager of their own.
    private static let firstUserID = 1000

    /// Returns the text form of the program that a name on the command line stands for.
    static func textForm(of name: String, at daemon: DaemonOptions) throws(CommandError) -> String {
        switch try meaning(of: name, user: userID) {
        case .program(let program): return program
        case .unit(let unit): return try select(unit, from: knownPrograms(at: daemon))
        }
    }

    /// Returns what a name stands for.
    ///
    /// - Parameter user: Returns the ID of a user; nil if there is none of that name.
    static func meaning(of name: String, user: (String) -> UInt32?) throws(CommandError) -> Meaning {
        if ProgramID(name) != nil { return .program(name) }
        let owner = String(name.prefix { $0 != ":" })
        if name.hasPrefix("user:") || owner == name {
            let unit = owner == name ? name : String(name.dropFirst("user:".count))
            if ProgramID.isUnitName(unit) { return .unit(name) }
        }
        guard !owner.isEmpty, let id = user(owner) else {
            if isUserName(owner) {
                throw CommandError("there is no user \"\(owner)\"; list users with: getent passwd", exitStatus: .usage)
            }
            throw CommandError(
                "there is no program \"\(name)\", and no user of that name; a program is \(ProgramID.format)",
                exitStatus: .usage)
        }
        let text = "\(id)\(name.dropFirst(owner.count))"
        guard ProgramID(text) != nil else {
            throw CommandError("invalid program \"\(name)\": must be \(ProgramID.format)", exitStatus: .usage)
        }
        return .program(text)
    }

    /// Whether a text has the form of a user's name, as systemd requires it of new users.
    private static func isUserName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "_") || Character(UnicodeScalar(first)).isLetter
        else { return false }
        return text.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 128 && (character.isLetter || character.isNumber || character == "_" || character == "-")
        }
    }

    /// Returns the only program that has a unit.
    static func select(_ unit: String, from known: [Known]) throws(CommandError) -> String {
        let candidates = Set(known.flatMap { programs(with: unit, from: $0) }).sorted()
        if let only = candidates.first, candidates.count == 1 { return only }
        guard candidates.isEmpty else {
            throw CommandError(
                "several programs can be \"\(unit)\"; name one of them in full:", choices: candidates,
                exitStatus: .usage)
        }
        throw CommandError(
            "no known program has the unit \"\(unit)\"; add its user: \(ProgramID.format)", exitStatus: .usage)
    }

    private static func programs(with unit: String, from known: Known) -> [String] {
        switch known {
        case .exact(let text):
            guard let program = ProgramID(text) else { return [] }
            return program.qualifiedUnit == unit || program.unit == unit ? [text] : []
        case .unit(let name, let user):
            let (system, own) = ("\(user):\(name)", "\(user):user:\(name)")
            if unit == "user:\(name)" { return [own] }
            guard unit == name else { return [] }
            // Only a user's own manager names units in this form.
            if name.hasPrefix("app-") { return [own] }
            return user < firstUserID ? [system] : [system, own]
        }
    }

    /// Returns the programs with connections, monitors or decisions, as far as this user may see
    /// them.
    private static func knownPrograms(at daemon: DaemonOptions) throws(CommandError) -> [Known] {
        let grants = try daemon.call(PermissionMethods.list).grants.map { Known.exact($0.program) }
        let monitors = try? daemon.call(MonitorMethods.listMonitors).monitors.map { Known.exact($0.program) }
        let consumers = try? daemon.call(ManagerMethods.getConsumers).consumers.compactMap { consumer in
            consumer.owner.map { Known.exact($0) } ?? consumer.unit.map { Known.unit($0, user: consumer.uid) }
        }
        return grants + (monitors ?? []) + (consumers ?? [])
    }

    static func userID(_ name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }
}

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
