import Foundation

/// Warnings for the developer of a program, on its standard error, which a service has in the
/// journal.
enum DeveloperWarning {
    /// Gets the warnings of a test instead.
    @TaskLocal static var receiverOfTest: (@Sendable (String) -> Void)?

    /// Writes one line.
    static func write(_ text: String) {
        if let receiverOfTest { return receiverOfTest(text) }
        // write(_:) would end the program if standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data("CoreLocation: \(text)\n".utf8))
    }
}
