/// How far a long replay is, on standard error; nothing for a short one or where nobody looks.
struct ReplayProgress {
    /// Bytes below which a replay is over before a person could read.
    private static let worthwhile = 8 << 20
    private static let step = 100

    private let file: String
    private let size: Int
    private let isShown: Bool
    private var shown = -1

    init(file: String, size: Int, isShown: Bool) {
        self.file = file
        self.size = size
        self.isShown = isShown && size >= ReplayProgress.worthwhile
    }

    /// So many bytes have been played.
    mutating func advance(to position: Int) {
        guard isShown else { return }
        let percent = position / (size / ReplayProgress.step)
        guard percent != shown else { return }
        shown = percent
        StandardError.overwriteLine("\(file): \(min(percent, 100)) % of \(RecordProgress.size(size))")
    }

    /// Takes the line away.
    func end() {
        if shown >= 0 { StandardError.overwriteLine("") }
    }
}
