import Chronology
import Geodesy
import Testing
import Varlink

@testable import Fleet

/// The messages, by the published formats and by what their consumers refuse.
@Suite struct PayloadTests {
    private let messages = OwnTracks(user: "Jane", device: "Phone")

    private func point(accuracy: Double = 4.2) throws -> FleetPoint {
        FleetPoint(
            try #require(Coordinate(latitude: 48.123456789, longitude: -11.987654321)),
            at: UTCTime(milliseconds: 1_800_000_000_700), accuracy: accuracy, altitude: 512.4, speed: 13.9,
            course: 271.6)
    }

    @Test func `a location has the members of OwnTracks with their types`() throws {
        let message = messages.location(try point(), sequence: 7)
        #expect(
            message == [
                "_type": "location", "_id": "7", "lat": 48.1234568, "lon": -11.9876543, "tst": 1_800_000_000,
                "tid": "ne", "acc": 5, "alt": 512, "vel": 50, "cog": 272,
            ])
        #expect(messages.topic == "owntracks/jane/phone")
    }

    @Test(arguments: [(0.0, Int64(1)), (0.4, 1), (1, 1), (1.01, 2), (.infinity, 1_000_000)])
    func `the accuracy is rounded up and never 0`(accuracy: Double, stated: Int64) throws {
        #expect(messages.location(try point(accuracy: accuracy), sequence: 1)["acc"] == .int(stated))
    }

    @Test func `unknown and zero members are left out`() throws {
        var point = try point()
        point.altitude = nil
        point.speed = 0.1
        point.course = .nan
        let message = messages.location(point, sequence: 1)
        #expect(message["alt"] == nil && message["vel"] == nil && message["cog"] == nil)
    }

    @Test func `a transition names its fence and repeats the time of its creation`() throws {
        let event = FleetEvent(
            .enter, of: "depot", in: "fleet", at: UTCTime(milliseconds: 1_800_000_001_000),
            place: try point().coordinate,
            accuracy: 4.2, fenceCreated: 1_700_000_000)
        let message = messages.transition(event, sequence: 8)
        #expect(
            message == [
                "_type": "transition", "_id": "8", "event": "enter", "desc": "depot", "tst": 1_800_000_001,
                "wtst": 1_700_000_000, "t": "c", "tid": "ne", "rid": .string(FenceHash.text(of: "fleet/depot")),
                "acc": 5, "lat": 48.1234568, "lon": -11.9876543,
            ])
        #expect(messages.eventTopic == "owntracks/jane/phone/event")
    }

    @Test func `a track has absolute members first, then differences`() throws {
        var later = try point()
        later.time = UTCTime(milliseconds: 1_800_000_060_000)
        later.coordinate = try #require(Coordinate(latitude: 48.1234578, longitude: -11.9876553))
        later.altitude = nil
        later.speed = nil
        let message = messages.track([(7, try point()), (9, later)])
        #expect(
            message == [
                "_type": "track", "tid": "ne",
                "points": [
                    [7, 1_800_000_000, 481_234_568, -119_876_543, 5, 512, 50, 272],
                    [2, 60, 10, -10, 5, .null, .null, 272],
                ],
            ])
        #expect(messages.trackTopic == "owntracks/jane/phone/track")
    }

    @Test func `will, card and waypoints`() throws {
        let center = try #require(Coordinate(latitude: 1, longitude: 2))
        #expect(messages.will(at: UTCTime(milliseconds: 5000)) == ["_type": "lwt", "tst": 5])
        #expect(messages.card(name: "Jane") == ["_type": "card", "name": "Jane", "tid": "ne"])
        let fence = RemoteFence("a", created: 3, center: center, radius: 50)
        let lists = messages.waypoints([Waypoint(fence, of: "fleet")])
        #expect(
            lists.count == 1
                && lists[0]["waypoints"]?.array?.first
                    == [
                        "_type": "waypoint", "desc": "a", "tst": 3, "lat": 1.0, "lon": 2.0, "rad": 50,
                        "rid": .string(FenceName("a", of: "fleet").regionID),
                    ]
        )
        #expect(messages.waypoints([])[0]["waypoints"]?.array?.isEmpty == true)
    }

    @Test func `setWaypoints merges, deletes and replaces, and is idempotent`() throws {
        func command(_ waypoints: String) throws -> RemoteFenceChange {
            let text = #"{"_type":"cmd","action":"setWaypoints","waypoints":\#(waypoints)}"#
            var result: RemoteFenceChange?
            if case .setWaypoints(let change) = OwnTracksCommand(Array(text.utf8)) { result = change }
            return try #require(result)
        }
        let first = try command(
            #"{"waypoints":[{"desc":"b","lat":1,"lon":2,"rad":50,"tst":9},{"desc":"a","lat":3,"lon":4,"rad":60.2}]}"#
        )
        let (fences, _) = first.applied(to: [])
        #expect(fences.map(\.identifier) == ["a", "b"] && fences.map(\.radius) == [60, 50])
        #expect(first.applied(to: fences).fences == fences)
        let deletion = try command(#"{"waypoints":[{"desc":"a","lat":-1000000,"lon":0}]}"#)
        #expect(deletion.applied(to: fences).fences.map(\.identifier) == ["b"])
        #expect(deletion.applied(to: fences).removed == ["a"])
        // Only an invalid latitude deletes.
        for members in [#""lat":1,"lon":500,"rad":5"#, #""lat":1,"rad":5"#, #""lat":1,"lon":2,"rad":-5"#] {
            let list = #"{"waypoints":[{"desc":"b","lat":1,"lon":2,"rad":50},{"desc":"a",\#(members)}]}"#
            #expect(RemoteFenceChange(try JSONValue(parsing: Array(list.utf8))) == nil, "\(members)")
        }
        let replacement = try command(#"{"replace":true,"waypoints":[{"desc":"c","lat":1,"lon":2,"rad":50}]}"#)
        #expect(replacement.applied(to: fences).fences.map(\.identifier) == ["c"])
        #expect(replacement.applied(to: fences).removed == ["a", "b"])
        #expect(FenceHash.text(of: fences) == FenceHash.text(of: fences.reversed()))
        #expect(FenceHash.text(of: fences) != FenceHash.text(of: []))
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"_type":"location"}"#, #"{"_type":"cmd"}"#, #"{"_type":"cmd","action":5}"#,
        String(repeating: "[", count: 100),
    ])
    func `other messages are refused without an action`(text: String) {
        guard case .refused(action: "", _) = OwnTracksCommand(Array(text.utf8)) else {
            Issue.record("accepted: \(text)")
            return
        }
    }

    @Test func `a command of more than 256 KiB is refused`() {
        let bytes = Array(repeating: UInt8(ascii: " "), count: OwnTracksCommand.maxLength + 1)
        #expect(OwnTracksCommand(bytes) == .refused(action: "", reason: "the command is longer than 262144 bytes"))
    }

    @Test(arguments: [
        #""action":"setConfiguration""#, #""action":"dump""#, #""action":"setWaypoints""#,
        #""action":"setWaypoints","waypoints":{"waypoints":[{"desc":"a","lat":1,"lon":2,"rad":0}]}"#,
        #""action":"setWaypoints","waypoints":{"waypoints":[{"desc":"a","lat":1,"lon":2,"rad":1e99}]}"#,
        #""action":"setWaypoints","waypoints":{"waypoints":[{"lat":1,"lon":2,"rad":5}]}"#,
        #""action":"setWaypoints","waypoints":{"waypoints":[{"desc":"a","lat":1,"lon":2,"rad":5,"tst":-1}]}"#,
        #""action":"setWaypoints","waypoints":{"waypoints":[{"desc":"a","lat":1,"lon":2,"rad":5,"tst":"x"}]}"#,
        #""action":"setWaypoints","waypoints":{"waypoints":[{"desc":"a","lat":1,"lon":2,"rad":5,"tst":253402300800}]}"#,
    ])
    func `other actions and fences that are not valid are refused`(members: String) throws {
        let text = #"{"_type":"cmd",\#(members)}"#
        guard case .refused = OwnTracksCommand(Array(text.utf8)) else {
            Issue.record("accepted: \(text)")
            return
        }
    }

    @Test func `the refusal of too many fences states the limit`() throws {
        let fence = #"{"desc":"a","lat":1,"lon":2,"rad":5}"#
        let list = Array(repeating: fence, count: RemoteFenceChange.maxCount + 1).joined(separator: ",")
        let text = #"{"_type":"cmd","action":"setWaypoints","waypoints":{"waypoints":[\#(list)]}}"#
        let command = OwnTracksCommand(Array(text.utf8))
        let reason = "the command has 1001 waypoints; send at most 1000 at once"
        #expect(command == .refused(action: "setWaypoints", reason: reason))
    }

    @Test func `Home Assistant gets a tracker without a state topic, and both coordinates with an accuracy`() throws {
        let home = HomeAssistant(device: "Van 1/a", name: "Van", statusTopic: "owntracks/jane/van")
        #expect(home.configurationTopic == "homeassistant/device/sextant_Van_1_a/config")
        let tracker = home.configuration(version: "1")["cmps"]?["location"]
        #expect(tracker?["state_topic"] == nil && tracker?["p"] == "device_tracker")
        #expect(tracker?["json_attributes_topic"] == .string(home.attributesTopic))
        // The will of OwnTracks, retained, is also that of Home Assistant.
        #expect(
            home.configuration(version: "1")["availability"] == [
                ["topic": .string(home.availabilityTopic)],
                [
                    "topic": "owntracks/jane/van",
                    "value_template": "{{ 'offline' if value_json._type == 'lwt' else 'online' }}",
                ],
            ])
        #expect(home.configuration(version: "1")["availability_mode"] == "all")
        let attributes = home.attributes(try point())
        #expect(attributes["latitude"]?.double == 48.1234568 && attributes["longitude"]?.double == -11.9876543)
        #expect(attributes["gps_accuracy"] == 5)
    }

    @Test func `a position has the accuracy of its altitude, rounded up, and the mode of the device`() throws {
        let messages = OwnTracks(user: "jane", device: "van")
        var point = try point()
        #expect(
            messages.location(point, sequence: 1)["vac"] == nil && messages.location(point, sequence: 1)["m"] == nil)
        point.verticalAccuracy = 6.1
        #expect(messages.location(point, sequence: 1, of: DeviceState(mode: .move))["vac"] == 7)
        #expect(messages.location(point, sequence: 1, of: DeviceState(mode: .move))["m"] == 2)
        #expect(messages.location(point, sequence: 1, of: DeviceState(mode: .significant))["m"] == 1)
        point.verticalAccuracy = .nan
        #expect(messages.location(point, sequence: 1)["vac"] == nil)
        point.verticalAccuracy = 6.1
        #expect(try #require(FleetPoint(packed: point.packed)).verticalAccuracy == nil)
        point.altitude = nil
        #expect(messages.location(point, sequence: 1)["vac"] == nil)
    }

    @Test func `a present position has battery and fences, a late one the time of its message`() throws {
        let messages = OwnTracks(user: "jane", device: "van")
        let point = try point()
        var state = DeviceState(
            battery: Battery(capacity: "87", status: "Charging"), network: .mobile, fences: [FenceName("home", of: "m")]
        )
        let unknown = messages.location(point, sequence: 1, of: state)
        #expect(unknown["batt"] == nil && unknown["inregions"] == nil && unknown["created_at"] == nil)
        state.time = point.time.advanced(by: .seconds(60))
        let present = messages.location(point, sequence: 1, of: state)
        #expect(present["batt"] == 87 && present["bs"] == 2 && present["created_at"] == nil)
        #expect(present["inregions"]?.array == ["home"] && present["conn"] == "m")
        #expect(present["inrids"]?.array == [.string(FenceName("home", of: "m").regionID)])
        #expect(Traccar.query(point, device: "x", sequence: 1, of: state).hasSuffix("&batt=87&charge=true"))
        let battery = Traccar.body(point, device: "x", sequence: 1, of: state)["location"]?["battery"]
        #expect(battery?["level"] == 0.87 && battery?["is_charging"] == true)
        state.time = point.time.advanced(by: .seconds(61))
        let late = messages.location(point, sequence: 1, of: state)
        #expect(late["batt"] == nil && late["inregions"] == nil && late["conn"] == nil)
        #expect(late["created_at"]?.int == point.seconds + 61)
        #expect(Traccar.body(point, device: "x", sequence: 1, of: state)["location"]?["battery"] == nil)
    }

    @Test(arguments: [
        ("100", "Full", Battery(level: 100, state: .full)), ("0", "Discharging", Battery(level: 0, state: .unplugged)),
        ("55", "Not charging", Battery(level: 55, state: .charging)), ("5", "?", Battery(level: 5, state: .unknown)),
        ("101", "Full", nil), ("-1", "Full", nil), ("", "Full", nil), ("1e1", "Full", nil),
    ])
    func `the kernel's attributes of a battery are read`(capacity: String, status: String, battery: Battery?) {
        #expect(Battery(capacity: capacity, status: status) == battery)
    }

    @Test func `Traccar gets knots and seconds, and all six coordinates in JSON`() throws {
        let query = Traccar.query(try point(), device: "a b&c", sequence: 3, attributes: [("event", "enter")])
        #expect(
            query == "id=a%20b%26c&lat=48.1234568&lon=-11.9876543&timestamp=1800000000&accuracy=5&sequence=3"
                + "&altitude=512.4&speed=27.02&bearing=271.6&event=enter")
        var bare = try point()
        bare.speed = nil
        bare.course = nil
        bare.altitude = nil
        let body = Traccar.body(bare, device: "x", sequence: 1)
        #expect(
            body["location"]?["coords"]?.object?.keys.sorted()
                == ["accuracy", "altitude", "heading", "latitude", "longitude", "speed"])
        #expect(body["location"]?["coords"]?["speed"] == -1.0)
        #expect(body["location"]?["timestamp"] == "2027-01-15T08:00:00.700Z")
    }

    @Test(arguments: [
        ("mqtt://broker", "broker", 1883), ("mqtts://10.0.0.1:8884", "10.0.0.1", 8884),
        ("mqtt://[::1]:1884", "::1", 1884),
        ("mqtt://[fe80::1%eth0]", "fe80::1%eth0", 1883), ("traccar+http://t", "t", 5055), ("MQTT://b_1/", "b_1", 1883),
        ("owntracks+https://r/pub2", "r", 443),
    ])
    func `destinations are read`(text: String, host: String, port: Int) throws {
        let destination = try Destination(text)
        #expect(destination.host == host && destination.port == port)
    }

    @Test(arguments: [
        "", "broker", "http://a", "mqtt://", "mqtt://a:0", "mqtt://a:x", "mqtt://a:70000", "mqtt://a:", "mqtt://::1",
        "mqtt://[::1",
        "mqtt://::1]:5", "mqtt://[a]", "mqtt://[::1]5", "mqtt://a%20b", "mqtt://a\\b", "mqtt://a:+5", "mqtt://a b",
    ])
    func `other texts are no destinations`(text: String) {
        #expect(throws: Destination.Invalid(text: text)) { try Destination(text) }
    }

    @Test(arguments: [
        ("mqtt://u@b", Destination.Invalid.Reason.user), ("traccar+http://u:p@b/x?y", .user), ("mqtt://b?x=y", .query),
        ("owntracks+http://b/pub?u=a", .query), ("traccar+http://b#x", .query), ("mqtts://b:1/x", .path),
    ])
    func `parts that no destination has are named`(text: String, reason: Destination.Invalid.Reason) {
        #expect(throws: Destination.Invalid(text: text, reason: reason)) { try Destination(text) }
    }

    @Test func `HTTP destinations have a path`() throws {
        let secret = try Destination("owntracks+https://r:8083/token-1")
        #expect(!secret.fileName.contains("token"))
        let other = try Destination("owntracks+https://r:8083/token-2")
        #expect(secret.fileName != other.fileName)
        #expect(secret.formerFileName == "owntracks-https-r-8083-token-1")
        #expect(try Destination("mqtt://r").fileName == "mqtt-r-1883")
        #expect(try Destination("owntracks+http://r:8083").httpURL() == "http://r:8083/pub")
        #expect(try Destination("traccar+https://[::1]/x").httpURL() == "https://[::1]:443/x")
    }
}
