import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

extension WholeDaemon {
    @Suite struct Calls {
        private static let getLocation = "io.sextant.Location.GetLocation"

        @Test func `GetLocation returns a recent location or waits for the next`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.until("the third epoch") { $0.timestamp == drive.timestamp(2) }
                let client = try daemon.connect()
                let fresh = try client.call(Calls.getLocation, ["maximumAge": 60])
                let age = try #require(fresh["age"]?.double)
                #expect(fresh["location"] == stream.last?.location && (0..<60).contains(age))
                #expect(
                    try client.call(Calls.getLocation, ["maximumAge": 1e300, "receiver": "gps"])["location"]
                        == fresh["location"])
                #expect(
                    try client.call(Calls.getLocation, ["maximumAge": 60, "receiver": .string(port.link)])["location"]
                        == fresh["location"])

                // With a maximum age of 0, several clients wait for the next epoch.
                let waiting = try (0..<3).map { _ in
                    let waiting = try RawClient(daemon.socket)
                    waiting.send("{\"method\":\"\(Calls.getLocation)\",\"parameters\":{\"maximumAge\":0}}\0")
                    return waiting
                }
                let known = drive.count
                #expect(!waitReadable(waiting[0].descriptor, within: .milliseconds(50)))
                try port.send(drive.next(3))
                for client in waiting {
                    let reply = try #require(try client.next())
                    let stamp = try #require(reply.parameters["location"]?["timestamp"]?.string)
                    #expect(
                        stamp >= drive.timestamp(known - 1) && stamp > fresh["location"]?["timestamp"]?.string ?? "")
                    #expect(reply.parameters["age"] == 0)
                }
            }
        }

        @Test func `GetLocation states when the first byte of the burst arrived`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                var drive = Drive()
                try port.send(drive.next())
                let client = try RawClient(daemon.socket)
                let parameters = "{\"maximumAge\":0,\"timeout\":60,\"timesBurst\":true}"
                client.send("{\"method\":\"\(Calls.getLocation)\",\"parameters\":\(parameters)}\0")
                // Each burst arrives in two parts, after a pause.
                while !waitReadable(client.descriptor, within: .milliseconds(200)) {
                    let epoch = drive.next()
                    try port.send(Array(epoch[..<40]))
                    _ = poll(nil, 0, 50)
                    try port.send(Array(epoch[40...]))
                }
                let reply = try #require(try client.next())
                let age = try #require(reply.parameters["age"]?.double)
                let burstAge = try #require(reply.parameters["burstAge"]?.double)
                #expect(age < 0.05 && burstAge >= 0.05)
            }
        }

        @Test func `GetLocation reports the cause when it times out`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let client = try daemon.connect()
                for timeout in [0, 0.05, 0.3] {
                    let time = try seconds {
                        let error = try client.failure(of: Calls.getLocation, ["timeout": .double(timeout)])
                        #expect(
                            error.name == "io.sextant.Location.LocationUnavailable"
                                && error.parameters["cause"] == "starting")
                        #expect(error.parameters["detail"]?.string?.contains(port.link) == true)
                    }
                    #expect(time >= timeout && time < timeout + 0.5, "\(time) s instead of \(timeout) s")
                }
                port.unplug()
                try daemon.waitForReceiver("absent")
                #expect(try client.failure(of: Calls.getLocation, ["timeout": 0]).parameters["cause"] == "receiverLost")
            }
        }

        @Test(arguments: [
            ("{\"maximumAge\":-1}", "maximumAge"), ("{\"maximumAge\":\"1\"}", "maximumAge"),
            ("{\"timeout\":301}", "timeout"),
            ("{\"timeout\":-0.001}", "timeout"), ("{\"timeout\":true}", "timeout"), ("{\"receiver\":7}", "receiver"),
            ("{\"maxAge\":1}", "maxAge"),
            ("{\"timeout\":[]}", "timeout"), ("{\"receiver\":{}}", "receiver"),
        ])
        func `an invalid parameter is named in the error`(_ parameters: String, _ name: String) throws {
            try TestDaemon.run { daemon in
                let client = try daemon.connect()
                let wrong = try JSONValue(parsing: Array(parameters.utf8))
                let error = try client.failure(of: Calls.getLocation, wrong)
                #expect(ServiceError(error) == .invalidParameter(parameter: name))
                #expect(throws: Never.self) { try client.call("org.varlink.service.GetInfo") }
            }
        }

        @Test func `every method returns typed errors`() throws {
            try TestDaemon.run { daemon in
                let client = try daemon.connect()
                func error(_ method: String, _ parameters: JSONValue = [:]) throws -> ServiceError? {
                    ServiceError(try client.failure(of: method, parameters))
                }
                #expect(
                    try error("io.sextant.Location.Teleport") == .methodNotFound(method: "io.sextant.Location.Teleport")
                )
                #expect(try error("io.sextant.Nothing.Do") == .interfaceNotFound(interface: "io.sextant.Nothing"))
                #expect(try error("GetInfo") == .interfaceNotFound(interface: ""))
                let subscribe = "io.sextant.Location.Subscribe"
                #expect(
                    try error(subscribe, ["configuration": "racing"]) == .invalidParameter(parameter: "configuration"))
                for (name, value) in [("distanceFilter", -1), ("minimumInterval", 1e6), ("maximumDelay", 3601)]
                    as [(String, Double)]
                {
                    #expect(try error(subscribe, .object([name: .double(value)])) == .invalidParameter(parameter: name))
                }
                #expect(
                    try error(subscribe, ["desiredAccuracy": "exact"])
                        == .invalidParameter(parameter: "desiredAccuracy"))
                #expect(
                    try error("io.sextant.Manager.GetStatus", ["verbose": true])
                        == .invalidParameter(parameter: "verbose"))
                #expect(
                    try error("org.varlink.service.GetInterfaceDescription")
                        == .invalidParameter(parameter: "interface"))

                let nobody: JSONValue = ["receiver": .string(String(repeating: "gps\u{0}\"", count: 2000))]
                for method in [Calls.getLocation, subscribe, "io.sextant.Receiver.Watch"] {
                    let failure = try client.failure(of: method, nobody)
                    #expect(failure.name == Call(method: method).interface + ".NoSuchReceiver")
                    #expect(failure.parameters["receiver"] == nobody["receiver"] && failure.parameters["known"] == [])
                }
                var stream = try daemon.connect().watch(receiver: "nobody")
                #expect(throws: ClientError.self) { try stream.next(timeout: timeout) }
            }
        }

        @Test func `the first reply of WatchVisits is empty without a visit`() throws {
            try TestDaemon.runWithPort { daemon, port in
                let method = "io.sextant.Location.WatchVisits"
                let client = try daemon.connect()
                for _ in 0..<2 { #expect(try client.call(method) == [:]) }
                let watcher = try RawClient(daemon.socket)
                watcher.send("{\"method\":\"\(method)\",\"more\":true}\0")
                let first = try #require(try watcher.next())
                try daemon.check(first, to: method)
                #expect(first.continues && first.parameters.isEmpty)
                // No further reply is sent until the device has stayed in one place for five
                // minutes.
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(5))
                try stream.untilLocation()
                #expect(!waitReadable(watcher.descriptor, within: .milliseconds(50)))
                let wrong = try client.failure(of: method, ["receiver": "gps"])
                #expect(ServiceError(wrong) == .invalidParameter(parameter: "receiver"))
            }
        }

        @Test func `Watch sends receivers only when they change`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                var stream = try daemon.connect().watch()
                let positions = try daemon.subscribe()
                var states: [String] = []
                func read(until state: String) throws {
                    let deadline = Deadline(timeout)
                    while states.last != state, !deadline.isPast {
                        guard let reply = try stream.next(timeout: timeout) else {
                            throw TestFailure("the stream has ended")
                        }
                        try daemon.check(reply, to: "io.sextant.Receiver.Watch")
                        states.append(reply.parameters["receivers"]?.array?.first?["state"]?.string ?? "none")
                    }
                }
                try read(until: "detectingBaudRate")
                var drive = Drive()
                try port.send(drive.next(3))
                try positions.untilLocation()
                try read(until: "hasFix")
                port.unplug()
                try read(until: "absent")
                #expect(states.count <= 6)
            }
        }
    }
}
