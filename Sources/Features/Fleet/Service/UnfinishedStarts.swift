import SQLite

/// Recognises a message of the broker that ends the program at each start, such as a retained one
/// that is larger than its memory limit.
///
/// libmosquitto reads a whole message before the program learns of its length. So the program
/// counts on disk the starts that end between a connection and the first acknowledgement.
/// After two of them in a row, the next start receives no commands. A power cut at such a moment
/// counts like that message, so the start after one without commands tries once more.
struct UnfinishedStarts {
    private static let limit: Int64 = 2

    private let settings: OutboxSettings
    /// The number of earlier starts in a row that have not survived.
    private var earlier: Int64
    private var isCounted = false
    /// Whether the program may receive messages of the broker.
    let allowsCommands: Bool

    /// Reads the number of earlier starts.
    init(_ settings: OutboxSettings) throws(StoreError) {
        self.settings = settings
        earlier = try settings.value(.unfinishedStarts) ?? 0
        allowsCommands = earlier < UnfinishedStarts.limit
    }

    /// Counts this start, when the broker begins to send.
    mutating func begin() throws(StoreError) {
        guard allowsCommands, !isCounted else { return }
        isCounted = true
        try settings.set(.unfinishedStarts, earlier + 1)
    }

    /// Records that the program has survived the messages that waited, or works without them.
    mutating func finish() throws(StoreError) {
        let survived = allowsCommands ? 0 : UnfinishedStarts.limit - 1
        guard isCounted || earlier > survived else { return }
        isCounted = false
        earlier = survived
        try settings.set(.unfinishedStarts, survived)
    }

    /// Records that the program ends in order: the next start receives commands again.
    func end() throws(StoreError) {
        guard isCounted || !allowsCommands else { return }
        try settings.set(.unfinishedStarts, 0)
    }
}
