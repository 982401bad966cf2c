import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// `WatchHeading`, with a compass on the receiver's line.
    @Suite struct Headings {
        private static let method = "io.sextant.Location.WatchHeading"

        private func run(
            _ configuration: String = "[receivers]\ndiscover = false\n",
            _ body: (TestDaemon, VirtualPort, inout Drive) throws -> Void
        ) throws {
            try TestDaemon.runWithFix(configuration, body)
        }

        private func watch(_ daemon: TestDaemon, _ parameters: String = "{}") throws -> RawClient {
            let watcher = try RawClient(daemon.socket)
            watcher.send("{\"method\":\"\(Headings.method)\",\"parameters\":\(parameters),\"more\":true}\0")
            return watcher
        }

        /// Reads replies until one is wanted.
        @discardableResult
        private func next(
            _ watcher: RawClient, of daemon: TestDaemon, _ what: String, where isWanted: (JSONValue) -> Bool
        ) throws -> JSONValue {
            for _ in 0..<100 {
                let reply = try #require(try watcher.next())
                try daemon.check(reply, to: Headings.method)
                let parameters = JSONValue.object(reply.parameters)
                if isWanted(parameters) { return parameters }
            }
            throw TestFailure("no reply with \(what)")
        }

        @Test func `the course is replaced by a compass, which gives both directions`() throws {
            try run { daemon, port, drive in
                let watcher = try watch(daemon)
                let first = try next(watcher, of: daemon, "a course") { $0["heading"]?["source"] == "course" }
                #expect(first["heading"]?["trueHeading"] == 73.1)
                #expect(first["heading"]?["headingAccuracy"]?.double != nil)
                try port.send(sentence("HCHDG,359.3,,,1.3,E"))
                let compass = try next(watcher, of: daemon, "a compass") { $0["heading"]?["source"] == "hdg" }
                let heading = try #require(compass["heading"])
                #expect(heading["magneticHeading"] == 359.3 && heading["trueHeading"] == 0.6)
                #expect(heading["variation"] == 1.3 && heading["variationSource"] == "hdg")
                #expect(heading["receiver"] == "gps" && heading["headingAccuracy"] == nil)
                #expect(heading["timestamp"]?.string?.hasPrefix("2026-03-14T10:00:0") == true)
                let single = try daemon.connect().call(Headings.method)
                #expect(single["heading"]?["magneticHeading"] == 359.3)
                let status = try daemon.connect().call("io.sextant.Manager.GetStatus")["status"]
                #expect(status?["features"]?.array?.contains("heading") == true)
            }
        }

        @Test func `a filter omits small changes`() throws {
            try run { daemon, port, _ in
                let watcher = try watch(daemon, "{\"headingFilter\":10}")
                try port.send(sentence("GPHDT,100.0,T"))
                try next(watcher, of: daemon, "HDT") { $0["heading"]?["trueHeading"] == 100 }
                let every = try watch(daemon)
                try next(every, of: daemon, "HDT") { $0["heading"]?["trueHeading"] == 100 }
                // More than the minimum interval of 100 ms between two sentences.
                for degrees in [101.0, 109, 111] {
                    #expect(!waitReadable(every.descriptor, within: .milliseconds(120)))
                    try port.send(sentence("GPHDT,\(degrees),T"))
                    try next(every, of: daemon, "HDT") { $0["heading"]?["trueHeading"]?.double == degrees }
                }
                let reply = try #require(try watcher.next())
                #expect(reply.parameters["heading"]?["trueHeading"] == 111)
            }
        }

        @Test func `a heading ends when its compass stops, and so does its demand`() throws {
            try run { daemon, port, drive in
                let watcher = try watch(daemon)
                try port.send(sentence("GPHDT,100.0,T"))
                try next(watcher, of: daemon, "HDT") { $0["heading"]?["source"] == "hdt" }
                let consumers = try daemon.connect().call("io.sextant.Manager.GetConsumers")["consumers"]?.array
                let consumer = try #require(consumers?.first)
                #expect(consumer["purpose"] == "heading" && consumer["interval"] == 1 && consumer["holds"] == true)
                let last = try next(watcher, of: daemon, "no heading") { $0["heading"] == nil }
                #expect(last["detail"]?.string != nil)
                port.unplug()
                let lost = try next(watcher, of: daemon, "a cause") { $0["cause"] == "receiverLost" }
                #expect(lost["detail"]?.string?.contains("gps") == true)
            }
        }

        @Test(.needsAdministrator) func `a denied program gets headings after a grant, and none after a denial`() throws
        {
            try run("[receivers]\ndiscover = false\n[permissions]\ndefault = \"denied\"\n") { daemon, port, drive in
                let watcher = try watch(daemon)
                let first = try next(watcher, of: daemon, "a denial") { _ in true }
                #expect(first["authorizationDenied"] == true && first["heading"] == nil)
                #expect(first["detail"]?.string?.contains("sudo sextant grant") == true)
                try port.send(sentence("GPHDT,100.0,T"))
                let client = try daemon.connect()
                #expect(try client.call(Headings.method)["authorizationDenied"] == true)
                let authorization = try client.call("io.sextant.Session.GetAuthorization")
                let program = try #require(authorization["permission"]?["program"])
                try client.call("io.sextant.Permission.Set", ["program": program, "authorization": "always"])
                try port.send(drive.next(2))
                let granted = try next(watcher, of: daemon, "a heading") { $0["heading"] != nil }
                #expect(granted["authorizationDenied"] == nil)
                try client.call(
                    "io.sextant.Permission.Set",
                    ["program": program, "authorization": "always", "accuracy": "reduced"])
                let reduced = try next(watcher, of: daemon, "a reduction") { $0["accuracyLimited"] == true }
                #expect(reduced["heading"] == nil && reduced["detail"]?.string != nil)
                #expect(try client.call(Headings.method)["heading"] == nil)
            }
        }
    }
}
