import DaemonSupport
import Testing
import Varlink

@testable import sextant_web

@Suite struct MetricsTests {
    private static func text(_ replies: [String: JSONValue], hasPosition: Bool = false) -> [Substring] {
        var metrics = DaemonMetrics(hasPosition: hasPosition, viewerCount: 3)
        metrics.replies = replies
        return String(decoding: metrics.text, as: UTF8.self).split(separator: "\n")
    }

    private static let location: JSONValue = [
        "location": ["latitude": 51.5, "longitude": -0.1, "horizontalAccuracy": 2.5, "accuracySource": "gst"],
        "age": 0.5,
    ]

    @Test func `without a daemon there is one metric, that it is away`() {
        let lines = MetricsTests.text([:])
        #expect(lines.filter { !$0.hasPrefix("#") } == ["sextant_up 0"] && lines.last == "# EOF")
    }

    @Test func `the position is left out unless it is allowed`() {
        let monitors: JSONValue = ["monitors": [["name": "home", "pending": 2]]]
        let replies = [
            "io.sextant.Location.Subscribe": MetricsTests.location, "io.sextant.Monitor.ListMonitors": monitors,
            "io.sextant.Manager.GetStatus": ["status": ["uptime": 7]],
        ]
        let hidden = MetricsTests.text(replies)
        #expect(hidden.contains("sextant_horizontal_accuracy_meters{source=\"gst\"} 2.5"))
        #expect(hidden.contains("sextant_page_viewers 3"))
        #expect(hidden.contains("sextant_fix 1") && hidden.contains("sextant_location_age_seconds 0.5"))
        let telling = ["sextant_latitude", "sextant_longitude", "sextant_monitor"]
        #expect(!hidden.contains { line in telling.contains { line.hasPrefix($0) } })
        let shown = MetricsTests.text(replies, hasPosition: true)
        #expect(shown.contains("sextant_monitor_events_pending{monitor=\"home\"} 2"))
        #expect(shown.contains("sextant_latitude_degrees 51.5") && shown.contains("sextant_longitude_degrees -0.1"))
    }

    @Test func `satellites count once, whatever their signals are, and names are escaped`() {
        let satellites: JSONValue = [
            ["system": "gps", "number": 1, "signal": 1, "used": true, "carrierToNoise": 40],
            ["system": "gps", "number": 1, "signal": 7, "used": true, "carrierToNoise": 30],
            ["system": "gps", "number": 2, "used": false], ["system": "glonass", "used": false],
        ]
        let receivers: JSONValue = [
            "receivers": [["name": "a\"\\\n", "state": "hasFix", "satellites": satellites, "counts": ["truncated": 3]]]
        ]
        let lines = MetricsTests.text(["io.sextant.Receiver.List": receivers])
        let labels = "receiver=\"a\\\"\\\\\\n\""
        #expect(lines.contains("sextant_satellites_used{\(labels),system=\"gps\"} 1"))
        #expect(lines.contains("sextant_satellites_in_view{\(labels),system=\"gps\"} 2"))
        #expect(lines.contains("sextant_satellites_in_view{\(labels),system=\"glonass\"} 1"))
        #expect(lines.contains("sextant_carrier_to_noise_dbhz{\(labels),system=\"gps\"} 35"))
        #expect(lines.contains("sextant_receiver_damaged_lines_total{\(labels),kind=\"truncated\"} 3"))
    }

    @Test func `each name has one type, and samples of the same labels are one`() {
        let consumer: JSONValue = ["purpose": "default", "program": "x", "uid": 7, "joules": 1.25]
        let power: JSONValue = ["start": ["consumers": [consumer, consumer], "operation": 3]]
        let lines = MetricsTests.text(["io.sextant.Manager.GetPower": power])
        #expect(
            lines.contains("sextant_energy_joules_total{program=\"x\",unit=\"\",purpose=\"default\",uid=\"7\"} 2.5"))
        let types = lines.filter { $0.hasPrefix("# TYPE") }
        #expect(Set(types).count == types.count)
    }

    @Test func `metrics are off by default, and ask without waking a receiver`() throws {
        let off = try WebProgram()
        #expect(try off.answers(to: [WebProgram.Request(path: "/metrics")]).map(\.status) == [404])
        #expect(!off.daemon.hasConnection)
        let program = try WebProgram(configuration: "[web]\nmetrics = true\n")
        let run = try program.send([WebProgram.Request(path: "/metrics")])
        let connection = try program.daemon.accept()
        for _ in DaemonMetrics.methods {
            let call = try connection.call()
            #expect(call.mode == .single)
            try connection.send(Reply(parameters: call.method.hasSuffix("GetStatus") ? ["status": ["uptime": 7]] : [:]))
        }
        let answer = try #require(try program.answers(of: run).first)
        #expect(answer.status == 200 && answer.headers["content-type"] == MetricsText.type)
        #expect(answer.body.contains("\nsextant_up 1\n") && answer.body.contains("\nsextant_uptime_seconds 7\n"))
        #expect(answer.body.contains("sextant_fix 0\n") && answer.body.hasSuffix("# EOF\n"))
        #expect(answer.body.contains("sextant_page_viewers 0\n"))
    }

    @Test func `an open stream of events is a viewer`() throws {
        let program = try WebProgram(configuration: "[web]\nmetrics = true\n")
        let run = try program.send([.events("location=no&include=visits", until: "\"last\"")])
        let stream = try program.daemon.accept()
        _ = try stream.call()
        let metrics = try program.send([WebProgram.Request(path: "/metrics")])
        let connection = try program.daemon.accept()
        for _ in DaemonMetrics.methods {
            let call = try connection.call()
            try connection.send(Reply(parameters: call.method.hasSuffix("GetStatus") ? ["status": ["uptime": 7]] : [:]))
        }
        let answer = try #require(try program.answers(of: metrics).first)
        #expect(answer.body.contains("\nsextant_page_viewers 1\n"), "\(answer.body)")
        try stream.send(Reply(parameters: ["last": true], continues: true))
        #expect(try program.answers(of: run).map(\.status) == [200])
    }
}
