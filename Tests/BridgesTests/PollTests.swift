import Bridges
import Chronology
import SextantAPI
import Testing

/// `?POLL;` of clients without a stream, and the turns of requests.
@Suite struct PollTests {
    @Test func `a POLL has the newest location of the daemon while the stream is quiet`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        try stage.update()
        #expect(stage.send("?POLL;") == ["POLL"] && stage.requested.isEmpty, "the stream has just reported")
        stage.pass(.seconds(22))
        #expect(stage.send("?POLL;") == [] && stage.requested == [""])
        try stage.newest(second: 9)
        #expect(stage.classes() == ["POLL"] && stage.lines().first?.contains("07:09.000Z") == true)
        #expect(stage.send("?POLL;") == ["POLL"] && stage.requested.count == 1, "once per second")
    }

    @Test func `a POLL is answered with what is known if the daemon has nothing newer`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        try stage.update()
        stage.pass(.seconds(5))
        #expect(stage.send("?POLL;") == [])
        try stage.newest(second: nil)
        #expect(stage.lines().first?.contains("07:07.000Z") == true)
        stage.pass(.seconds(5))
        #expect(stage.send("?POLL;") == [])
        stage.pass(.seconds(1))
        #expect(stage.classes() == ["POLL"], "the daemon does not answer")
    }

    @Test func `the last location of a receiver that has lost its fix is not used`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        try stage.update()
        stage.pass(.seconds(5))
        stage.send("?POLL;")
        stage.server.receive(try Samples.decode(Samples.unavailable) as SubscribeReply, at: stage.now)
        try stage.newest(second: 9)
        #expect(stage.lines().first?.contains(#""mode":1"#) == true)
    }

    @Test func `a POLL has the time while there is no daemon`() {
        let stage = GPSDStage()
        stage.connect(1)
        stage.server.setClock(UTCTime(milliseconds: 0), at: stage.now)
        stage.server.loseDaemon(at: stage.now)
        for request in ["?POLL;", "?WATCH={\"enable\":true};?POLL;"] {
            stage.send(request)
            #expect(stage.lines().last?.hasPrefix(#"{"class":"POLL","time":"1970-01-01T00:00:00.000Z""#) == true)
        }
    }

    @Test func `a client that polled long ago causes no wakeups`() throws {
        let stage = try GPSDStage.watching("?WATCH={\"enable\":true}")
        try stage.update()
        stage.pass(.seconds(100))
        #expect(try #require(stage.deadline) > stage.now + .seconds(60))
    }

    @Test func `one request is answered per turn`() throws {
        var server = GPSDServer(release: "3.22", revision: "test")
        server.connect(1, at: .zero)
        _ = server.takeEffects()
        server.receive(Array("?VERSION;?VERSION;?VERSION".utf8), from: 1, at: .zero)
        var turns = 0
        while server.takeEffects().contains(.answer(1)) {
            server.answerRequest(of: 1, at: .zero)
            turns += 1
        }
        #expect(turns == 2)
    }

    @Test func `a request without an end is answered after a second, as gpsd does at once`() throws {
        let stage = try GPSDStage.watching()
        for (request, quoted) in [("?POLL", "?POLL\\n"), ("?FOO", "?FOO\\n"), ("?WATCH", "?WATCH\\n")] {
            #expect(stage.send(request) == [])
            let deadline = try #require(stage.deadline)
            #expect(deadline <= stage.now + .seconds(1))
            stage.pass(.seconds(1))
            #expect(stage.lines().contains(#"{"class":"ERROR","message":"Unrecognized request '\#(quoted)'"}"#))
        }
        #expect(stage.send("?WATCH={\"nmea\":true,\"pps\":tr") == [])
        stage.pass(.seconds(1))
        #expect(stage.lines().contains { $0.contains(#""json":true,"nmea":true"#) && $0.contains(#""pps":false"#) })
        stage.send("?VERS")
        stage.pass(.milliseconds(900))
        #expect(stage.send("ION;") == ["VERSION"], "a request may be cut")
        stage.received[1] = []
        for _ in 0..<3 { stage.pass(.seconds(1)) }
        #expect(!stage.classes().contains("ERROR"))
    }

    /// The answers of gpsd 3.22 to the same requests, but for the text of the error.
    @Test(arguments: [
        (#""enable":true,"json":true,"device":/dev/pts/2"#, true, #""enable":true,"json":true,"nmea":false"#),
        (#""json":true,"device":5,"nmea":true"#, true, #""enable":true,"json":true,"nmea":false"#),
        (#""json":true,"raw":"x","nmea":true"#, true, #""enable":true,"json":true,"nmea":false,"raw":0"#),
        (#""json":true,"nmea":maybe,"enable":true"#, false, #""enable":true,"json":true,"nmea":false"#),
        (#""enable":true,"json":maybe,"nmea":true"#, false, #""enable":true,"json":false,"nmea":true"#),
        (#""json":true,"enable":7"#, false, #""enable":false,"json":true"#),
        (#""enable":"#, false, #""enable":true,"json":false"#),
    ])
    func `the members before an error count`(_ members: String, _ isError: Bool, _ policy: String) throws {
        let stage = GPSDStage()
        stage.connect(1)
        try stage.receivers()
        stage.send("?WATCH={\(members)};\n")
        #expect(stage.classes().prefix(3) == (isError ? ["ERROR", "DEVICES", "WATCH"] : ["DEVICES", "WATCH"]))
        #expect(stage.lines().contains { $0.hasPrefix(#"{"class":"WATCH",\#(policy)"#) }, "\(stage.lines())")
    }
}
