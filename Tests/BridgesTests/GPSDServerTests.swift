import Bridges
import Chronology
import SextantAPI
import Testing
import Varlink

@Suite struct GPSDServerTests {
    @Test func `the version is sent first`() {
        let stage = GPSDStage()
        stage.connect(1)
        #expect(
            stage.lines() == [#"{"class":"VERSION","release":"3.22","rev":"test","proto_major":3,"proto_minor":14}"#])
        #expect(stage.demand(at: stage.now) == .nothing)
        #expect(stage.deadline == .zero + .seconds(900))
    }

    @Test func `devices and policy answer a WATCH, then each epoch begins with TPV`() throws {
        let stage = try GPSDStage.watching()
        #expect(stage.classes() == ["DEVICES", "WATCH"])
        #expect(stage.demand(at: stage.now) == .stream)
        for second in 1...3 {
            stage.received[1] = []
            try stage.update(second: second)
            try stage.receivers()
            #expect(stage.classes().first == "TPV")
            #expect(stage.received[1]?.count == 1, "an epoch is one write")
        }
        #expect(stage.classes() == ["TPV", "SKY"])
        #expect(stage.received[1]?.first?.hasSuffix("\r\n") == true)
    }

    @Test func `an answer waits for the list of receivers, but not for long`() {
        let stage = GPSDStage()
        stage.connect(1)
        #expect(stage.send("?DEVICES;") == [])
        #expect(stage.demand(at: stage.now) == .devices)
        stage.pass(.seconds(1))
        #expect(stage.lines() == [#"{"class":"DEVICES","devices":[]}"#])
        stage.pass(.seconds(2))
        #expect(stage.demand(at: stage.now) == .nothing)
    }

    @Test func `a lost daemon answers with what is known`() {
        let stage = GPSDStage()
        stage.connect(1)
        stage.send("?WATCH={\"enable\":true,\"json\":true}")
        stage.server.loseDaemon(at: stage.now)
        stage.collect()
        #expect(stage.classes() == ["DEVICES", "WATCH", "TPV"])
        #expect(stage.lines().last == #"{"class":"TPV","mode":1}"#)
    }

    @Test func `enable alone does not stream, and each POLL gets one line`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        #expect(stage.classes() == ["DEVICES", "WATCH"])
        #expect(stage.demand(at: stage.now) == .polls)
        try stage.update()
        #expect(stage.classes() == ["DEVICES", "WATCH"])
        #expect(stage.send("?POLL;") == ["POLL"])
        let poll = try JSONValue(parsing: Array(try #require(stage.lines().first).utf8))
        #expect(poll["active"] == 1)
        #expect(poll["tpv"]?.array?.last?["lat"]?.double == 51.5)
        #expect(poll["sky"]?.array?.count == 1)
        #expect(poll["gst"]?.array == [])
    }

    /// The energy of `Benchmarks/commuter-day` is that of this demand.
    @Test func `a client that polls once a minute keeps the demand of polls, all day`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        try stage.update()
        for _ in 0..<24 * 60 {
            stage.send("?POLL;")
            for _ in 0..<6 {
                #expect(stage.demand(at: stage.now) == .polls)
                stage.pass(.seconds(10))
            }
        }
    }

    @Test func `a client that polls is demand for a while after each poll, and none after it leaves`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        try stage.update()
        stage.pass(.seconds(60))
        #expect(stage.demand(at: stage.now) == .polls)
        stage.pass(.seconds(40))
        #expect(stage.demand(at: stage.now) == .nothing)
        stage.send("?POLL;")
        #expect(stage.demand(at: stage.now) == .polls)
        stage.server.disconnect(1, at: stage.now)
        stage.pass(.seconds(2))
        #expect(stage.demand(at: stage.now) == .nothing)
    }

