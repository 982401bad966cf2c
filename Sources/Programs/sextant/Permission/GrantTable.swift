import ArgumentParser
import SextantAPI

/// The decisions, rules, default and switch as text.
struct GrantTable {
    var reply: ListGrantsReply
    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    var lines: [String] { (decisions + [""] + rules + [standard, switchState]).wrapped(to: columns) }

    private var decisions: [String] {
        guard reply.switch.problem == nil else { return ["The decisions about programs cannot be read."] }
        guard !reply.grants.isEmpty else { return ["No decision about a program."] }
        var table = TextTable(["PROGRAM", "ALLOWED", "ACCURACY", "DECIDED BY", "DATE"])
        for grant in reply.grants {
            var notes = grant.overruledBy.map { ["overruled by the rule in \($0)"] } ?? []
            if let text = grant.usageDescription { notes.append("states \(AgentText.quoted(text))") }
            table.add(
                [
                    ProgramFormatter.program(grant.program), PermissionText.choice(grant.authorization),
                    grant.authorization == .denied ? "-" : grant.accuracy.rawValue, GrantTable.author(of: grant),
                    TimeText.moment(grant.date),
                ], notes: notes)
        }
        return table.lines(columns: columns)
    }

    private static func author(of grant: Grant) -> String {
        let user = ProgramFormatter.subject(grant.uid)
        return switch grant.author {
        case .administrator: "\(user) with sextant grant"
        case .agent: "\(user), asked by an agent"
        case .unknown: user
        }
    }

    private var rules: [String] {
        guard !reply.rules.isEmpty else { return [] }
        var table = TextTable(["RULES FOR", "ALLOWED", "ACCURACY", "PLACE"])
        for rule in reply.rules {
            var notes = rule.maxConfiguration.map { ["streams get the configuration \($0.rawValue) at most"] } ?? []
            if let accuracy = rule.defaultAccuracy { notes.append("accuracy \(accuracy.rawValue) without a decision") }
            if let isInUse = rule.inUse { notes.append(isInUse ? "in use" : "not in use without a lease") }
            if rule.requireSession == true { notes.append("must declare a session") }
            table.add(
                [
                    GrantTable.subject(of: rule), rule.authorization.map(PermissionText.choice) ?? "-",
                    rule.accuracy?.rawValue ?? "-", rule.place,
                ], notes: notes)
        }
        return table.lines(columns: columns) + [""]
    }

    private static func subject(of rule: Rule) -> String {
        var parts: [String] = []
        if let unit = rule.unit { parts.append(unit) }
        if let application = rule.application { parts.append("application \(application)") }
        if let user = rule.uid { parts.append("user \(ProgramFormatter.user(user))") }
        return parts.joined(separator: ", ")
    }

    private var standard: String {
        let allowed =
            switch reply.default {
            case .always: "always"
            case .whenInUse: "while in use"
            case .denied: "no"
            case .unknown: "unknown"
            case .ask: "an agent asks the user"
            }
        let accuracy = reply.default == .denied ? "" : ", accuracy \(reply.accuracy.rawValue)"
        return "Programs without a rule and a decision: \(allowed)\(accuracy)."
    }

    private var switchState: String {
        let state = reply.switch
        if let problem = state.problem {
            return "The decisions and the switch cannot be read, so no program gets the location: \(problem)"
        }
        let user = state.uid.map { " by \(ProgramFormatter.subject($0))" } ?? ""
        let date = state.date.map { ", \(TimeText.moment($0))" } ?? ""
        return state.enabled
            ? "Location is switched on."
            : "Location is switched off for all programs\(user)\(date). To switch it on: sudo sextant enable"
    }
}

/// `sextant grants`: lists what decides about programs.
struct GrantsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants",
        abstract: "List which programs may know the location, and who decided.",
        discussion: """
            First the decisions of "sextant grant" and of agents, then the rules of the configuration, the default and \
            the switch for the device. Users who may not decide see the programs of their own user only.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let reply = try daemon.call(PermissionMethods.list)
        try output.print([reply], or: GrantTable(reply: reply, columns: StandardOutput.columns).lines)
    }
}
