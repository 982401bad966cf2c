import ArgumentParser
import Glibc
import Varlink
import Wire

/// Which monitor is meant, and whose; and the calls to it.
struct FenceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The monitor that it is in (default: the one that has it, or one of its own name).", valueName: "name"))
    var monitor: String?

    @Option(
        help: ArgumentHelp(
            "Whose monitors: a user's number, and of a service \":\" and its unit (default: this user's).", valueName: "program"))
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// Whose monitors are meant.
    var owner: String { program ?? FenceOptions.user }

    /// A shell and a unit of one user mean the same fences, so the user alone is named unless somebody asks otherwise.
    static var user: String { String(getuid()) }

    /// Every monitor of the program.
    func monitors() throws(CommandError) -> [MonitorMessage] {
        let all = try daemon.call(DaemonMethod.listMonitors, as: ListMonitorsReply.self).monitors
        return all.filter { $0.program == owner }
    }

    /// Every condition of a monitor.
    func records(of monitor: String) throws(CommandError) -> [RecordMessage] {
        let client = try daemon.connect()
        var records: [RecordMessage] = []
        var after: String?
        repeat {
            let page = PageParameters(name: monitor, after: after, program: owner)
            let reply = try FenceOptions.call(client, DaemonMethod.listConditions, page, as: ListReply.self)
            records += reply.records
            after = reply.next
        } while after != nil
        return records
    }

    /// The record of a fence, and the monitor that has it.
    func record(of fence: String) throws(CommandError) -> (monitor: String, record: RecordMessage) {
        if let monitor { return (monitor, try record(of: fence, in: monitor)) }
        var found: [(monitor: String, record: RecordMessage)] = []
        let client = try daemon.connect()
        for monitor in try monitors() {
            let question = GetRecordParameters(name: monitor.name, identifier: fence, program: owner)
            do throws(ClientError) {
                let reply = try client.call(DaemonMethod.getRecord, question, as: GetRecordReply.self, timeout: .seconds(10))
                found.append((monitor.name, reply.record))
            } catch {
                guard case .failed(_, let reply) = error, case .noSuchCondition? = MonitorError(reply) else {
                    throw CommandError(daemon: error)
                }
            }
        }
        guard let only = found.first else {
            throw CommandError("there is no fence \"\(Columns.harmless(fence))\"; those there are: sextant fence list", .nothing)
        }
        guard found.count == 1 else {
            let names = found.map(\.monitor).joined(separator: ", ")
            throw CommandError("several monitors have a fence \"\(Columns.harmless(fence))\": \(names); say which with --monitor", .usage)
        }
        return only
    }

    private func record(of fence: String, in monitor: String) throws(CommandError) -> RecordMessage {
        let question = GetRecordParameters(name: monitor, identifier: fence, program: owner)
        return try daemon.call(DaemonMethod.getRecord, question, as: GetRecordReply.self).record
    }

    /// Calls a method on an open connection.
    static func call<R: Decodable>(
        _ client: Client, _ method: String, _ parameters: some Encodable, as type: R.Type
    ) throws(CommandError) -> R {
        do {
            return try client.call(method, parameters, as: type, timeout: .seconds(30))
        } catch {
            throw CommandError(daemon: error)
        }
    }
}
