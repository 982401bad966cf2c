import Permission
import SextantAPI

/// The command that lets a program know the location, by what decides about it now.
struct PermissionAdvice {
    var program: String
    var authorization: Authorization
    var accuracy: AccuracyAuthorization
    var decidedBy: String
    /// Why the program gets no location or a reduced one; nil if it gets the full location.
    var detail: String?
    /// What prevents the full location.
    var flags: PermissionFlags
    /// Whether location is switched on for the device.
    var isEnabled: Bool

    init(_ message: Permission, isEnabled: Bool) {
        program = message.program
        authorization = message.authorization
        accuracy = message.accuracy
        decidedBy = message.decidedBy
        detail = message.detail
        flags = message.permission
        self.isEnabled = isEnabled
    }

    /// The check of a program that does not get the full location.
    var check: Check {
        .wrong(.authorization, finding: finding, remedy: remedy, command: command)
    }

    /// What the program may know, what decided, and why it gets less than that now.
    var finding: String {
        let allowed = PermissionText.allowed(authorization, accuracy: accuracy)
        let program = ProgramFormatter.program(program)
        guard isEnabled else { return "\(program) gets no location: it is switched off for all programs" }
        // The reason; the daemon adds the remedy after a semicolon.
        let reason = detail.flatMap { $0.split(separator: ";").first }.map { ProgramFormatter.sentence(String($0)) }
        switch authorization {
        case .whenInUse, .always: return reason ?? "\(program) \(allowed), decided by \(decider)"
        case .denied, .restricted, .notDetermined, .unknown: return "\(program) \(allowed), decided by \(decider)"
        }
    }

    /// What decided, with the name of the user.
    var decider: String { ProgramFormatter.sentence(decidedBy) }

    private var remedy: String {
        guard isEnabled else { return "switch location on" }
        if isSessionMissing { return "declare a session with io.sextant.Session, or unset require_session" }
        if PermissionText.place(in: decidedBy) != nil, isDecidedByRule { return "change the rule" }
        if isOnlyReduced { return "allow the full location" }
        switch authorization {
        case .notDetermined: return "answer the agent, or decide yourself"
        case .denied, .restricted, .unknown: return "allow it"
        case .whenInUse: return "log the user in, or allow the location at any time"
        case .always: return "allow the full location"
        }
    }

    /// The command that can be typed; nil if none is enough.
    private var command: String? {
        guard isEnabled else { return "sudo sextant enable" }
        if isSessionMissing { return "sextant grants" }
        if isDecidedByRule, let place = PermissionText.place(in: decidedBy) { return PermissionText.editCommand(place) }
        return "sudo sextant grant \(ShellText.quoted(program))\(option)"
    }

    /// The option of the command. Only the accuracy of a program that is limited in nothing else is
    /// widened.
    private var option: String {
        guard authorization == .whenInUse else { return "" }
        return isOnlyReduced ? " --when-in-use" : " --always"
    }

    private var isOnlyReduced: Bool { flags == .accuracyLimited }

    /// A decision cannot change what a rule decides; it can change the default.
    private var isDecidedByRule: Bool { decidedBy.hasPrefix("the rule in ") }

    private var isSessionMissing: Bool { flags.contains(.serviceSessionRequired) }
}
