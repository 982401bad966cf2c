import Bridges

/// Measurements of this machine's clock, as `sextant time` prints them.
struct TimeSummary: Encodable, Equatable {
    /// The time of the receiver minus that of this machine, in seconds: the median.
    var offset: Double
    /// The standard deviation of the measurements in seconds.
    var jitter: Double
    /// The number of measurements.
    var samples: Int
    /// With what the time of an epoch was compared.
    var moment: TimeSample.Moment

    /// Creates the summary; nil without measurements. All have the same ``TimeSample/moment``.
    init?(_ samples: [TimeSample]) {
        guard let last = samples.last else { return nil }
        let offsets = samples.map(\.offset)
        let sorted = offsets.sorted()
        let middle = sorted.count / 2
        let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        let mean = offsets.reduce(0, +) / Double(offsets.count)
        let variance =
            offsets.count < 2
            ? 0 : offsets.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(offsets.count - 1)
        offset = TimeSummary.microseconds(median)
        jitter = TimeSummary.microseconds(variance.squareRoot())
        self.samples = offsets.count
        moment = last.moment
    }

    /// The summary as text.
    var displayText: String {
        let relation = offset < 0 ? "ahead of" : "behind"
        return
            "this machine is \(TimeSummary.text(offset.magnitude)) \(relation) the receiver; jitter "
            + "\(TimeSummary.text(jitter)), \(samples) samples. The offset includes the delay of \(delayed)"
    }

    private var delayed: String {
        switch moment {
        case .firstByte: "the first byte of its sentences"
        case .endOfSentences: "the end of its sentences"
        }
    }

    private static func microseconds(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }

    private static func text(_ seconds: Double) -> String {
        seconds < 10
            ? "\(DecimalText.text(seconds * 1000, decimals: 1)) ms" : "\(DecimalText.text(seconds, decimals: 1)) s"
    }
}
