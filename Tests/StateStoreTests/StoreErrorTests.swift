import SQLite
import Testing

@Suite struct StoreErrorTests {
    @Test func `the description names the failed operation`() {
        #expect("\(StoreError("opening a.db", reason: "disk full", code: 13))" == "opening a.db: disk full")
    }
}
