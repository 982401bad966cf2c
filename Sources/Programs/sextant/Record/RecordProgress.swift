import SextantAPI

/// The progress of a recording as one line.
struct RecordProgress {
    var receiver: Receiver?
    var location: Location?
    /// The number of bytes written so far.
    var bytes: Int
    /// Whether the baud rate is detected or given.
    var hasBaudRate: Bool
    var seconds: Double

    /// A line such as "ttyACM0 · 9600 baud · 12.3 KB · 123 sentences, 0 damaged · 3D, ±2.4 m, 9
    /// satellites · 12 s".
    var text: String {
        var parts = [receiver?.name ?? "", receiver?.baud.map { "\($0) baud" } ?? ""]
        parts.append(hasBaudRate ? RecordProgress.size(bytes) : "no valid data yet, detecting the baud rate")
        if let counts = receiver?.counts, hasBaudRate {
            parts.append(
                "\(DecimalText.grouped(counts.sentences)) sentences, "
                    + "\(DecimalText.grouped(ReceiverFormatter.damaged(counts))) damaged"
            )
            parts.append(fix)
        }
        parts.append(TimeText.span(seconds))
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private var fix: String {
        guard let location else { return "no fix" }
        let used = location.satellitesUsed.map { ", \($0) satellites" } ?? ""
        return "\(location.mode.displayText), ±\(LengthText.metres(location.horizontalAccuracy))\(used)"
    }

    /// Returns a size such as "512 bytes", "12.3 KB" or "4.5 MB".
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case 1: "1 byte"
        case ..<1000: "\(bytes) bytes"
        case ..<1_000_000: DecimalText.text(Double(bytes) / 1000, decimals: 1) + " KB"
        default: DecimalText.text(Double(bytes) / 1_000_000, decimals: 1) + " MB"
        }
    }
}
