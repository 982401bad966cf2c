import Chronology
import Glibc
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextantd

extension WholeDaemon {
    /// The bytes of replies and errors, as `Tests/WireBytes/daemon.txt` has them.
    @Suite(.needsAdministrator) struct Bytes {
        private static let base = "[receivers]\ndiscover = false\npower = \"off\"\n"

        @Test func `the replies and errors have the recorded bytes`() throws {
            var bytes = WireBytes("daemon")
            bytes.replaced = Bytes.ownNames()
            try Bytes.run("[permissions]\ndefault = \"always\"\n", &bytes) { stage in
                try stage.restartWithVisits()
                try stage.sendEpochs(4)
                try stage.recordService()
                try stage.recordManager()
                try stage.recordLocation()
                try stage.recordReceivers()
                try stage.recordMonitors()
                try stage.recordSession()
                try stage.recordPermission()
                try stage.recordActing()
                try stage.recordFeed()
            }
            try Bytes.run("[permissions]\ndefault = \"ask\"\n", &bytes) { stage in
                try stage.sendEpochs(4)
                try stage.recordAgent()
            }
            try Bytes.run("[permissions]\ndefault = \"denied\"\n", &bytes) { stage in
                try stage.sendEpochs(4)
                try stage.recordDenials()
            }
            // A method without cases above is recorded without parameters.
            let others = try bytes.unrecorded { Interface(rawValue: $0) != nil }.methods
            if !others.isEmpty {
                try Bytes.run("[permissions]\ndefault = \"always\"\n", &bytes) { stage in
                    for method in others { try stage.bytes.record(method, of: stage.daemon.socket) }
                }
            }
            let problems = try bytes.problems { Interface(rawValue: $0) != nil }
            #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
        }

        /// The names that the daemon reports of this process, which the test runner gives it.
        private static func ownNames() -> [String: String] {
            let name = Scratch.text(of: "/proc/self/comm").filter { $0 != "\n" }
            return ["\"\(name)\"": "\"<name>\""]
        }

        private static func run(_ configuration: String, _ bytes: inout WireBytes, _ body: (inout Stage) throws -> Void)
            throws
        {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            bytes.replaced[scratch.path] = "<folder>"
            try TestDaemon.run(devices: [port.link], configuration: base + configuration, scratch: scratch) { daemon in
                var stage = Stage(daemon: daemon, port: port, bytes: bytes)
                try body(&stage)
                bytes = stage.bytes
            }
        }
    }
}

/// A daemon with a receiver, and the bytes that it has sent.
private struct Stage {
    let daemon: TestDaemon
    let port: VirtualPort
    var bytes: WireBytes
    private var places = Places()

    init(daemon: TestDaemon, port: VirtualPort, bytes: WireBytes) {
        self.daemon = daemon
        self.port = port
        self.bytes = bytes
    }

    /// Restarts the daemon with a visit that is over and one that is not.
    func restartWithVisits() throws {
        daemon.kill()
        _ = try daemon.process.waitForEnd()
        let arrival = HostClock.utc.advanced(by: .seconds(-7200)).milliseconds
        let rows = [
            VisitRow(
                user: getuid(), arrival: arrival, departure: arrival + 600_000, latitude: 10, longitude: 20, radius: 5,
                isOpen: false),
            VisitRow(
                user: getuid(), arrival: arrival + 1_200_000, latitude: 11, longitude: 21, radius: 6, isOpen: true),
        ]
        try VisitHistory(
            DatabaseFile(path: daemon.scratch("state/sextant.db")).open(at: HostClock.utc).database
        ).record(rows, expiry: nil)
        try daemon.startAgain()
    }

