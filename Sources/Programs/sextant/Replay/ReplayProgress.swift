/// The progress of a long replay on standard error. Short replays and those without a terminal show
/// none.
struct ReplayProgress {
    /// The minimum size in bytes for a progress display. A smaller replay ends before the user can
    /// read it.
    private static let minSize = 8 << 20
    private static let step = 100

    private let file: String
    private let isShown: Bool
    private var shown = -1

    init(file: String, isShown: Bool) {
        self.file = file
        self.isShown = isShown
    }

    /// Updates the progress to the number of bytes replayed, of a file of this size in bytes; 0 if
    /// unknown.
    mutating func advance(to position: Int, of size: Int) {
        guard isShown, size >= ReplayProgress.minSize else { return }
        let percent = position / (size / ReplayProgress.step)
        guard percent != shown else { return }
        shown = percent
        StandardError.overwriteLine("\(file): \(min(percent, 100)) % of \(RecordProgress.size(size))")
    }

    /// Clears the progress line.
    func end() {
        if shown >= 0 { StandardError.overwriteLine("") }
    }
}
