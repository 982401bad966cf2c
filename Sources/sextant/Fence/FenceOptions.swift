import ArgumentParser
import Glibc
import Varlink
import Wire

/// The options that select a monitor and its owner, and calls to the monitor.
struct FenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use only this monitor (default: every monitor of the owner; for add, one named after the fence).",
            valueName: "name"))
    var monitor: String?

    @Option(
        help: ArgumentHelp(
            "Owner of the monitors: a user ID; for a service, add \":\" and its unit (default: this user).",
            valueName: "program"))
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// The owner of the monitors.
    var owner: String { program ?? FenceOptions.user }

    /// The user ID. A shell and a unit of one user use the same fences, so the owner is the user
    /// alone unless `--program` is given.
    static var user: String { String(getuid()) }

    /// Returns all monitors of the owner.
    func monitors() throws(CommandError) -> [MonitorMessage] {
        let all = try daemon.call(MonitorMethods.listMonitors).monitors
        return all.filter { $0.program == owner }
    }

    /// Returns all conditions of a monitor.
    func records(of monitor: String) throws(CommandError) -> [RecordMessage] {
        let client = try daemon.connect()
        var records: [RecordMessage] = []
        var after: String?
        repeat {
            let page = PageParameters(name: monitor, after: after, program: owner)
            let reply = try FenceOptions.call(MonitorMethods.list, with: page, on: client)
            records += reply.records
            after = reply.next
        } while after != nil
        return records
    }

    /// Returns the record of a fence and its monitor.
    func record(of fence: String) throws(CommandError) -> (monitor: String, record: RecordMessage) {
        if let monitor { return (monitor, try record(of: fence, in: monitor)) }
        var found: [(monitor: String, record: RecordMessage)] = []
        let client = try daemon.connect()
        for monitor in try monitors() {
            let parameters = GetRecordParameters(name: monitor.name, identifier: fence, program: owner)
            do throws(ClientError) {
                let reply = try client.call(
                    MonitorMethods.getRecord, with: parameters, timeout: .seconds(10))
                found.append((monitor.name, reply.record))
            } catch {
                guard case .failed(_, let reply) = error, case .noSuchCondition? = MonitorError(reply) else {
                    throw CommandError(daemon: error)
                }
            }
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

    private func record(of fence: String, in monitor: String) throws(CommandError) -> RecordMessage {
        let parameters = GetRecordParameters(name: monitor, identifier: fence, program: owner)
        return try daemon.call(MonitorMethods.getRecord, with: parameters).record
    }

    /// Calls a method on an open connection.
    static func call<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, with parameters: Parameters, on client: Client
    ) throws(CommandError) -> Reply {
        do {
            return try client.call(method, with: parameters, timeout: .seconds(30))
        } catch {
            throw CommandError(daemon: error)
        }
    }
}
