import Geofencing
import Testing
import Varlink

@testable import GeoJSON

@Suite struct FeatureFlawTests {
    @Test(arguments: [
        (#"{"identifier":"home"}"#, "properties.radius: it is missing; a Point needs the radius of its circle, in metres: \"radius\": 100"),
        (#"{"identifier":"home","radius":"50"}"#, "properties.radius: it is a number of metres, more than 0 and at most 1000000"),
        (#"{"identifier":"home","radius":0}"#, "properties.radius: it is a number of metres, more than 0 and at most 1000000"),
        (#"{"identifier":"home","radius":1e300}"#, "properties.radius: it is a number of metres, more than 0 and at most 1000000"),
        (
            #"{"identifier":"home","radius":5,"dwell":-1}"#,
            "properties.dwell: it is a number of seconds, more than 0 and at most 31536000, a year"
        ),
        (
            #"{"identifier":"home","radius":5,"expiry":"soon"}"#,
            "properties.expiry: it is a moment as RFC 3339 has it, such as \"2026-12-31T23:59:59Z\""
        ),
        (
            #"{"identifier":"home","radius":5,"assuming":"unmonitored"}"#,
            "properties.assuming: it is \"satisfied\" (inside), \"unsatisfied\" (outside) or \"unknown\""
        ),
    ])
    func ofAProperty(properties: String, reason: String) {
        #expect(Sample.flaw(Sample.collection(Sample.point(properties))) == "feature 1 (\"home\"): \(reason)")
        #expect(Sample.flaw(Sample.point(properties)) == "feature \"home\": \(reason)")
    }

    @Test(arguments: [
        ("[]", "a polygon has a ring"),
        ("7", "a polygon is a list of rings, the outer one first"),
        ("[[[0,0],[1,0],[0,0]]]", "a ring has four positions or more, the last as the first"),
        ("[[[0,0],[1,0],[1,1],[0,1]]]", "a ring is not closed; repeat its first position at its end"),
        ("[[[0,0],[1,0],[1,0],[0,0]]]", "a ring of fewer than three places has no area"),
        ("[[[0,0],[1],[1,1],[0,0]]]", "a position is a list of two numbers, longitude and latitude"),
        ("[[[0,0],[2,0],[1,0],[0,0]]]", "the line encloses nothing"),
        ("[[[0,0],[2,0],[1,1],[0,0]],[[5,5],[6,5],[6,6],[5,5]]]", "hole 1 lies outside the outer ring"),
        ("[[[0,0],[48,95],[1,1],[0,0]]]", "[48.0, 95.0] is no position in degrees; the longitude comes first"),
        ("[[[0,0],[1286000,6130000],[1,1],[0,0]]]", "[1286000.0, 6130000.0] is no position in degrees; longitude, latitude, WGS-84"),
    ])
    func ofAnArea(coordinates: String, reason: String) {
        let text = Sample.collection(Sample.home, Sample.polygon(coordinates))
        #expect(Sample.flaw(text) == "feature 2 (\"area\"): geometry.coordinates: \(reason)")
    }

    @Test func ofAShapeThatIsSeveral() {
        let two = "[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,0],[6,0],[6,1],[5,0]]]]"
        #expect(
            Sample.flaw(Sample.polygon(two, type: "MultiPolygon"))
                == "feature \"area\": geometry.coordinates: it has 2 areas apart from each other, and a condition is one; "
                + "make a feature of each")
        let places = Sample.feature(#"{"type":"MultiPoint","coordinates":[[1,2]]}"#, #"{"identifier":"x"}"#)
        #expect(Sample.flaw(places) == "feature \"x\": geometry.type: a MultiPoint is several places; make a feature of each")
        let lines = #"{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[[2,2],[3,3]]]}"#
        let apart = Sample.flaw(Sample.feature(lines, #"{"identifier":"x","width":5}"#))
        #expect(apart?.contains("do not begin where the one before ends") == true)
    }

    @Test func ofANameThatStandsTwice() {
        #expect(
            Sample.flaw(Sample.collection(Sample.home, Sample.polygon("[[[0,0],[1,0],[1,1],[0,0]]]"), Sample.home))
                == "feature 3 (\"home\"): properties.identifier: feature 1 is called that already; names are unique")
    }

    @Test func ofANameThatIsNone() {
        let missing = "feature 1: properties.identifier: it has no name; give it one: \"identifier\": \"home\""
        #expect(Sample.flaw(Sample.collection(Sample.point(#"{"radius":5}"#))) == missing)
        let empty = Sample.flaw(Sample.point(#"{"radius":5,"identifier":""}"#))
        #expect(empty == "properties.identifier: a name has 1 to 255 bytes, this one 0")
        #expect(Sample.flaw(Sample.point(#"{"radius":5,"identifier":{}}"#)) == "properties.identifier: a name is a text")
    }

    @Test func ofTheWhole() {
        let broken = Sample.flaw("{\"type\":\"Feature\",\n \"geometry\"}")
        #expect(broken == "it is not JSON: line 2, column 12: a character that cannot stand here")
        #expect(Sample.flaw("") == "it is not JSON: line 1, column 1: it ends inside a value; is the file cut short?")
        #expect(Sample.flaw("[]")?.hasPrefix("type: GeoJSON is an object") == true)
        #expect(Sample.flaw(#"{"type":"Topology"}"#)?.contains("no name") == true)
        #expect(Sample.flaw(#"{"type":"FeatureCollection"}"#) == "features: a FeatureCollection has a list \"features\"")
        #expect(Sample.flaw(Sample.collection("7")) == "feature 1: type: it is no Feature; wrap a geometry in {\"type\": \"Feature\", ...}")
    }

    @Test func ofOneWithoutAPlace() {
        #expect(
            Sample.flaw(Sample.feature("null", #"{"identifier":"nowhere"}"#))
                == "feature \"nowhere\": geometry: a condition has a place: a Point, a Polygon or a LineString")
    }

    @Test func sizesAreBounded() {
        let long = "[[" + (0..<1001).map { "[\(Double($0) / 1000),\($0 % 2)]" }.joined(separator: ",") + ",[0.0,0]]]"
        #expect(Sample.flaw(Sample.polygon(long))?.contains("1001 points are too many, 1000 is the most") == true)
        let wordy = Sample.point(#"{"identifier":"x","radius":5,"story":"\#(String(repeating: "a", count: 4096))"}"#)
        #expect(Sample.flaw(wordy)?.contains("more than 4096 bytes") == true)
        let named = Sample.point(#"{"identifier":"\#(String(repeating: "n", count: 256))","radius":5}"#)
        #expect(Sample.flaw(named)?.contains("a name has 1 to 255 bytes, this one 256") == true)
    }

    /// Nothing of what a stranger may write stops the program: every cut and every changed byte of a text is taken or refused.
    @Test func noTextTraps() {
        let parts = "[[[[170,-5],[180,-5],[180,5],[170,5],[170,-5]]],[[[-180,5],[-180,-5],[-170,0],[-180,5]]]]"
        let text = Array(Sample.collection(Sample.home, Sample.polygon(parts, type: "MultiPolygon")).utf8)
        for at in text.indices {
            _ = try? FeatureCollection(parsing: Array(text[..<at]))
            for byte: UInt8 in [UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "]"), UInt8(ascii: "e"), 0] {
                var changed = text
                changed[at] = byte
                guard let read = try? FeatureCollection(parsing: changed) else { continue }
                #expect(throws: Never.self) { try FeatureCollection(read.json) }
            }
        }
    }
}
