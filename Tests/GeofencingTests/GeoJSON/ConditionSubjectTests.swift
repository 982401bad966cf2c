import Chronology
import Testing
import Varlink

@testable import Geofencing

/// Conditions without an area as features without a geometry.
@Suite struct ConditionSubjectTests {
    @Test func `all subjects are written and read`() throws {
        let change = SignificantChange(distance: 1500, interval: .seconds(60))
        let beacon = try #require(BeaconIdentity("F7826DA6-4FA4-4E98-8024-BC5B71E0893E/1"))
        for subject in [ConditionSubject.visits, .significantChange(change), .beacon(beacon)] {
            let expiry = UTCTime(rfc3339: "2027-01-01T00:00:00.000Z")
            let feature = FenceFeature(
                identifier: "a", condition: FenceCondition(subject, expiry: expiry), metadata: ["colour": "red"])
            let written = FeatureCollection(features: [feature]).json
            #expect(written["features"]?.array?.first?["geometry"] == .null)
            #expect(try FeatureCollection(written).features == [feature])
        }
    }

    @Test func `a feature without a geometry and without a subject is refused`() {
        #expect(Sample.error(for: Sample.feature("null", properties: #"{"identifier":"a"}"#))?.isEmpty == false)
        #expect(
            Sample.error(for: Sample.feature("null", properties: #"{"identifier":"a","visits":false}"#))?.isEmpty
                == false)
        let beacon = #"{"identifier":"a","beacon":"F7826DA6"}"#
        #expect(Sample.error(for: Sample.feature("null", properties: beacon))?.contains("UUID/MAJOR") == true)
        let far = #"{"identifier":"a","significantChange":{"distance":1e9}}"#
        #expect(Sample.error(for: Sample.feature("null", properties: far))?.contains("1000000") == true)
    }
}
