import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests of energy usage and its consumers with a simulated receiver that executes commands.
    @Suite struct Accounting {
        private static let configuration = "[receivers]\ndiscover = false\npower = \"auto\"\n"

        @Test func `energy is attributed to the stream that keeps the receiver on`() throws {
            let scratch = try Scratch()
            let receiver = try simulate(scratch)
            defer { receiver.destroy() }
            try TestDaemon.run(devices: [scratch("gps")], configuration: Accounting.configuration, scratch: scratch) {
                daemon in
                let client = try daemon.connect()
                try waitUntil("the receiver resting, since nobody asks") {
                    try client.call("io.sextant.Manager.GetConsumers")["activities"]?.array?.first?["state"]
                        == "standby"
                }
                #expect(try client.call("io.sextant.Manager.GetConsumers")["consumers"] == [])

                let passive = try daemon.subscribe("fitness", options: ["passive": true])
                let stream = try daemon.subscribe("automotiveNavigation")
                try waitUntil("a stream that keeps the receiver on") {
                    try client.call("io.sextant.Manager.GetConsumers")["consumers"]?.array?.last?["holds"] == true
                }
                let consumers = try #require(try client.call("io.sextant.Manager.GetConsumers")["consumers"]?.array)
                #expect(consumers.map { $0["purpose"] } == ["fitness", "automotiveNavigation"])
                #expect(
                    consumers.map { $0["holds"] } == [false, true] && consumers.map { $0["passive"] } == [true, false])
                #expect(
                    consumers.allSatisfy {
                        $0["uid"]?.int != nil && $0["program"]?.string?.isEmpty == false && $0["pid"]?.int != nil
                    })
                try stream.untilLocation()
                try stream.next()

                let power = try client.call("io.sextant.Manager.GetPower", ["days": 1])
                let start = try #require(power["start"])
                #expect(start["standby"]?.double ?? 0 > 0 && start["joules"]?.double ?? 0 > 0)
                let spent = try #require(start["consumers"]?.array)
                #expect(Set(spent.compactMap { $0["purpose"]?.string }) == ["automotiveNavigation", "nobody"])
                #expect(abs(spent.compactMap { $0["share"]?.double }.reduce(0, +) - 1) < 0.005)
                #expect(power["estimates"]?.array?.map { $0["chip"] } == ["ublox8"])
                #expect(try client.call("io.sextant.Manager.GetPower", ["receiver": "nobody"])["start"]?["joules"] == 0)
                for days in [0, 61, -1] {
                    let failure = try client.failure(of: "io.sextant.Manager.GetPower", ["days": .int(Int64(days))])
                    #expect(ServiceError(failure) == .invalidParameter(parameter: "days"))
                }
                _ = passive
            }
        }

        @Test func `energy usage survives a restart`() throws {
            let scratch = try Scratch()
            let receiver = try simulate(scratch)
            defer { receiver.destroy() }
            try TestDaemon.run(devices: [scratch("gps")], scratch: scratch) { daemon in
                try daemon.waitForReceiver("hasFix")
                let stream = try daemon.subscribe("fitness")
                try stream.untilLocation()
                try stream.next()
                let before = try spentToday(daemon)
                #expect(before.joules > 0 && before.fitness > 0)
                daemon.terminate()
                #expect(try daemon.process.waitForEnd() == .code(0))
                try daemon.startAgain()
                let after = try spentToday(daemon)
                #expect(after.joules >= before.joules && after.fitness >= before.fitness)
                #expect(
                    try daemon.connect().call("io.sextant.Manager.GetPower")["start"]?["joules"]?.double ?? 1
                        < before.joules)
            }
        }

        @Test func `a damaged store is moved aside and logged`() throws {
            let scratch = try Scratch()
            let receiver = try simulate(scratch)
            defer { receiver.destroy() }
            try TestDaemon.run(devices: [scratch("gps")], scratch: scratch) { daemon in
                try daemon.waitForReceiver("hasFix")
                try scratch.write(String(repeating: "no database ", count: 1000), to: "state/sextant.db")
                _ = try daemon.connect().call("io.sextant.Manager.GetPower")
                #expect(daemon.logged("was moved to") == 1)
                #expect(try spentToday(daemon).joules > 0)
            }
        }

        @Test func `the positions of sextant simulate are marked`() throws {
            let scratch = try Scratch()
            let receiver = try simulate(scratch)
            defer { receiver.destroy() }
            try TestDaemon.run(devices: [scratch("gps")], scratch: scratch) { daemon in
                try daemon.waitForReceiver("hasFix")
                let located = try daemon.connect().call("io.sextant.Location.GetLocation")
                #expect(located["location"]?["simulated"] == true)
                #expect(try daemon.receivers().first?["simulated"] == true)
            }
        }

        private func simulate(_ scratch: Scratch) throws -> ChildProcess {
            let words = ["simulate", "--receiver", "ublox8", "--link", scratch("gps"), "--json"]
            let receiver = try ChildProcess(
                [try Programs.path(of: "sextant")] + words, environment: [:], record: scratch("receiver"))
            try waitUntil("the receiver's port") {
                receiver.output.contains("\"port\"") || receiver.output.contains(scratch("gps"))
            }
            return receiver
        }

        /// Returns the joules of the first reported day, and those of the fitness stream.
        private func spentToday(_ daemon: TestDaemon) throws -> (joules: Double, fitness: Double) {
            let power = try daemon.connect().call("io.sextant.Manager.GetPower")
            let today = power["days"]?.array?.first
            let fitness = today?["consumers"]?.array?.first { $0["purpose"] == "fitness" }
            return (today?["joules"]?.double ?? 0, fitness?["joules"]?.double ?? 0)
        }
    }
}
