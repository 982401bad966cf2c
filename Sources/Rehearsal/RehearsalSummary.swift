/// What a day has cost, and how well it was served.
public struct RehearsalSummary: Sendable, Equatable, Codable {
    /// Joules that the receiver has drawn, by the figures of its chip.
    public var energyJoules: Double
    /// Joules that it would have drawn had it been left to itself.
    public var alwaysOnEnergyJoules: Double
    /// Seconds in which its engine ran.
    public var receiverOnSeconds: Double
    /// Epochs with a position that it made and the daemon read.
    public var fixes: Int
    /// Times the daemon was woken, by the line or by its timer.
    public var hostWakeups: Int
    /// Those of them while every stream was silent at rest.
    public var hostWakeupsAtRest: Int
    /// Seconds in which every stream was silent because it had been told that the device rests.
    public var stationarySeconds: Double
    /// Seconds from each true departure that found a stream silent to the update that ended the last such silence.
    public var resumeDelays: [Double]
    /// True departures that no update ever told of.
    public var missedDepartures: Int
    /// Times that a silence ended though the device had not left.
    public var falseResumes: Int
    /// Every event of a fence, and every true crossing that none told of.
    public var events: [FenceAccount] = []
    /// Seconds from each true crossing of a fence to the event that told of it.
    public var crossingDelays: [Double] = []
    /// True crossings of a fence that no event told of.
    public var missedCrossings = 0
    /// Events of a fence that were not so.
    public var falseCrossings = 0
    /// Seconds that were rehearsed.
    public var seconds: Double

    /// What it drew over what it would have drawn; 0 where that is nothing.
    public var energyShare: Double { alwaysOnEnergyJoules > 0 ? energyJoules / alwaysOnEnergyJoules : 0 }

    /// Seconds within which 95 of 100 crossings were told; nil where none was.
    public var crossingDelay95: Double? {
        let sorted = crossingDelays.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min((sorted.count * 95 + 99) / 100, sorted.count) - 1]
    }

    /// Wakeups of the daemon a minute, while every stream was silent at rest; 0 where there was no such time.
    public var hostWakeupsPerMinuteAtRest: Double { stationarySeconds > 0 ? Double(hostWakeupsAtRest) * 60 / stationarySeconds : 0 }

    /// Wakeups of the daemon a minute.
    public var wakeupsPerMinute: Double { seconds > 0 ? Double(hostWakeups) * 60 / seconds : 0 }
}
