import Chronology
import Geodesy
import Testing
import Varlink

@testable import Geofencing

@Suite struct FeatureTests {
    @Test func `a point with a radius is a circle`() throws {
        let features = try Sample.read(Sample.collection(Sample.home))
        let center = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
        #expect(
            features == [
                FenceFeature(identifier: "home", condition: FenceCondition(shape: .circle(center: center, radius: 150)))
            ])
    }

    @Test func `a polygon may have holes`() throws {
        let area = try Sample.area(
            Sample.polygon("[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[1,2],[2,2],[1,1]]]"))
        #expect(area.ring == (try Sample.places([(0, 0), (4, 0), (4, 4), (0, 4)])))
        #expect(area.holes == [try Sample.places([(1, 1), (1, 2), (2, 2)])])
    }

    @Test func `a line with a width is a corridor`() throws {
        let line = #"{"type":"LineString","coordinates":[[1,2,30],[1,2,31],[3,4]]}"#
        let features = try Sample.read(Sample.feature(line, properties: #"{"identifier":"road","width":40.5}"#))
        #expect(features.map(\.condition.shape) == [.corridor(path: try Sample.places([(1, 2), (3, 4)]), width: 40.5)])
    }

    @Test func `known properties set the condition and others become metadata`() throws {
        let text = Sample.point(
            ##"{"identifier":"bakery","radius":30,"dwell":90.5,"expiry":"2027-01-01T01:00:00+01:00","##
                + ##""assuming":"satisfied","width":7,"##
                + ##""colour":"#aa0000","open":[1,{"to":null}],"big":9007199254740993}"##)
        let feature = try #require(try Sample.read(text).first)
        #expect(feature.condition.dwell == .milliseconds(90_500) && feature.condition.assuming == .satisfied)
        #expect(feature.condition.expiry?.description == "2027-01-01T00:00:00.000Z")
        let metadata: [String: JSONValue] = [
            "width": 7, "colour": "#aa0000", "open": [1, ["to": nil]], "big": .int(9_007_199_254_740_993),
        ]
        #expect(feature.metadata == metadata)
    }

    @Test func `null properties are absent`() throws {
        let feature = try #require(
            try Sample.read(Sample.point(#"{"identifier":"a","radius":5,"dwell":null,"expiry":null,"assuming":null}"#))
                .first)
        #expect(
            feature.condition.dwell == nil && feature.condition.expiry == nil && feature.condition.assuming == .unknown)
        #expect(feature.metadata.isEmpty)
    }

    @Test func `the identifier is a property, the feature id or the given default`() throws {
        let withID =
            #"{"type":"Feature","id":17,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":5}}"#
        #expect(try Sample.read(withID).map(\.identifier) == ["17"])
        #expect(try Sample.read(withID.replacing("17", with: #""seventeen""#)).map(\.identifier) == ["seventeen"])
        let bare = #"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]]]}"#
        #expect(try Sample.read(bare, unnamed: "park").map(\.identifier) == ["park"])
        #expect(throws: GeoJSONError.self) { try Sample.read(bare) }
        let two = Sample.collection(Sample.feature(bare, properties: "null"), Sample.home)
        #expect(throws: GeoJSONError.self) { try Sample.read(two, unnamed: "park") }
    }

    @Test func `a bare geometry carries its properties itself`() throws {
        let text =
            #"{"type":"Point","coordinates":[11.5,48.1],"bbox":[1,2,3,4],"radius":60,"identifier":"here","by":"hand"}"#
        let feature = try #require(try Sample.read(text).first)
        #expect(feature.identifier == "here" && feature.metadata == ["by": "hand"])
    }

    @Test func `connected lines are joined`() throws {
        let lines = #"{"type":"MultiLineString","coordinates":[[[178,0],[180,1]],[[-180,1],[-178,2]]]}"#
        let features = try Sample.read(Sample.feature(lines, properties: #"{"identifier":"route","width":500}"#))
        #expect(
            features.map(\.condition.shape) == [
                .corridor(path: try Sample.places([(178, 0), (180, 1), (-178, 2)]), width: 500)
            ])
    }

    @Test func `a byte order mark is skipped`() throws {
        let text = [0xEF, 0xBB, 0xBF] + Array(Sample.home.utf8)
        #expect(try FeatureCollection(parsing: text).features.count == 1)
    }

    @Test func `an empty collection is valid`() throws {
        #expect(try Sample.read(Sample.collection()).isEmpty)
    }

    @Test func `written features read back equal`() throws {
        let text = Sample.collection(
            Sample.home, Sample.polygon("[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[1,2],[2,2],[1,1]]]"),
            Sample.feature(
                #"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#,
                properties: #"{"identifier":"road","width":0.5,"lanes":2}"#),
            Sample.point(
                #"{"identifier":"x","radius":30,"dwell":90.5,"expiry":"2027-01-01T00:00:00Z","assuming":"unsatisfied"}"#
            ))
        let read = try FeatureCollection(parsing: Array(text.utf8))
        let again = try FeatureCollection(parsing: read.json.bytes)
        #expect(again == read && again.json == read.json)
    }

    @Test func `positions have seven decimals and rings the RFC 7946 orientation`() throws {
        let clockwise = Polygon(
            ring: try Sample.places([(-0.000000004, 0), (0, 1.123456789), (1, 1)]), holes: [])
        let written = try Sample.roundTrip(clockwise).written
        let ring = "[[1.0,1.0],[0.0,1.1234568],[0.0,0.0],[1.0,1.0]]"
        #expect(String(decoding: written.bytes, as: UTF8.self) == #"{"coordinates":[\#(ring)],"type":"Polygon"}"#)
    }
}