    /// Sends epochs with satellites, errors and a heading, and waits until the daemon has them.
    /// Then waits until an age is stated.
    ///
    /// - Parameter isPaced: whether they arrive at the receiver's pace, which conditions expect.
    mutating func sendEpochs(_ count: Int, isPaced: Bool = false) throws {
        try daemon.waitForReceiver("detectingBaudRate", "hasFix")
        for _ in 0..<count {
            if isPaced { _ = poll(nil, 0, 1000) }
            let epoch = String(decoding: places.next(), as: UTF8.self)
            let time = epoch.split(separator: ",")[1]
            try port.send(
                epoch + sentence("GPGSA,A,3,03,07,11,22,,,,,,,,,1.9,0.92,1.6")
                    + sentence("GPGSV,2,1,05,03,45,120,41,07,12,300,33,11,63,045,44,22,30,210,38")
                    + sentence("GPGSV,2,2,05,31,05,010,") + sentence("GPGST,\(time),2.1,3.1,2.2,40.0,2.4,2.0,4.5")
                    + sentence("GPHDT,123.4,T"))
        }
        try daemon.waitForEpochs(places.seconds)
        _ = poll(nil, 0, 150)
    }

    @discardableResult
    private mutating func record(_ method: String, _ parameters: String = "{}", _ mode: String? = nil) throws
        -> RawClient
    {
        try bytes.record("io.sextant.\(method)", parameters, mode, of: daemon.socket)
    }

    private mutating func recordNext(_ method: String, from client: RawClient) throws {
        try bytes.recordReply("io.sextant.\(method) (next)", from: client)
    }

