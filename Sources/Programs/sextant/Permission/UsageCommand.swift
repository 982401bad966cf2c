import ArgumentParser
import SextantAPI

/// `sextant usage`: lists which programs have used the location.
struct UsageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "List which programs have used the location in the last 30 days, and why they were allowed.",
        discussion: """
            PROGRAM is \(ProgramName.help)

            The newest use is the first. Users who may not decide about permissions see the programs of their own user \
            only. To erase the record, use: sudo sextant forget
            """)

    @Argument(help: "The only program to list, for example 998:navigator.service or alice.")
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        var parameters = GetUsageParameters(program: try program.map { try ProgramName.textForm(of: $0, at: daemon) })
        var records: [Use] = []
        repeat {
            let page = try daemon.call(PermissionMethods.getUsage, with: parameters)
            records += page.records
            parameters.after = page.next
        } while parameters.after != nil
        if output.isJSON {
            try JSONLineWriter.print(records)
        } else {
            try StandardOutput.write(lines: UsageTable(records: records, columns: StandardOutput.columns).lines)
        }
    }
}