    @Test func `a POLL has the present time, also without a fix`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        stage.server.receive(try Samples.decode(Samples.unavailable) as SubscribeReply, at: stage.now)
        stage.pass(.seconds(3))
        stage.send("?POLL;")
        #expect(stage.lines().first?.contains(#""time":"1970-01-01T00:00:03.000Z","active":1"#) == true)
    }

    @Test func `many POLLs in one packet are encoded once`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        try stage.update()
        stage.send(String(repeating: "?POLL;", count: 600))
        #expect(stage.classes().count == 600)
        #expect(Set(stage.lines()).count == 1)
        try stage.update(second: 8)
        #expect(stage.send("?POLL;").count == 1 && stage.lines().first?.contains("07:08.000Z") == true)
    }

    @Test func `raw gives the sentences of the receiver, or those of the location without permission`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true,\"raw\":2}")
        #expect(stage.wantsSentences)
        stage.received = [:]
        try stage.update()
        #expect(stage.lines() == [], "before the first sentences")
        stage.server.receive(
            SentencesReply(sequence: 1, dropped: 0, receiver: "gps", sentences: ["$GNRMC,1*00", "$PUBX,\u{e9}*01"]))
        stage.collect()
        let rest = stage.server.takeEffects()
        #expect(rest.isEmpty && stage.lines().first == "$GNRMC,1*00")
        stage.received = [:]
        try stage.update(second: 8)
        #expect(stage.lines() == [])
        stage.server.refuseSentences()
        try stage.update(second: 9)
        #expect(stage.lines().first?.hasPrefix("$GPRMC,") == true)
        #expect(stage.send("?WATCH={\"enable\":false}").last == "WATCH" && !stage.wantsSentences)
    }

    @Test func `a POLL without a WATCH has no reports`() throws {
        let stage = GPSDStage()
        stage.connect(1)
        try stage.receivers()
        stage.send("?POLL;")
        #expect(stage.lines().first?.contains(#""active":0,"tpv":[],"gst":[],"sky":[]}"#) == true)
    }

    @Test func `a device at rest is reported at least every 4 s`() throws {
        let stage = try GPSDStage.watching()
        try stage.update()
        stage.received[1] = []
        for _ in 0..<60 { stage.pass(.seconds(1)) }
        #expect(stage.classes().count { $0 == "TPV" } >= 15)
    }

    @Test func `the position ends 5 s after the daemon is lost`() throws {
        let stage = try GPSDStage.watching()
        try stage.update()
        stage.server.loseDaemon(at: stage.now)
        stage.collect()
        stage.received[1] = []
        stage.pass(.seconds(4))
        #expect(stage.lines().first?.contains(#""mode":3"#) == true)
        stage.received[1] = []
        stage.pass(.seconds(4))
        #expect(stage.lines().first?.contains(#""mode":1"#) == true)
        try stage.update(second: 9)
        #expect(stage.lines().last?.contains(#""mode":3"#) == true)
    }

    @Test func `without a fix each epoch is a TPV with mode 1 and its time`() throws {
        let stage = try GPSDStage.watching()
        stage.server.receive(try Samples.decode(Samples.unavailable) as SubscribeReply, at: stage.now)
        stage.collect()
        stage.received[1] = []
        try stage.receivers("sendingWithoutFix")
        #expect(
            stage.lines().first
                == #"{"class":"TPV","device":"/dev/gps","mode":1,"time":"2026-11-21T06:07:07.000Z"}"#)
    }

    @Test func `a client gets the present state at once, in the forms that it watches`() throws {
        let stage = try GPSDStage.watching()
        try stage.update()
        stage.connect(2)
        #expect(stage.send("?WATCH={\"nmea\":true};", from: 2).prefix(4) == ["DEVICES", "WATCH", "$GPRMC", "$GPGGA"])
        stage.connect(3)
        #expect(stage.send("?WATCH={\"json\":true};", from: 3) == ["DEVICES", "WATCH", "TPV", "SKY"])
    }

    @Test func `reports of other devices are not sent`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"json\":true,\"device\":\"/dev/other\"}")
        #expect(stage.classes() == ["ERROR", "DEVICES", "WATCH"])
        try stage.update()
        #expect(stage.classes() == ["ERROR", "DEVICES", "WATCH"])
    }

    @Test func `requests that cannot be read get an ERROR`() throws {
        let stage = try GPSDStage.watching()
        #expect(stage.send("?FOO;") == ["ERROR"])
        #expect(stage.lines() == [#"{"class":"ERROR","message":"Unrecognized request '?FOO;\n'"}"#])
        #expect(stage.send("?WATCH={enable:true}") == ["ERROR", "DEVICES", "WATCH"])
        #expect(stage.send("?DEVICE={\"path\":\"/dev/x\"}") == ["ERROR"])
        #expect(stage.send("?DEVICE={\"bps\":4800}") == ["DEVICE"])
    }

    @Test func `a receiver that comes and goes is reported`() throws {
        let stage = try GPSDStage.watching()
        stage.received[1] = []
        try stage.receivers("absent")
        #expect(stage.lines().first?.contains(#""activated":0"#) == true)
        stage.received[1] = []
        try stage.receivers("sendingWithoutFix")
        #expect(stage.lines().first?.contains(#""activated":"1970-01-01T00:00:00.000Z""#) == true)
    }

    @Test func `a client that watches after another has left gets no report before the daemon's`() throws {
        let stage = try GPSDStage.watching()
        try stage.update()
        stage.server.disconnect(1, at: stage.now)
        stage.pass(.seconds(60))
        stage.server.endUpdates()
        stage.connect(2)
        #expect(stage.send("?WATCH={\"json\":true}", from: 2) == ["DEVICES", "WATCH"])
        stage.pass(.milliseconds(10))
        #expect(stage.classes(2) == ["DEVICES", "WATCH"])
        try stage.update(second: 9)
        #expect(stage.classes(2) == ["DEVICES", "WATCH", "TPV", "SKY"])
    }

    @Test func `the first receiver that is plugged in is reported`() throws {
        let stage = GPSDStage()
        stage.connect(1)
        stage.send("?WATCH={\"json\":true}")
        stage.server.receive(Samples.noReceivers, time: UTCTime(milliseconds: 0), at: stage.now)
        stage.collect()
        #expect(stage.lines().first == #"{"class":"DEVICES","devices":[]}"#)
        try stage.receivers("sendingWithoutFix")
        #expect(stage.classes() == ["DEVICES", "WATCH", "DEVICE"])
    }

    @Test func `a stored client continues in another process with the same policy`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true,\"json\":true,\"raw\":1}")
        #expect(stage.stored[1]?.name == "gpsd.1.jr1")
        let stored = try #require(StoredClient(name: "gpsd.1.jr1"))
        let next = GPSDStage()
        next.server.restore(7, stored, at: next.now)
        try next.receivers()
        try next.update()
        #expect(next.classes(7).prefix(2) == ["TPV", "SKY"])
        next.server.receive(
            SentencesReply(sequence: 1, dropped: 0, receiver: "gps", sentences: ["$GNRMC,1*00"]))
        next.collect()
        #expect(next.classes(7).last == "$GNRMC")
        #expect(next.stored[7]?.name == "gpsd.7.jr1")
        stage.send("?WATCH={\"enable\":false}")
        #expect(stage.stored[1] == nil)
    }

    @Test(arguments: ["varlink", "gpsd.1", "gpsd.1.j", "gpsd.1.r3", "gpsd.1.jr", ""])
    func `other descriptors are not clients`(_ name: String) {
        #expect(StoredClient(name: name) == nil)
    }

    @Test func `only a client that is silent and does not watch is closed after 15 minutes`() throws {
        let stage = try GPSDStage.watching()
        stage.connect(2)
        for _ in 0..<40 { stage.pass(.seconds(60)) }
        #expect(stage.closed.contains(2))
        #expect(!stage.closed.contains(1))
    }

    /// The satellites of a client before are still known when the next one begins to watch.
    @Test func `the first report of a stream has the satellites`() throws {
        let stage = GPSDStage()
        stage.connect(1)
        stage.send("?DEVICES;")
        try stage.receivers()
        stage.send("?WATCH={\"enable\":true,\"json\":true};")
        stage.received[1] = []
        try stage.update()
        stage.server.disconnect(1, at: stage.now)
        stage.server.endUpdates()
        stage.connect(2)
        stage.send("?WATCH={\"enable\":true,\"json\":true};", from: 2)
        stage.received[2] = []
        try stage.update(second: 8)
        #expect(stage.classes(2) == ["TPV", "SKY"])
    }

    @Test func `a direction follows the next position, once`() throws {
        let stage = try GPSDStage.watching()
        try stage.update()
        let heading: HeadingUpdate = try Samples.decode(
            #"{"heading":{"timestamp":"2026-11-21T06:07:08.000Z","trueHeading":271.5,"source":"hdt","receiver":"gps"}}"#
        )
        stage.received[1] = []
        stage.server.receive(heading, at: stage.now)
        stage.collect()
        #expect(stage.lines().isEmpty)
        try stage.update(second: 8)
        #expect(stage.classes(1) == ["TPV", "ATT"])
        #expect(
            stage.lines().last
                == #"{"class":"ATT","device":"/dev/gps","time":"2026-11-21T06:07:08.000Z","heading":271.500}"#)
        stage.received[1] = []
        try stage.update(second: 9)
        #expect(stage.classes(1) == ["TPV"])
    }

    @Test func `a device without compass is asked for its direction once a minute`() throws {
        let stage = try GPSDStage.watching()
        func heading(_ source: String) throws -> HeadingUpdate {
            try Samples.decode(#"{"heading":{"trueHeading":271.5,"source":"\#(source)","receiver":"gps"}}"#)
        }
        for _ in 0..<4 { stage.server.receive(try heading("course"), at: stage.now) }
        #expect(stage.wantsAttitude(at: stage.now))
        stage.server.receive(try heading("hdt"), at: stage.now)
        for _ in 0..<4 { stage.server.receive(try heading("course"), at: stage.now) }
        #expect(stage.wantsAttitude(at: stage.now))
        stage.server.receive(try heading("course"), at: stage.now)
        #expect(!stage.wantsAttitude(at: stage.now + .seconds(59)))
        #expect(stage.wantsAttitude(at: stage.now + .seconds(60)))
        for _ in 0..<5 { stage.server.receive(try heading("course"), at: stage.now) }
        #expect(!stage.wantsAttitude(at: stage.now + .seconds(119)))
        #expect(stage.wantsAttitude(at: stage.now + .seconds(120)))
        stage.server.loseDaemon(at: stage.now)
        #expect(stage.wantsAttitude(at: stage.now))
    }

    @Test func `a client with pps gets the clock after each position, others do not`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true,\"json\":true,\"pps\":true};")
        stage.server.connect(2, at: stage.now)
        stage.send("?WATCH={\"enable\":true,\"json\":true};", from: 2)
        stage.received = [:]
        try stage.update(second: 9)
        #expect(stage.classes(1).last == "TOFF" && !stage.classes(2).contains("TOFF"))
        let report = try JSONValue(parsing: Array(try #require(stage.lines().last).utf8))
        let time = try #require(UTCTime(rfc3339: "2026-11-21T06:07:09.000Z"))
        #expect(report["real_sec"]?.int == time.milliseconds / 1000 && report["real_nsec"] == 0)
        #expect(report["clock_sec"]?.int != nil && report["precision"] == -2)
        #expect(report["device"] == "/dev/gps")
    }

    @Test func `the satellites are needed rarely while there is a position and no client compares clocks`() throws {
        let stage = try GPSDStage.watching()
        #expect(stage.skyInterval == nil)
        try stage.update()
        #expect(stage.skyInterval == 4)
        stage.server.connect(2, at: stage.now)
        stage.send("?WATCH={\"enable\":true,\"raw\":2,\"pps\":true}", from: 2)
        #expect(stage.skyInterval == nil)
        stage.server.disconnect(2, at: stage.now)
        #expect(stage.skyInterval == 4)
        stage.server.receive(try Samples.decode(Samples.unavailable) as SubscribeReply, at: stage.now)
        #expect(stage.skyInterval == nil, "each epoch without a position is reported")
    }
}
