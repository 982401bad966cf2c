/// The energy cost of a day and the quality of its updates.
package struct RehearsalSummary: Sendable, Equatable, Codable {
    /// Energy in joules that the receiver used, according to the figures of its chip.
    package var energyJoules: Double
    /// Energy in joules that the receiver would have used without power management.
    package var alwaysOnEnergyJoules: Double
    /// Seconds during which the receiver's engine ran.
    package var receiverOnSeconds: Double
    /// The number of epochs with a position that the daemon read.
    package var fixes: Int
    /// The number of daemon wakeups, caused by the line or the timer.
    package var hostWakeups: Int
    /// The number of those wakeups while every stream was paused.
    package var hostWakeupsAtRest: Int
    /// Seconds during which every stream was paused because the device was stationary.
    package var stationarySeconds: Double
    /// Seconds from each true departure with paused streams to the update that resumed the last of
    /// them.
    package var resumeDelays: [Double]
    /// True departures that no update reported.
    package var missedDepartures: Int
    /// How often a stream resumed although the device had not departed.
    package var falseResumes: Int
    /// All fence events, and all true crossings without an event.
    package var events: [FenceResult] = []
    /// Seconds from each true crossing of a fence to its event.
    package var crossingDelays: [Double] = []
    /// True crossings of a fence without an event.
    package var missedCrossings = 0
    /// Fence events that were wrong.
    package var falseCrossings = 0
    /// The simulated seconds.
    package var seconds: Double

    /// The ratio of used energy to that without power management; 0 if the latter is 0.
    package var energyShare: Double { alwaysOnEnergyJoules > 0 ? energyJoules / alwaysOnEnergyJoules : 0 }

    /// The 95th percentile of the crossing delays in seconds; nil without any.
    package var crossingDelay95: Double? {
        let sorted = crossingDelays.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min((sorted.count * 95 + 99) / 100, sorted.count) - 1]
    }

    /// Daemon wakeups per minute while every stream was paused; 0 if there was no such time.
    package var hostWakeupsPerMinuteAtRest: Double {
        stationarySeconds > 0 ? Double(hostWakeupsAtRest) * 60 / stationarySeconds : 0
    }

    /// Daemon wakeups per minute.
    package var wakeupsPerMinute: Double { seconds > 0 ? Double(hostWakeups) * 60 / seconds : 0 }
}
