import Testing
import Varlink

@testable import Geofencing

@Suite struct MisspeltPropertyTests {
    @Test(arguments: [
        ("expires", "expiry"), ("expire", "expiry"), ("Expiry", "expiry"), ("expiration", "expiry"),
        ("EXPIRES", "expiry"), ("exipry", "expiry"), ("dwel", "dwell"), ("Dwell", "dwell"), ("dwlel", "dwell"),
        ("assumming", "assuming"), ("Identifier", "identifier"), ("identifer", "identifier"),
    ])
    func `a misspelt property is refused with the right name`(actual: String, intended: String) {
        let properties = #"{"radius":5,"\#(actual)":"2030-01-01T00:00:00Z"}"#
        let text = #"{"type":"Feature","id":"home","geometry":{"type":"Point","coordinates":[1,2]},"properties":"#
        #expect(
            Sample.error(for: text + properties + "}")
                == "feature \"home\": properties.\(actual): unknown property; use \"\(intended)\". "
                + "To keep this one as metadata, add \"\(intended)\": null")
    }

    @Test func `a misspelt size is refused where the shape needs one`() {
        let circle = Sample.point(#"{"identifier":"home","raduis":5}"#)
        #expect(Sample.error(for: circle)?.contains("properties.raduis: unknown property; use \"radius\"") == true)
        let line = Sample.feature(
            #"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#, properties: #"{"identifier":"path","Width":5}"#)
        #expect(Sample.error(for: line)?.contains("properties.Width: unknown property; use \"width\"") == true)
    }

    @Test func `other properties stay metadata`() throws {
        let names = [
            "name", "colour", "height", "weight", "depth", "shell", "level", "id", "expert", "assigned",
            "opening_hours",
        ]
        let members = names.map { #""\#($0)":1"# }.joined(separator: ",")
        let feature = try #require(
            try Sample.read(Sample.point(#"{"identifier":"x","radius":5,\#(members)}"#)).first)
        #expect(feature.metadata.keys.sorted() == names.sorted())
    }

    @Test func `a name next to the property that it resembles stays metadata`() throws {
        let text = Sample.point(#"{"identifier":"x","radius":5,"dwell":null,"well":"4a","Radius":"small"}"#)
        let feature = try #require(try Sample.read(text).first)
        #expect(feature.metadata == ["well": "4a", "Radius": "small"] && feature.condition.dwell == nil)
    }
}
