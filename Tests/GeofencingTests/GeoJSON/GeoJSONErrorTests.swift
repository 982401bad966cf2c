import Testing

@testable import Geofencing

@Suite struct GeoJSONErrorTests {
    @Test(arguments: [
        (
            #"{"identifier":"home"}"#,
            "properties.radius: the value is missing; a Point needs the radius of its circle, in metres: "
                + "\"radius\": 100"
        ),
        (
            #"{"identifier":"home","radius":"50"}"#,
            "properties.radius: must be a number of metres above 0 and at most 1000000"
        ),
        (
            #"{"identifier":"home","radius":0}"#,
            "properties.radius: must be a number of metres above 0 and at most 1000000"
        ),
        (
            #"{"identifier":"home","radius":1e300}"#,
            "properties.radius: must be a number of metres above 0 and at most 1000000"
        ),
        (
            #"{"identifier":"home","radius":5,"dwell":-1}"#,
            "properties.dwell: must be a number of seconds above 0 and at most 31536000 (one year)"
        ),
        (
            #"{"identifier":"home","radius":5,"expiry":"soon"}"#,
            "properties.expiry: must be an RFC 3339 time, such as \"2026-12-31T23:59:59Z\""
        ),
        (
            #"{"identifier":"home","radius":5,"assuming":"unmonitored"}"#,
            "properties.assuming: must be \"satisfied\" (inside), \"unsatisfied\" (outside) or \"unknown\""
        ),
    ])
    func `an invalid property is reported`(properties: String, reason: String) {
        #expect(Sample.error(for: Sample.collection(Sample.point(properties))) == "feature 1 (\"home\"): \(reason)")
        #expect(Sample.error(for: Sample.point(properties)) == "feature \"home\": \(reason)")
    }

    @Test(arguments: [
        ("[]", "a polygon needs at least one ring"),
        ("7", "a polygon must be an array of rings, the outer one first"),
        ("[[[0,0],[1,0],[0,0]]]", "a ring needs at least four positions, and the last must equal the first"),
        ("[[[0,0],[1,0],[1,1],[0,1]]]", "a ring is not closed; repeat its first position at the end"),
        ("[[[0,0],[1,0],[1,0],[0,0]]]", "a ring needs at least three different positions"),
        ("[[[0,0],[1],[1,1],[0,0]]]", "a position must be an array of two numbers, longitude and latitude"),
        ("[[[0,0],[2,0],[1,0],[0,0]]]", "the line encloses no area"),
        ("[[[0,0],[2,0],[1,1],[0,0]],[[5,5],[6,5],[6,6],[5,5]]]", "hole 1 lies at least partly outside the outer ring"),
        ("[[[0,0],[48,95],[1,1],[0,0]]]", "[48.0, 95.0] is not a position in degrees; put the longitude first"),
        (
            "[[[0,0],[1286000,6130000],[1,1],[0,0]]]",
            "[1286000.0, 6130000.0] is not a position in degrees; use longitude, latitude in degrees, WGS-84"
        ),
    ])
    func `an invalid polygon is reported`(coordinates: String, reason: String) {
        let text = Sample.collection(Sample.home, Sample.polygon(coordinates))
        #expect(Sample.error(for: text) == "feature 2 (\"area\"): geometry.coordinates: \(reason)")
    }

    @Test func `several shapes in one feature are reported`() {
        let two = "[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,0],[6,0],[6,1],[5,0]]]]"
        #expect(
            Sample.error(for: Sample.polygon(two, type: "MultiPolygon"))
                == "feature \"area\": geometry.coordinates: there are 2 separate areas, but a condition has one; "
                + "make a separate feature of each")
        let places = Sample.feature(#"{"type":"MultiPoint","coordinates":[[1,2]]}"#, properties: #"{"identifier":"x"}"#)
        #expect(
            Sample.error(for: places)
                == "feature \"x\": geometry.type: a MultiPoint has several shapes; make a separate feature of each")
        let lines = #"{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[[2,2],[3,3]]]}"#
        let apart = Sample.error(for: Sample.feature(lines, properties: #"{"identifier":"x","width":5}"#))
        #expect(apart?.contains("each line must begin where the previous one ends") == true)
    }

    @Test func `a duplicate identifier is reported`() {
        #expect(
            Sample.error(
                for: Sample.collection(Sample.home, Sample.polygon("[[[0,0],[1,0],[1,1],[0,0]]]"), Sample.home))
                == "feature 3 (\"home\"): properties.identifier: feature 1 already has this name; names must be unique")
    }