    mutating func recordService() throws {
        try bytes.record("org.varlink.service.GetInfo", of: daemon.socket)
        try bytes.record(
            "org.varlink.service.GetInterfaceDescription", #"{"interface":"io.sextant.Nothing"}"#, of: daemon.socket)
        try bytes.record("org.varlink.service.GetInfo", "[]", of: daemon.socket)
        try record("Location.Nothing")
        try record("Nothing.Nothing")
    }

    mutating func recordManager() throws {
        try record("Manager.GetStatus")
        try record("Manager.GetPower", #"{"days":1}"#)
        for parameters in [
            #"{"days":0}"#, #"{"days":"1"}"#, #"{"days":1.5}"#, #"{"more":1}"#, #"{"receiver":"none"}"#,
        ] {
            try record("Manager.GetPower", parameters)
        }
        try record("Manager.GetStatus", #"{"days":1}"#)
        let stream = try RawClient(daemon.socket)
        stream.send(
            #"{"method":"io.sextant.Location.Subscribe","parameters":{"application":"org.example.Boat","#
                + #""distanceFilter":5,"receiver":"gps"},"more":true}"# + "\0")
        _ = try stream.next()
        try record("Manager.GetConsumers")
        try record("Manager.GetMotionSources")
        for source in ["ignition", "a b"] { try record("Manager.ReportMotion", #"{"source":"\#(source)"}"#) }
        try record("Manager.GetMotionSources")
        try record("Beacon.Scan", "{}", "more")
        try record("Beacon.Report", #"{"sightings":[],"listened":0}"#)
        for _ in 0..<2 { try record("Manager.ForgetMotionSource", #"{"source":"ignition"}"#) }
        withExtendedLifetime(stream) {}
    }

    mutating func recordLocation() throws {
        try record("Location.GetLocation", #"{"maximumAge":3600}"#)
        try record("Permission.GetUsage", #"{"limit":1}"#)
        try record("Location.GetLocation", #"{"maximumAge":0,"timeout":0}"#)
        for parameters in [
            #"{"maximumAge":-1}"#, #"{"timeout":301}"#, #"{"receiver":"none"}"#, #"{"receiver":7}"#, #"{"limit":1}"#,
        ] {
            try record("Location.GetLocation", parameters)
        }
        try record("Location.Subscribe")
        let stream = try record("Location.Subscribe", #"{"configuration":"automotiveNavigation"}"#, "more")
        let heading = try record("Location.WatchHeading", #"{"headingFilter":5}"#, "more")
        try sendEpochs(1)
        try recordNext("Location.Subscribe", from: stream)
        for parameters in [
            #"{"configuration":"fast"}"#, #"{"configuration":1}"#, #"{"minimumInterval":86401}"#,
            #"{"receiver":"none"}"#,
            #"{"distanceFilter":-1}"#, #"{"tolerance":100001}"#, #"{"desiredAccuracy":"none"}"#, #"{"filter":1}"#,
            #"{"passive":"yes"}"#, #"{"application":""}"#,
        ] {
            try record("Location.Subscribe", parameters, "more")
        }
        for parameters in [#"{"headingFilter":181}"#, #"{"headingFilter":"1"}"#] {
            try record("Location.WatchHeading", parameters)
        }
        try record("Location.WatchVisits", "{}", "more")
        try record("Location.Visits")
        try record("Location.Visits", #"{"limit":1}"#)
        for parameters in [#"{"limit":0}"#, #"{"since":"now"}"#, #"{"after":"0"}"#, #"{"until":3}"#] {
            try record("Location.Visits", parameters)
        }
        try record("Location.ForgetVisits", #"{"before":"now"}"#)
        try record("Location.ForgetVisits")
        withExtendedLifetime(heading) {}
    }

    mutating func recordReceivers() throws {
        try record("Receiver.List")
        try record("Receiver.Watch", #"{"receiver":"gps","minimumInterval":1}"#, "more")
        for parameters in [#"{"receiver":"none"}"#, #"{"minimumInterval":-1}"#, #"{"receiver":true}"#] {
            try record("Receiver.Watch", parameters, "more")
        }
        let sentences = RawClient.call(#"{"types":["HDT"]}"#, "io.sextant.Receiver.Sentences")
        let stream = try RawClient(daemon.socket)
        stream.send(sentences)
        try waitUntil("the stream of sentences") {
            let consumers = try daemon.connect().call("io.sextant.Permission.GetUsage")["records"]?.array ?? []
            return consumers.contains { $0["kind"] == "stream" && $0["state"] == "open" }
        }
        try sendEpochs(1)
        try bytes.recordReply(#"io.sextant.Receiver.Sentences {"types":["HDT"]} more"#, from: stream)
        for parameters in [#"{"types":["gga"]}"#, #"{"types":"GGA"}"#, #"{"receiver":"none"}"#] {
            try record("Receiver.Sentences", parameters, "more")
        }
        try record("Receiver.WriteCorrections", #"{"frames":["0wAAR+pL"],"source":"base"}"#)
        for parameters in [
            #"{"frames":["0wAA"],"source":"base"}"#, #"{"frames":[],"source":"base"}"#, #"{"frames":["0wAAR+pL"]}"#,
            #"{"frames":["!"],"source":"base"}"#,
        ] {
            try record("Receiver.WriteCorrections", parameters)
        }
    }
}

extension RawClient {
    /// A call with `more`.
    fileprivate static func call(_ parameters: String, _ method: String) -> String {
        "{\"method\":\"\(method)\",\"parameters\":\(parameters),\"more\":true}\0"
    }
}

extension Stage {
    fileprivate mutating func recordMonitors() throws {
        let stream = try record("Monitor.Open", #"{"name":"home"}"#, "more")
        let watch = try record("Monitor.Watch", #"{"name":"home"}"#, "more")
        let circle = #"{"circle":{"center":{"latitude":51.5,"longitude":-0.1},"radius":2000}"#
        try record(
            "Monitor.Add",
            #"{"name":"home","conditions":["# + circle
                + #","identifier":"door","dwell":60,"metadata":{"b":[1,null],"a":"x"}}]}"#)
        try sendEpochs(2, isPaced: true)
        try recordNext("Monitor.Open", from: stream)
        // The condition was added and determined in one turn.
        try recordNext("Monitor.Watch", from: watch)
        try record("Monitor.GetRecord", #"{"name":"home","identifier":"door"}"#)
        try record("Monitor.Acknowledge", #"{"name":"home","events":[1,99]}"#)
        try record("Monitor.GetRecord", #"{"name":"home","identifier":"door"}"#)
        try record("Monitor.Delete", #"{"name":"home"}"#)
        try recordConditions(circle)
        for parameters in [
            #"{"conditions":[{"identifier":"a"}],"name":"shapes"}"#, #"{"conditions":[{}],"name":"shapes"}"#,
            #"{"conditions":["# + circle + #","identifier":""}],"name":"shapes"}"#,
            #"{"conditions":1,"name":"shapes"}"#,
            #"{"conditions":["# + circle + #","identifier":"a","expiry":"never"}],"name":"shapes"}"#,
            #"{"conditions":["# + circle + #","identifier":"a","dwell":-1}],"name":"shapes"}"#,
            #"{"conditions":["# + circle + #","identifier":"a","assuming":"inside"}],"name":"shapes"}"#,
            #"{"conditions":[],"name":"a b"}"#, #"{"conditions":[],"name":"shapes","program":"x"}"#,
        ] {
            try record("Monitor.Add", parameters)
        }
        try record("Monitor.Open", #"{"name":"home"}"#)
        try record("Monitor.Open", #"{"name":"home"}"#, "more")
        try record("Monitor.List", #"{"name":"none"}"#)
        try record("Monitor.List", #"{"name":"shapes","limit":0}"#)
        try record("Monitor.GetRecord", #"{"name":"shapes","identifier":"none"}"#)
        try record("Monitor.Acknowledge", #"{"name":"home","events":["1"]}"#)
        try record("Monitor.Nearest", #"{"count":101}"#)
        try record("Monitor.Remove", #"{"name":"shapes"}"#)
        withExtendedLifetime((stream, watch)) {}
    }

    /// Records the methods for a monitor with each kind of condition.
    private mutating func recordConditions(_ circle: String) throws {
        try record(
            "Monitor.Add",
            #"{"name":"shapes","conditions":[{"identifier":"a","polygon":{"ring":[{"latitude":51.5,"longitude":-0.2},"#
                + #"{"latitude":51.6,"longitude":0},{"latitude":51.4,"longitude":0.01}]},"assuming":"satisfied"},"#
                + #"{"identifier":"b","corridor":{"path":[{"latitude":51,"longitude":1},"#
                + #"{"latitude":51.25,"longitude":1.125}],"width":100},"expiry":"2126-01-02T03:04:05.678Z"},"#
                + #"{"identifier":"c","visits":true},"#
                + #"{"identifier":"d","significantChange":{"distance":1000,"interval":60}},"#
                + circle + #","identifier":"e"}]}"#)
        try record(
            "Monitor.Import",
            #"{"name":"shapes","geojson":{"type":"Feature","geometry":{"type":"Point","coordinates":[5.25,52.5]},"#
                + #""properties":{"identifier":"f","radius":150,"colour":"red"}}}"#)
        try record("Monitor.Import", #"{"name":"shapes","geojson":{"type":"Point"}}"#)
        try sendEpochs(2, isPaced: true)
        try record("Monitor.List", #"{"name":"shapes"}"#)
        try record("Monitor.List", #"{"name":"shapes","limit":2,"after":"a"}"#)
        try record("Monitor.Export", #"{"name":"shapes"}"#)
        try record("Monitor.Nearest", #"{"name":"shapes","count":2}"#)
        try record("Monitor.ListMonitors")
        try record("Monitor.Remove", #"{"name":"shapes","identifiers":["a","none"]}"#)
        try record("Monitor.Delete", #"{"name":"shapes"}"#)
    }

    fileprivate mutating func recordSession() throws {
        let declared = try record(
            "Session.Declare", #"{"requirement":"always","purpose":"navigation","usageDescription":"Shows it."}"#,
            "more")
        let lease = try record("Session.KeepActive", "{}", "more")
        let watch = try record("Session.WatchAuthorization", "{}", "more")
        try record("Session.GetAuthorization")
        try record("Manager.GetConsumers")
        try record("Permission.SetEnabled", #"{"enabled":false}"#)
        try recordNext("Session.WatchAuthorization", from: watch)
        try recordNext("Session.Declare", from: declared)
        try record("Permission.SetEnabled", #"{"enabled":true}"#)
        for parameters in [#"{"requirement":"full"}"#, #"{"purpose":7}"#, #"{"session":1}"#] {
            try record("Session.Declare", parameters, "more")
        }
        try record("Session.KeepActive")
        try record("Session.EndGrace")
        withExtendedLifetime((declared, lease, watch)) {}
    }

    fileprivate mutating func recordPermission() throws {
        let program = #""program":"1000:boat.service""#
        try record("Permission.Set", "{\(program),\"authorization\":\"whenInUse\",\"accuracy\":\"reduced\"}")
        try record("Permission.Explain", "{\(program)}")
        try record("Permission.Explain")
        try record("Permission.List")
        try record("Permission.Remove", "{\(program)}")
        for parameters in [
            #"{"program":"boat","authorization":"always"}"#, "{\(program)}", "{\(program),\"authorization\":\"maybe\"}",
            "{\(program),\"authorization\":\"always\",\"accuracy\":1}",
        ] {
            try record("Permission.Set", parameters)
        }
        try record("Permission.SetEnabled")
        try record("Permission.GetUsage", #"{"limit":101}"#)
        try record("Permission.GetUsage", #"{"after":"x"}"#)
        try record("Permission.GetUsage", #"{"program":"x"}"#)
        try record("Permission.Forget")
    }

    /// Acts for this process itself, which has opened the socket.
    fileprivate mutating func recordActing() throws {
        try record("Session.ActFor")
        let listener = try StreamListener(path: daemon.scratch("service"))
        let other = try RawClient(daemon.scratch("service"))
        guard waitReadable(listener.descriptor), let accepted = try listener.accept() else {
            throw TestFailure("no connection")
        }
        let acting = try RawClient(daemon.socket)
        let call = Array((#"{"method":"io.sextant.Session.ActFor"}"# + "\0").utf8)
        _ = call.withUnsafeBytes { PassedDescriptors.send($0, with: accepted.number, to: acting.descriptor) }
        try bytes.recordReply("io.sextant.Session.ActFor (with a socket)", from: acting)
        acting.send(#"{"method":"io.sextant.Manager.GetStatus"}"# + "\0")
        try bytes.recordReply("io.sextant.Manager.GetStatus (while acting)", from: acting)
        withExtendedLifetime(other) {}
    }

    fileprivate mutating func recordFeed() throws {
        try record("Receiver.Feed", #"{"name":"net"}"#)
        try record("Receiver.Feed", #"{"name":"a b"}"#, "upgrade")
        try record("Receiver.Feed", #"{"name":"gps"}"#, "upgrade")
        try record("Receiver.Feed", #"{"name":"net","product":"base"}"#, "upgrade")
    }

    fileprivate mutating func recordAgent() throws {
        let agent = try record("Agent.Serve", "{}", "more")
        let session = try record("Session.Declare", #"{"usageDescription":"Zeigt die Straße."}"#, "more")
        try recordNext("Agent.Serve", from: agent)
        for parameters in [#"{"number":1}"#, #"{"number":"1","authorization":"always"}"#] {
            try record("Agent.Answer", parameters)
        }
        try record("Agent.Answer", #"{"number":1,"authorization":"whenInUse","accuracy":"full","temporary":true}"#)
        try recordNext("Agent.Serve", from: agent)
        try record("Agent.Answer", #"{"number":1,"authorization":"denied"}"#)
        try record("Permission.List")
        withExtendedLifetime((agent, session)) {}
    }

    fileprivate mutating func recordDenials() throws {
        try record("Location.GetLocation")
        try record("Location.Subscribe")
        try record("Location.WatchHeading")
        try record("Location.WatchVisits")
        try record("Location.Visits")
        try record("Receiver.Sentences", "{}", "more")
        try record("Monitor.Open", #"{"name":"home"}"#, "more")
        try record("Monitor.Nearest")
        try record("Session.Declare", #"{"requirement":"always","purpose":"navigation"}"#)
        try record("Session.GetAuthorization")
    }
}
