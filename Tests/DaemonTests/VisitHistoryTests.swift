import Chronology
import Glibc
import SQLite
import StateStore
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextantd

extension WholeDaemon {
    /// Visits that are kept.
    @Suite(.needsAdministrator) struct VisitHistoryOnDisk {
        private static let visits = "io.sextant.Location.Visits"
        private static let watch = #"{"method":"io.sextant.Location.WatchVisits","more":true}"# + "\0"
        private static let arrival = HostClock.utc.advanced(by: .seconds(-7200)).milliseconds

        private func run(
            _ permission: String = "always", more: String = "",
            _ body: (TestDaemon, VirtualPort, inout Drive) throws -> Void
        ) throws {
            try TestDaemon.runWithFix(
                "[receivers]\ndiscover = false\n[permissions]\ndefault = \"\(permission)\"\n\(more)\n", body)
        }

        /// Kills the daemon, and starts it again with these visits on the disk.
        private func restart(_ daemon: TestDaemon, with rows: [VisitRow]) throws {
            daemon.kill()
            _ = try daemon.process.waitForEnd()
            try VisitHistory(
                DatabaseFile(path: daemon.scratch("state/sextant.db")).open(at: HostClock.utc).database
            ).record(rows, expiry: nil)
            try daemon.startAgain()
        }

        private func row(_ minutes: Int64, _ length: Int64? = nil, user: UInt32 = getuid()) -> VisitRow {
            let arrival = VisitHistoryOnDisk.arrival + minutes * 60_000
            return VisitRow(
                user: user, arrival: arrival, departure: length.map { arrival + $0 * 60_000 }, latitude: 10,
                longitude: 20,
                radius: 5, isOpen: length == nil)
        }

        @Test func `an open visit survives SIGKILL and is what a watcher gets first`() throws {
            try run { daemon, _, _ in
                try restart(daemon, with: [row(0), row(0, 30), row(40)])
                for _ in 0..<2 {
                    let watcher = try RawClient(daemon.socket)
                    watcher.send(VisitHistoryOnDisk.watch)
                    let first = try #require(try watcher.next())
                    try daemon.check(first, to: "io.sextant.Location.WatchVisits")
                    #expect(first.parameters["visit"]?["departed"] == false)
                    let arrival = UTCTime(milliseconds: VisitHistoryOnDisk.arrival + 40 * 60_000).description
                    #expect(first.parameters["visit"]?["arrival"] == .string(arrival))
                    daemon.kill()
                    _ = try daemon.process.waitForEnd()
                    try daemon.startAgain()
                }
                let page = try daemon.connect().call(VisitHistoryOnDisk.visits)
                #expect(page["visits"]?.array?.map { $0["departed"] } == [false, true] && page["next"] == nil)
            }
        }

        @Test func `visits are read in pages, by time, and only those of the user`() throws {
            try run { daemon, _, _ in
                let visits = (0..<3).flatMap { [row($0 * 10), row($0 * 10, 5)] }
                try restart(daemon, with: visits + [row(50, user: getuid() + 1)])
                let client = try daemon.connect()
                let first = try client.call(VisitHistoryOnDisk.visits, ["limit": 2])
                #expect(first["visits"]?.array?.count == 2)
                let rest = try client.call(
                    VisitHistoryOnDisk.visits, ["after": try #require(first["next"]), "limit": 2])
                #expect(rest["visits"]?.array?.count == 1 && rest["next"] == nil)
                let limit = UTCTime(milliseconds: VisitHistoryOnDisk.arrival + 600_000).description
                #expect(
                    try client.call(VisitHistoryOnDisk.visits, ["until": .string(limit)])["visits"]?.array?.count == 1)
                #expect(
                    try client.call(VisitHistoryOnDisk.visits, ["since": .string(limit)])["visits"]?.array?.count == 2)
                for (name, value) in [("since", "now"), ("until", "x"), ("after", "0")] as [(String, JSONValue)] {
                    let error = try client.failure(of: VisitHistoryOnDisk.visits, .object([name: value]))
                    #expect(error.parameters["parameter"] == .string(name))
                }
                #expect(
                    try client.call("io.sextant.Location.ForgetVisits", ["before": .string(limit)])["visits"] == 1)
                #expect(try client.call("io.sextant.Location.ForgetVisits")["visits"] == 2)
                #expect(try client.call("io.sextant.Permission.Forget")["visits"] == 1)
            }
        }

        @Test(arguments: ["whenInUse", "denied"])
        func `only a program that may know the location at any time reads them`(permission: String) throws {
            try run(permission, more: "in_use_without_logind = true") { daemon, _, _ in
                try restart(daemon, with: [row(0)])
                let client = try daemon.connect()
                for method in [VisitHistoryOnDisk.visits, "io.sextant.Location.ForgetVisits"] {
                    let error = try client.failure(of: method)
                    #expect(error.name == "io.sextant.Location.PermissionDenied", "\(error)")
                    #expect(error.parameters["authorization"] == .string(permission))
                }
                #expect(try client.call("io.sextant.Location.WatchVisits")["visit"] == nil)
            }
        }

        @Test func `visits beyond their lifetime are not returned`() throws {
            try run(more: "[visits]\nkeep = \"1 h\"") { daemon, _, _ in
                try restart(daemon, with: [row(0), row(0, 10), row(20), row(20, 90)])
                let page = try daemon.connect().call(VisitHistoryOnDisk.visits)
                #expect(page["visits"]?.array?.count == 1)
            }
        }
    }
}
