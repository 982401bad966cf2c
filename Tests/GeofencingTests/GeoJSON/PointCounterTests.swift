import Geofencing
import Testing

@Suite struct PointCounterTests {
    private func ring(_ points: Int) -> String {
        "[" + (0..<points).map { "[11.\($0), 48]" }.joined(separator: ",\n") + "]"
    }

    private func error(in text: String, partSize: Int = 100) -> GeoJSONError? {
        var counter = PointCounter()
        let bytes = Array(text.utf8)
        do throws(GeoJSONError) {
            for start in stride(from: 0, to: bytes.count, by: partSize) {
                try counter.process(bytes[start..<min(start + partSize, bytes.count)])
            }
        } catch {
            return error
        }
        return nil
    }

    @Test(arguments: [1, 100, 1_000_000]) func `a ring with too many points is found in parts of any size`(size: Int) {
        let text = #"{"type":"Polygon","coordinates":[\#(ring(2000))]}"#
        let error = error(in: text, partSize: size)
        #expect(error?.description.contains("more than 1000 points") == true, "\(String(describing: error))")
    }

    /// A closed ring repeats its first position.
    @Test func `a thousand points and a closing one are accepted`() {
        #expect(error(in: #"{"type":"Polygon","coordinates":[\#(ring(1001))]}"#) == nil)
        #expect(error(in: #"{"type":"Polygon","coordinates":[\#(ring(1002))]}"#) != nil)
    }

    @Test func `many features, numbers and strings are no points`() {
        let feature = #"{"type":"Feature","properties":{"note":"[[1],[2"},"geometry":{"coordinates":[1,2]}}"#
        let features = Array(repeating: feature, count: 3000).joined(separator: ",")
        let numbers = Array(repeating: "1", count: 5000).joined(separator: ",")
        let text = #"{"features":[\#(features)],"numbers":[\#(numbers)]}"#
        #expect(error(in: text) == nil)
    }

    @Test func `a bottomless nesting is refused`() {
        #expect(error(in: String(repeating: "[", count: 100_000)) != nil)
    }
}
