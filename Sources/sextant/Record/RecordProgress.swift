import Wire

/// How a recording goes, in one line.
struct RecordProgress {
    var receiver: ReceiverMessage?
    var location: LocationMessage?
    /// Written so far.
    var bytes: Int
    var isUnderstood: Bool
    var seconds: Double

    /// "ttyACM0 · 9600 baud · 12.3 KB · 123 sentences, 0 damaged · 3D, ±2.4 m, 9 satellites · 12 s"
    var text: String {
        var parts = [receiver.map { Columns.harmless($0.name) } ?? "", receiver?.baud.map { "\($0) baud" } ?? ""]
        parts.append(isUnderstood ? RecordProgress.size(bytes) : "not understood so far, finding the speed")
        if let counts = receiver?.counts, isUnderstood {
            parts.append("\(Fixed.grouped(counts.sentences)) sentences, \(Fixed.grouped(ReceiverWords.damaged(counts))) damaged")
            parts.append(fix)
        }
        parts.append(TimeText.span(seconds))
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private var fix: String {
        guard let location else { return "no fix" }
        let used = location.satellitesUsed.map { ", \($0) satellites" } ?? ""
        return "\(location.mode.words), ±\(LengthText.metres(location.horizontalAccuracy))\(used)"
    }

    /// "512 bytes", "12.3 KB", "4.5 MB"
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) bytes"
        case ..<1_000_000: Fixed.text(Double(bytes) / 1000, 1) + " KB"
        default: Fixed.text(Double(bytes) / 1_000_000, 1) + " MB"
        }
    }
}
