import Permission
import SextantAPI

enum PermissionText {
    /// Returns what a program may know, such as "may know the location while it is in use, reduced
    /// to an area". It follows the name of the program.
    static func allowed(_ authorization: Authorization, accuracy: AccuracyAuthorization) -> String {
        let reduced = accuracy == .reduced ? ", reduced to an area" : ""
        return switch authorization {
        case .notDetermined: "may not know the location yet: an agent asks the user"
        case .restricted: "may not know the location: the configuration denies it"
        case .denied, .unknown: "may not know the location"
        case .whenInUse: "may know the location while it is in use\(reduced)"
        case .always: "may know the location at any time\(reduced)"
        }
    }

    /// Returns a choice as the cell of a table.
    static func choice(_ choice: AuthorizationChoice) -> String {
        switch choice {
        case .denied, .unknown: "no"
        case .whenInUse: "while in use"
        case .always: "always"
        }
    }

    /// Returns a program with the name of its user, such as "navigator.service of user navigator
    /// (998)".
    static func program(_ text: String) -> String {
        guard let program = ProgramID(stored: text) else { return text }
        let name = ProgramFormatter.user(Int(program.user))
        let user = name == "\(program.user)" ? "user \(name)" : "user \(name) (\(program.user))"
        guard let unit = program.unit else { return "all programs of \(user) without a unit of their own" }
        return program.isUserUnit ? "\(unit) of \(user), started by the user's own manager" : "\(unit) of \(user)"
    }

    /// Returns the file and line of a rule, from the daemon's text of what decided; nil if no file
    /// decided.
    static func place(in decidedBy: String) -> (file: String, line: Int?)? {
        let prefixes = ["the rule in ", "permissions.default in "]
        guard let prefix = prefixes.first(where: { decidedBy.hasPrefix($0) }) else { return nil }
        return place(String(decidedBy.dropFirst(prefix.count)))
    }

    /// Returns the parts of "FILE:LINE" or "FILE".
    static func place(_ text: String) -> (file: String, line: Int?) {
        guard let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...]) else {
            return (text, nil)
        }
        return (String(text[..<colon]), line)
    }

    /// Returns the command that changes a rule and makes the service use it.
    static func editCommand(_ place: (file: String, line: Int?)) -> String {
        "sudo ${EDITOR:-vi} \(place.line.map { "+\($0) " } ?? "")\(ShellText.quoted(place.file)) "
            + "&& sudo systemctl reload sextantd.service"
    }
}

extension PermissionFlags {
    /// Why a program gets no location, or a reduced one, as a headline.
    var headline: String {
        if contains(.authorizationDeniedGlobally) { return "Location is switched off" }
        if contains(.authorizationDenied) || contains(.authorizationRestricted) { return "Not permitted" }
        if contains(.authorizationRequestInProgress) { return "The user was asked for permission" }
        if contains(.insufficientlyInUse) { return "Not in use" }
        if contains(.serviceSessionRequired) { return "Session required" }
        return "Reduced to an area"
    }

    /// Why the conditions of a program are not monitored, and how to find the cause.
    func reason(for program: String) -> String {
        if contains(.authorizationDeniedGlobally) {
            return "location is switched off for all programs; to switch it on: sudo sextant enable"
        }
        return "not permitted: fences need the full location; find the cause with: "
            + "sextant doctor program \(ShellText.quoted(program))"
    }
}
