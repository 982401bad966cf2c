@preconcurrency import Glibc
import ServiceRuntime
import SystemCalls
import Wire

/// The program `sextant-fleet`.
@main
enum SextantFleet {
    static func main() {
        StandardDescriptors.openMissing()
        do {
            exit(try run())
        } catch let error as UsageError {
            if let message = error.message { write(message) }
            write("see 'sextant-fleet --help'")
            // EX_USAGE of sysexits(3).
            exit(64)
        } catch {
            ProgramLog(name: "sextant-fleet").write("\(error)", priority: .error)
            exit(1)
        }
    }

    private static func run() throws -> CInt {
        var options = ReportOptions()
        guard try read(ReportOptions.table, { (code, value) throws(UsageError) in try options.set(code, value) })
        else { return 0 }
        return try FleetCommand(options).run()
    }

    /// Reads options. Returns false if one asks for a text, which is printed.
    private static func read(
        _ table: OptionTable, _ set: (Character, String) throws(UsageError) -> Void
    ) throws(UsageError) -> Bool {
        var text: String?
        try table.read { (code, value) throws(UsageError) in
            switch code {
            case OptionTable.help: text = text ?? table.helpText
            case "v": text = text ?? SextantVersion.current + "\n"
            default: try set(code, value)
            }
        }
        if let text { print(text, terminator: "") }
        return text == nil
    }

    private static func write(_ message: String) {
        fputs("sextant-fleet: \(TerminalText.sanitized(message))\n", stderr)
    }
}
