/// The progress of a long replay on standard error. Short replays and those without a terminal show
/// none.
struct ReplayProgress {
    /// The minimum size in bytes for a progress display. A smaller replay ends before the user can
    /// read it.
    private static let minSize = 8 << 20
    private static let step = 100

    private let file: String
    private let size: Int
    private let isShown: Bool
    private var shown = -1

    init(file: String, size: Int, isShown: Bool) {
        self.file = file
        self.size = size
        self.isShown = isShown && size >= ReplayProgress.minSize
    }

    /// Updates the progress to the number of bytes replayed.
    mutating func advance(to position: Int) {
        guard isShown else { return }
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
