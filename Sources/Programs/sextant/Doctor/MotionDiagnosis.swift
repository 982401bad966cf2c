import ArgumentParser
import Locator
import SextantAPI

/// The checks of the motion sources.
struct MotionDiagnosis {
    let reply: MotionSourcesReply

    var checks: [Check] { [use] + reply.sources.map(check) }

    private var use: Check {
        reply.sources.isEmpty
            ? .skipped(.motion, reason: "no source has reported motion; see \"sextant motion report --help\"")
            : .ok(.motion, finding: MotionTable.checks(reply))
    }

    private func check(_ source: MotionSourceReport) -> Check {
        switch source.trust {
        case _ where source.problem != nil:
            unreadable(source)
        case _ where source.activity == .absent:
            .skipped(.source, reason: "\(source.name) has not reported since the daemon started")
        case .trusted: .ok(.source, finding: "\(source.name) is trusted: it reported the last departures")
        case .deaf:
            .wrong(
                .source,
                finding: "\(source.name) missed a departure, and is not trusted\(MotionDiagnosis.until(source))",
                remedy: "move the device and see whether reports are counted", command: "sextant power")
        case .nervous:
            .wrong(
                .source,
                finding: "\(source.name) reports too often at rest, and is ignored\(MotionDiagnosis.until(source))",
                remedy: "raise its threshold, or report only what precedes a departure", command: "sextant power")
        case .unproven, .unknown:
            .ok(
                .source,
                finding: "\(source.name) has reported \(source.departures) of \(MotionSource.requiredDepartures) "
                    + "departures")
        }
    }

    private func unreadable(_ source: MotionSourceReport) -> Check {
        let (remedy, command) =
            switch source.activity {
            case .busy: ("end the program that reads it, or have that program report instead", "sextant motion --help")
            case .denied:
                ("give the service access to the device: see [motion] in sextant.toml(5)", "man 5 sextant.toml")
            case .armed, .idle, .absent, .unknown:
                ("connect the device, or correct its name under [[motion.source]]", "man 5 sextant.toml")
            }
        return .wrong(
            .source, finding: "\(source.name) cannot be read: \(source.problem ?? "")", remedy: remedy,
            command: command)
    }

    private static func until(_ source: MotionSourceReport) -> String {
        source.distrustedUntil.map { " until \(TimeText.moment($0))" } ?? ""
    }

    /// The delay with which a crossing of a fence is published, as a check of the fence.
    ///
    /// - Parameters:
    ///   - reply: The motion sources; nil if this program may not know them.
    ///   - hasPosition: Whether there is a current position.
    static func promise(_ reply: MotionSourcesReply?, hasPosition: Bool) -> Check {
        guard hasPosition else {
            return .skipped(.promise, reason: "without a position, a crossing is published once there is one again")
        }
        guard let reply else { return .skipped(.promise, reason: "this program may not know the motion sources") }
        guard reply.rareChecks else {
            return .ok(.promise, finding: "a crossing is published within a minute of a departure")
        }
        let names = reply.sources.filter { $0.trust == .trusted }.map(\.name).joined(separator: ", ")
        return .ok(
            .promise,
            finding:
                "a crossing is published within a minute of a report of \(names), and within an hour of a departure "
                + "without a report")
    }
}

/// `sextant doctor motion`: reports what the motion sources have proven.
struct DoctorMotionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "motion",
        abstract: "Find out whether the motion sources report departures, and nothing else.",
        discussion: "Exit with status 0 if no source is distrusted, with 2 otherwise.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let diagnosis = MotionDiagnosis(reply: try daemon.call(ManagerMethods.getMotionSources))
        try DoctorReport.print(diagnosis.checks, asJSON: output.isJSON)
    }
}