    @Test func `a missing or invalid identifier is reported`() {
        let missing = "feature 1: properties.identifier: the name is missing; add one: \"identifier\": \"home\""
        #expect(Sample.error(for: Sample.collection(Sample.point(#"{"radius":5}"#))) == missing)
        let empty = Sample.error(for: Sample.point(#"{"radius":5,"identifier":""}"#))
        #expect(empty == "properties.identifier: a name must have 1 to 255 bytes; this one has 0")
        #expect(
            Sample.error(for: Sample.point(#"{"radius":5,"identifier":{}}"#))
                == "properties.identifier: a name must be a string")
    }

    @Test func `a malformed document is reported`() {
        let broken = Sample.error(for: "{\"type\":\"Feature\",\n \"geometry\"}")
        #expect(broken == "invalid JSON at line 2, column 12: unexpected character")
        #expect(
            Sample.error(for: "")
                == "invalid JSON at line 1, column 1: the text ends inside a value; the file may be truncated")
        #expect(Sample.error(for: "[]")?.hasPrefix("type: GeoJSON must be an object") == true)
        #expect(Sample.error(for: #"{"type":"Topology"}"#)?.contains("the name is missing") == true)
        #expect(
            Sample.error(for: #"{"type":"FeatureCollection"}"#)
                == "features: a FeatureCollection must have an array \"features\"")
        #expect(
            Sample.error(for: Sample.collection("7"))
                == "feature 1: type: this is not a Feature; wrap a geometry in {\"type\": \"Feature\", ...}")
    }

    @Test func `a feature without a geometry is reported`() {
        #expect(
            Sample.error(for: Sample.feature("null", properties: #"{"identifier":"nowhere"}"#))
                == "feature \"nowhere\": geometry: a condition needs a geometry: a Point, a Polygon or a LineString")
    }

    @Test func `sizes are limited`() {
        let long = "[[" + (0..<1001).map { "[\(Double($0) / 1000),\($0 % 2)]" }.joined(separator: ",") + ",[0.0,0]]]"
        #expect(Sample.error(for: Sample.polygon(long))?.contains("1001 points are too many (at most 1000)") == true)
        let wordy = Sample.point(#"{"identifier":"x","radius":5,"story":"\#(String(repeating: "a", count: 4096))"}"#)
        #expect(Sample.error(for: wordy)?.contains("exceed 4096 bytes") == true)
        let named = Sample.point(#"{"identifier":"\#(String(repeating: "n", count: 256))","radius":5}"#)
        #expect(Sample.error(for: named)?.contains("a name must have 1 to 255 bytes; this one has 256") == true)
    }

    /// Untrusted input must not stop the program: every truncation and every changed byte is
    /// accepted or rejected.
    @Test func `no input traps`() {
        let parts = "[[[[170,-5],[180,-5],[180,5],[170,5],[170,-5]]],[[[-180,5],[-180,-5],[-170,0],[-180,5]]]]"
        let text = Array(Sample.collection(Sample.home, Sample.polygon(parts, type: "MultiPolygon")).utf8)
        for index in text.indices {
            _ = try? FeatureCollection(parsing: Array(text[..<index]))
            for byte: UInt8 in [UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "]"), UInt8(ascii: "e"), 0] {
                var changed = text
                changed[index] = byte
                guard let read = try? FeatureCollection(parsing: changed) else { continue }
                #expect(throws: Never.self) { try FeatureCollection(read.json) }
            }
        }
    }
}
