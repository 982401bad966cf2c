import Geofencing
import Testing

@Suite struct ConditionTests {
    @Test func nothingIsAssumedUnlessSaid() {
        #expect(Condition(shape: .corridor(path: [], width: 1)).assuming == .unknown)
    }
}
