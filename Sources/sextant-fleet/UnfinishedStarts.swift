import FleetStore
import Store

/// Recognises a message of the broker that ends the program at each start, such as a retained one
/// that is larger than its memory limit.
///
/// libmosquitto reads a whole message before the program learns of its length. So the program
/// counts on disk the starts that end between a connection and the first acknowledgement.
/// After two of them, commands are not received until the program has ended in order.
struct UnfinishedStarts {
    private static let limit: Int64 = 2

    private let settings: OutboxSettings
    private let earlier: Int64
    private var isCounted = false

    /// Reads the number of earlier starts.
    init(_ settings: OutboxSettings) throws(StoreError) {
        self.settings = settings
        earlier = try settings.value(.unfinishedStarts) ?? 0
    }

    /// Whether the program may receive messages of the broker.
    var allowsCommands: Bool { earlier < UnfinishedStarts.limit }

    /// Counts this start, when the broker begins to send.
    mutating func begin() throws(StoreError) {
        guard allowsCommands, !isCounted else { return }
        isCounted = true
        try settings.set(.unfinishedStarts, earlier + 1)
    }

    /// Records that the program has survived the messages that waited.
    mutating func finish() throws(StoreError) {
        guard isCounted else { return }
        isCounted = false
        try settings.set(.unfinishedStarts, 0)
    }

    /// Records that the program ends in order: the next start receives commands again.
    func end() throws(StoreError) {
        guard isCounted || !allowsCommands else { return }
        try settings.set(.unfinishedStarts, 0)
    }
}
