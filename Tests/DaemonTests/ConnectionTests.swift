import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests that a client which misuses its own connection does not affect other clients.
    @Suite struct Connections {
        private static let subscribe =
            #"{"method":"io.sextant.Location.Subscribe","parameters":{"configuration":"airborne"},"more":true}"# + "\0"

        @Test func `a half-closed client is still served`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let client = try RawClient(daemon.socket)
                client.send("{\"method\":\"org.varlink.service.GetInfo\"}\0" + Connections.subscribe)
                client.finishSending()
                #expect(try client.next()?.parameters["product"] == "sextantd")
                #expect(try client.next()?.parameters["cause"] == "starting")
                var drive = Drive()
                try port.send(drive.next(3))
                var positions = 0
                while positions < 2 {
                    positions += try #require(try client.next()).parameters["location"] == nil ? 0 : 1
                }

                let single = try RawClient(daemon.socket)
                single.send("{\"method\":\"org.varlink.service.GetInfo\"}\0")
                single.finishSending()
                #expect(try single.next() != nil)
                #expect(try single.next() == nil, "closed when everything is answered")
            }
        }

        @Test func `pipelined calls are answered in order`() throws {
            try TestDaemon.run { daemon in
                let client = try RawClient(daemon.socket)
                let names = (0..<200).map { "io.sextant.Nothing\($0).Do" }
                client.send(
                    names.map { "{\"method\":\"\($0)\"}\0" }.joined(separator: "\n")
                        + "{\"method\":\"org.varlink.service.GetInfo\",\"oneway\":true}\0")
                for name in names {
                    let reply = try #require(try client.next())
                    #expect(reply.parameters["interface"] == .string(String(name.dropLast(3))))
                }
                client.finishSending()
                #expect(try client.next() == nil, "a oneway call has no reply")
            }
        }

        @Test func `the calls without a reply of a client that closes the connection at once are served`() throws {
            try TestDaemon.run { daemon in
                let count = 150
                var client: RawClient? = try RawClient(daemon.socket)
                // More bytes than one read returns. Calls that have a reply need not be served.
                let calls = (0..<count).map { number in
                    let circle = #"{"center":{"latitude":1,"longitude":1},"radius":100}"#
                    return #"{"method":"io.sextant.Manager.GetStatus"}"# + "\0"
                        + #"{"method":"io.sextant.Monitor.Add","oneway":true,"parameters":{"name":"home","conditions":"#
                        + #"[{"identifier":"\#(number)","circle":\#(circle)}]}}"# + "\0"
                }
                client?.send(calls.joined())
                client = nil
                let other = try daemon.connect()
                try waitUntil("\(count) conditions") {
                    let monitors = try other.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array
                    return monitors?.first?["conditions"]?.int == Int64(count)
                }
                // The session has ended, and so has one whose call stays open.
                client = try RawClient(daemon.socket)
                client?.send(Connections.subscribe)
                client = nil
                try waitUntil("one connection") {
                    try other.call("io.sextant.Manager.GetStatus")["status"]?["connections"] == 1
                }
            }
        }

        @Test func `a client that reads receives all replies to its pipelined calls`() throws {
            try TestDaemon.run { daemon in
                let client = try RawClient(daemon.socket)
                let call =
                    #"{"method":"org.varlink.service.GetInterfaceDescription","#
                    + #""parameters":{"interface":"io.sextant.Location"}}"# + "\0"
                let count = 1200
                client.sendAsMuchAsPossible(Array(String(repeating: call, count: count).utf8))
                client.finishSending()
                var answers = 0
                while let reply = try client.next() { answers += reply.parameters["description"] == nil ? 0 : 1 }
                #expect(answers == count)
            }
        }

        @Test(
            arguments: [
                "hello\0", "\0", "[]\0", "{}\0", "{\"method\":1}\0", "{\"method\":\"a.b.C\",\"parameters\":[]}\0",
                "\u{1}\u{2}\u{3}\0",
                "{\"method\":\"org.varlink.service.GetInfo\",\"more\":true,\"oneway\":true}\0",
                "{\"method\":\"org.varlink.service.GetInfo\",\"x\":1}\0",
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n\0", String(repeating: "[", count: 60_000) + "\0",
                "{\"method\":\"" + String(repeating: "x", count: 66_000), String(repeating: "z", count: 300_000),
            ].map(Sending.init))
        func `an invalid message closes only its own connection`(_ rubbish: Sending) throws {
            try TestDaemon.run(devices: ["/tmp/sextant-no-such-device"]) { daemon in
                let bystander = try daemon.subscribe()
                let client = try RawClient(daemon.socket)
                client.send(rubbish.text)
                #expect(try client.next() == nil)
                #expect(try bystander.present() == nil)
                try daemon.connect().call("org.varlink.service.GetInfo")
                #expect(daemon.log.utf8.count < 1000, "not a log line for each")
            }
        }

        @Test(
            arguments: [
                #"{"method":"a.b\ud800.C"}"#, #"{"method":""}"#, #"{"method":"."}"#,
                #"{"method":"io.sextant.Location."}"#,
                #"{"method":"io.sextant.Location.GetLocation","parameters":{"timeout":1e400}}"#,
                #"{"method":"io.sextant.Location.GetLocation","parameters":{"timeout":-0.0}}"#,
                #"{"method":"io.sextant.Location.GetLocation","parameters":{"timeout":1e-320,"maximumAge":1e-320}}"#,
                #"{"method":"io.sextant.Location.GetLocation","#
                    + #""parameters":{"timeout":0,"maximumAge":1.7976931348623157e308}}"#,
                #"{"method":"io.sextant.Location.GetLocation","parameters":{"timeout":0,"receiver":"\u0000"}}"#,
                #"{"method":"io.sextant.Location.GetLocation","parameters":{"timeout":99999999999999999999999999}}"#,
                #"{"method":"io.sextant.Location.Subscribe","parameters":null,"upgrade":true}"#,
                #"{"method":"io.sextant.Location.Subscribe","parameters":{"receiver":null},"org.example.x":{}}"#,
            ].map { Sending($0 + "\0") })
        func `an unusual call is answered or its connection closed`(_ call: Sending) throws {
            try TestDaemon.run(devices: ["/tmp/sextant-no-such-device"]) { daemon in
                let client = try RawClient(daemon.socket)
                client.send(call.text)
                _ = try client.next()
                try daemon.connect().call("org.varlink.service.GetInfo")
            }
        }

        @Test func `a call split into single bytes is answered`() throws {
            try TestDaemon.run { daemon in
                let client = try RawClient(daemon.socket)
                for byte in "\r\n {\"method\" : \"org.varlink.service.GetInfo\"}\n\0".unicodeScalars {
                    client.send(String(byte))
                }
                #expect(try client.next()?.parameters["product"] == "sextantd")
                client.send("{\"method\":\"org.varlink")
                client.finishSending()
                #expect(try client.next() == nil)
            }
        }

        @Test func `a flood of connections does not block other clients`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.untilLocation()
                let before = stream.received
                for attempt in 0..<3000 {
                    _ = try RawClient(daemon.socket)
                    if attempt % 100 == 0 { try port.send(drive.next()) }
                    while try stream.present() != nil {}
                }
                #expect(stream.received - before > 15, "updates during the attempts: \(stream.received - before) of 30")
            }
        }

        @Test func `short connections leak no descriptors or memory`() throws {
            try TestDaemon.run(devices: ["/tmp/sextant-no-such-device"]) { daemon in
                try daemon.connect().call("io.sextant.Manager.GetStatus")
                func churn(_ count: Int) throws -> ProcessFigures {
                    for index in 0..<count {
                        let client = try RawClient(daemon.socket)
                        if index % 4 == 0 { client.send(Connections.subscribe) }
                        if index % 4 == 1 { client.send("{\"method\":\"io.sextant.Location.GetLocation\"}\0") }
                        if index % 4 == 2 { client.send("{\"method\":\"io.sextant.Receiver.Watch\",\"more\":true}\0") }
                        if index % 3 == 0 { client.finishSending() }
                    }
                    let status = try daemon.connect()
                    try waitUntil("all connections being closed") {
                        try status.call("io.sextant.Manager.GetStatus")["status"]?["connections"] == 1
                    }
                    let figures = ProcessFigures(of: daemon.process)
                    #expect(try status.call("io.sextant.Manager.GetStatus")["status"]?["streams"] == 0)
                    return figures
                }
                let (before, after) = (try churn(500), try churn(3000))
                #expect(after.descriptors <= before.descriptors)
                #expect(
                    after.anonymous <= before.anonymous + 1024,
                    "\(before.anonymous) kB before, \(after.anonymous) kB after")
            }
        }
    }
}
