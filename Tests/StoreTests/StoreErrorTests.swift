import Store
import Testing

@Suite struct StoreErrorTests {
    @Test func itSaysWhatWasBeingDone() {
        #expect("\(StoreError("opening a.db", "disk full", code: 13))" == "opening a.db: disk full")
    }
}
