import Bridges
import Chronology
import SextantAPI
import Testing
import Varlink

/// Clients that select a receiver other than that of the device's position.
@Suite struct SelectedDeviceTests {
    private static func stage(_ request: String, second state: String = "hasFix") throws -> GPSDStage {
        let stage = GPSDStage()
        stage.connect(1)
        stage.send(request)
        stage.server.receive(
            try Samples.twoReceivers(second: state), time: UTCTime(milliseconds: 0), at: stage.now)
        stage.collect()
        return stage
    }

    private static let watch = #"?WATCH={"enable":true,"json":true,"device":"/dev/two"};"#

    @Test func `a receiver that is not the primary one is watched alone`() throws {
        let stage = try SelectedDeviceTests.stage(SelectedDeviceTests.watch)
        #expect(stage.classes() == ["DEVICES", "WATCH"])
        #expect(stage.selected == ["/dev/two": .stream] && stage.demand(at: stage.now) == .devices)
        stage.received = [:]
        try stage.update("/dev/two")
        #expect(stage.classes() == ["TPV", "SKY"])
        #expect(stage.lines().allSatisfy { $0.contains(#""device":"/dev/two""#) })
        stage.received = [:]
        try stage.update(second: 8)
        #expect(stage.lines().isEmpty, "the position of the other receiver")
        stage.leave(1)
        #expect(stage.selected.isEmpty)
    }

    @Test func `a fixed place is no receiver's position`() throws {
        let stage = try SelectedDeviceTests.stage(SelectedDeviceTests.watch.replacing("/dev/two", with: "/dev/gps"))
        stage.connect(2)
        stage.send(#"?WATCH={"enable":true,"json":true};"#, from: 2)
        stage.received = [:]
        let fixed = Samples.location().replacing("autonomous", with: "manual")
        stage.server.receive(try Samples.update(fixed), at: stage.now)
        stage.collect()
        #expect(stage.lines(1).isEmpty && stage.selected.keys.contains("/dev/gps"))
        let lines = stage.lines(2)
        #expect(!lines.isEmpty && lines.allSatisfy { !$0.contains(#""device":"/dev"#) })
    }

    @Test func `a POLL has a fixed place without any receiver`() throws {
        let stage = GPSDStage()
        stage.connect(1)
        stage.send(#"?WATCH={"enable":true};"#)
        stage.server.receive(
            Receivers(receivers: [], unconfirmedPorts: nil), time: UTCTime(milliseconds: 0), at: stage.now)
        stage.server.receive(
            try Samples.update(Samples.location().replacing("autonomous", with: "manual")), at: stage.now)
        stage.collect()
        stage.received = [:]
        stage.send("?POLL;")
        let line = try #require(stage.lines().first)
        #expect(line.contains(#""active":1,"tpv":[{"class":"TPV","mode":3,"lat""#), "\(line)")
        #expect(line.contains(#""sky":[{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}]"#), "\(line)")
    }

    @Test(arguments: ["sendingWithoutFix", "absent"])
    func `a receiver without a fix has a TPV with mode 1 at least every 4 s`(_ state: String) throws {
        let stage = try SelectedDeviceTests.stage(SelectedDeviceTests.watch, second: state)
        try stage.update("/dev/two", unavailable: true)
        stage.received = [:]
        for _ in 0..<60 { stage.pass(.seconds(1)) }
        #expect(stage.classes().count { $0 == "TPV" } >= 15)
        #expect(stage.lines().allSatisfy { $0.hasPrefix(#"{"class":"TPV","device":"/dev/two","mode":1"#) })
    }

    @Test func `the TPVs come even if the daemon reports nothing about the receiver`() throws {
        let stage = try SelectedDeviceTests.stage(SelectedDeviceTests.watch)
        stage.received = [:]
        for _ in 0..<8 { stage.pass(.seconds(1)) }
        #expect(stage.classes().count { $0 == "TPV" } == 2)
        stage.server.loseDevice("/dev/two", at: stage.now)
        for _ in 0..<8 { stage.pass(.seconds(1)) }
        #expect(stage.classes().count { $0 == "TPV" } == 4)
    }

    @Test func `clients of all receivers and of one get their own positions`() throws {
        let stage = try SelectedDeviceTests.stage(SelectedDeviceTests.watch)
        stage.connect(2)
        stage.send(#"?WATCH={"json":true}"#, from: 2)
        stage.connect(3)
        stage.send(#"?WATCH={"json":true,"device":"/dev/gps"}"#, from: 3)
        #expect(stage.demand(at: stage.now) == .stream && stage.selected == ["/dev/two": .stream])
        stage.received = [:]
        try stage.update()
        try stage.update("/dev/two", second: 9)
        #expect(stage.lines(1).count { $0.contains(":09.000Z") } == 1 && stage.classes(1).first == "TPV")
        for client: ClientID in [2, 3] {
            #expect(stage.lines(client).first?.contains(#""device":"/dev/gps""#) == true)
            #expect(stage.classes(client).count { $0 == "TPV" } == 1)
        }
    }

    @Test func `a POLL has the selected receiver`() throws {
        let stage = try SelectedDeviceTests.stage(#"?WATCH={"enable":true,"device":"/dev/two"};"#)
        #expect(stage.selected == ["/dev/two": .polls])
        #expect(stage.send("?POLL;") == [], "before the daemon's report")
        try stage.update("/dev/two")
        let poll = try JSONValue(parsing: Array(try #require(stage.lines().first).utf8))
        #expect(poll["active"] == 1 && poll["tpv"]?.array?.first?["device"] == "/dev/two")
        #expect(poll["sky"]?.array?.first?["device"] == "/dev/two")
        stage.pass(.seconds(100))
        #expect(stage.selected.isEmpty && stage.demand(at: stage.now) == .nothing)
        stage.send("?POLL;")
        #expect(stage.selected == ["/dev/two": .polls])
    }

    @Test func `a POLL of a watched receiver that is absent has active 0`() throws {
        let stage = try SelectedDeviceTests.stage(SelectedDeviceTests.watch, second: "absent")
        try stage.update("/dev/two", unavailable: true)
        stage.send("?POLL;")
        #expect(stage.lines().last?.contains(#""active":0,"tpv":[],"gst":[],"sky":[]}"#) == true)
    }

    @Test func `the positions of a few receivers are requested`() throws {
        let stage = GPSDStage()
        var reply = try Samples.receivers()
        for number in 0..<20 {
            var receiver = try Samples.receivers(port: "/dev/r\(number)").receivers[0]
            (receiver.name, receiver.isPrimary) = ("r\(number)", false)
            reply.receivers.append(receiver)
        }
        stage.server.receive(reply, time: UTCTime(milliseconds: 0), at: stage.now)
        for number in 0..<20 {
            let id = ClientID(integerLiteral: UInt64(number))
            stage.connect(id)
            stage.send(#"?WATCH={"json":true,"device":"/dev/r\#(number)"}"#, from: id)
        }
        #expect(stage.selected.count == 6)
    }

    @Test func `a receiver that becomes that of the position needs no stream of its own`() throws {
        let stage = try SelectedDeviceTests.stage(SelectedDeviceTests.watch)
        var reply = try Samples.twoReceivers()
        (reply.receivers[0].isPrimary, reply.receivers[1].isPrimary) = (false, true)
        stage.server.receive(reply, time: UTCTime(milliseconds: 0), at: stage.now)
        #expect(stage.selected.isEmpty && stage.demand(at: stage.now) == .stream)
    }
}
