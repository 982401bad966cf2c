import Logging
import Synchronization

/// A log whose messages a test reads.
final class LogRecorder: Sendable {
    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { recorder.messages.withLock { $0.append("\(event.message)") } }
    }

    private let messages = Mutex<[String]>([])

    /// The log that writes here.
    var log: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    /// How many messages contain a text.
    func count(_ text: String) -> Int { messages.withLock { $0.count { $0.contains(text) } } }
}
