import Glibc
import Testing

/// Sets the time zone of the tests to UTC, whatever that of the user is.
struct UTCTrait: SuiteTrait, TestTrait {
    private static let isSet: Void = {
        setenv("TZ", "UTC", 1)
        tzset()
    }()

    let isRecursive = true

    func prepare(for test: Test) async throws { UTCTrait.isSet }
}

extension Trait where Self == UTCTrait {
    /// Texts of these tests have times in UTC.
    static var utc: Self { UTCTrait() }
}
