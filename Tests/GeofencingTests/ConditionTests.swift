import Geofencing
import Testing

@Suite struct ConditionTests {
    @Test func `the assumed state is unknown by default`() {
        #expect(FenceCondition(shape: .corridor(path: [], width: 1)).assuming == .unknown)
    }
}
