import ArgumentParser
import Glibc
import SextantAPI
import Varlink
import VarlinkClient

/// Calls to the monitors of one owner, all on one connection: the daemon limits how many
/// connections a user opens per second.
struct FenceClient {
    private let client: BlockingClient
    let owner: String
    /// The only monitor to use; nil for every monitor of the owner.
    private let monitor: String?

    /// Connects to the daemon.
    init(_ options: FenceOptions) throws(CommandError) {
        try self.init(options.daemon, program: options.program, monitor: options.monitor)
    }

    /// Connects to the daemon.
    ///
    /// - Parameter program: The owner of the monitors as named by the user; nil for this user.
    init(_ daemon: DaemonOptions, program: String?, monitor: String? = nil) throws(CommandError) {
        if let program {
            owner = try ProgramName.textForm(of: program, at: daemon)
        } else {
            owner = FenceOptions.user
        }
        client = try daemon.connect()
        self.monitor = monitor
    }

    func call<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, with parameters: Parameters
    ) throws(CommandError) -> Reply {
        do {
            return try client.call(method, with: parameters, timeout: .seconds(10))
        } catch {
            throw CommandError(daemon: error)
        }
    }

    func monitors() throws(CommandError) -> [MonitorState] {
        try call(MonitorMethods.listMonitors, with: NoParameters()).monitors.filter { $0.program == owner }
    }

    /// Refuses a monitor of the options that does not exist, whose lists would be empty.
    func checkMonitor() throws(CommandError) {
        guard let monitor, try !monitors().contains(where: { $0.name == monitor }) else { return }
        throw CommandError(monitor: .noSuchMonitor(name: monitor))
    }

    func records(of monitor: String) throws(CommandError) -> [ConditionRecord] {
        var records: [ConditionRecord] = []
        var after: String?
        repeat {
            let reply = try call(MonitorMethods.list, with: PageParameters(name: monitor, after: after, program: owner))
            records += reply.records
            after = reply.next
        } while after != nil
        return records
    }

    /// Returns the record of a fence and its monitor.
    ///
    /// - Parameter monitors: The names of all monitors of the owner, if they are known.
    func record(of fence: String, among monitors: [String]? = nil) throws(CommandError)
        -> (monitor: String, record: ConditionRecord)
    {
        if let monitor {
            let parameters = GetRecordParameters(name: monitor, identifier: fence, program: owner)
            return (monitor, try call(MonitorMethods.getRecord, with: parameters).record)
        }
        var found: [(monitor: String, record: ConditionRecord)] = []
        let names = if let monitors { monitors } else { try self.monitors().map(\.name) }
        for name in names {
            if let record = try record(of: fence, ifIn: name) { found.append((name, record)) }
        }
        guard let only = found.first else {
            throw CommandError(
                "there is no fence \"\(fence)\"; list fences with: sextant fence list",
                exitStatus: .noResult)
        }
        guard found.count == 1 else {
            let names = found.map(\.monitor).joined(separator: ", ")
            throw CommandError(
                "several monitors have a fence \"\(fence)\": \(names); select one with "
                    + "--monitor",
                exitStatus: .usage)
        }
        return only
    }

    /// Returns the record of a fence in a monitor; nil if the monitor has no such fence.
    private func record(of fence: String, ifIn monitor: String) throws(CommandError) -> ConditionRecord? {
        let parameters = GetRecordParameters(name: monitor, identifier: fence, program: owner)
        do throws(ClientError) {
            return try client.call(MonitorMethods.getRecord, with: parameters, timeout: .seconds(10)).record
        } catch {
            guard case .failed(_, let reply) = error, case .noSuchCondition? = MonitorError(reply) else {
                throw CommandError(daemon: error)
            }
            return nil
        }
    }
}

/// The options that select a monitor and its owner.
struct FenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use only this monitor (default: every monitor of the owner; for add, one named after the fence).",
            valueName: "name"))
    var monitor: String?

    @Option(
        help: ArgumentHelp("Owner of the monitors (default: this user): \(ProgramName.help)", valueName: "program"))
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// The user ID. A shell and a unit of one user use the same fences, so the owner is the user
    /// alone unless `--program` is given.
    static var user: String { String(getuid()) }
}
