import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// The fixed place of the configuration, without a receiver and with one.
    @Suite(.needsAdministrator) struct Stations {
        private static func configuration(_ more: String = "", latitude: Double = 47.28) -> String {
            """
            [receivers]
            discover = false
            [station]
            latitude = \(latitude)
            longitude = 8.56
            accuracy = 1.5
            altitude = 500
            name = "roof"
            \(more)
            """
        }

        private static func status(_ daemon: TestDaemon) throws -> JSONValue? {
            try daemon.connect().call("io.sextant.Manager.GetStatus")["status"]
        }

        @Test func `the place is served without a receiver, and a reload moves it`() throws {
            try TestDaemon.run(configuration: Stations.configuration()) { daemon in
                let stream = try daemon.subscribe()
                let location = try #require(stream.last?.location)
                #expect(location["latitude"] == 47.28 && location["horizontalAccuracy"] == 1.5)
                #expect(location["accuracySource"] == "configured" && location["quality"] == "manual")
                #expect(location["receiver"] == "roof" && location["timestamp"]?.string != nil)
                #expect(stream.last?.parameters["stationary"] == true)
                let client = try daemon.connect()
                let single = try client.call("io.sextant.Location.GetLocation", ["maximumAge": 0])
                #expect(single["location"]?["altitude"] == 500 && single["age"] == 0)
                let status = try #require(try Stations.status(daemon))
                #expect(status["summary"] == "Fixed place" && status["station"]?["verdict"] == "unchecked")
                try daemon.scratch.write(Stations.configuration(latitude: 47.29), to: "sextant.toml")
                daemon.process.send(SIGHUP)
                try stream.until("the new place") { $0.location?["latitude"] == 47.29 }
            }
        }

        @Test func `permission and reduced accuracy apply`() throws {
            try TestDaemon.run(configuration: Stations.configuration("[permissions]\ndefault = \"denied\"")) { daemon in
                let stream = try daemon.subscribe()
                #expect(stream.last?.location == nil && stream.last?.parameters["authorizationDenied"] == true)
                let status = try #require(try Stations.status(daemon))
                #expect(status["station"] == nil && status["summary"] == "Fixed place")
            }
            let reduced = Stations.configuration("[permissions]\naccuracy = \"reduced\"")
            try TestDaemon.run(configuration: reduced) { daemon in
                let location = try #require(try daemon.subscribe().last?.location)
                #expect(location["accuracySource"] == "reduced" && location["altitude"] == nil)
                #expect(try #require(location["horizontalAccuracy"]?.double) > 1000)
                #expect(location["latitude"] != 47.28)
                let single = try daemon.connect().call("io.sextant.Location.GetLocation")
                #expect(single["location"]?["accuracySource"] == "reduced")
                #expect(try Stations.status(daemon)?["station"] == nil)
            }
        }

        @Test func `a receiver elsewhere changes nothing but what is said about the place`() throws {
            try TestDaemon.runWithFix(Stations.configuration(latitude: -12)) { daemon, port, drive in
                let stream = try daemon.subscribe()
                let named = try daemon.subscribe(receiver: "gps")
                try port.send(drive.next(5))
                try named.until("the receiver") { $0.location?["receiver"] == "gps" }
                #expect(stream.last?.location?["latitude"] == -12)
                #expect(try stream.present() == nil)
            }
        }
    }
}
