import Fleet
import ServiceRuntime
import SystemCalls

/// The program `sextant-fleet`.
@main
enum SextantFleet {
    static func main() {
        RoleProgram([ReportOptions.self], abstract: ReportOptions.table.abstract, version: SextantVersion.current)
            .run { ($0 as? FleetError)?.exitCode ?? 1 }
    }
}
