import Chronology
import Locator

/// Compares the pauses of the streams with the true departures.
struct ResumeScore: Sendable {
    private let departures: [Instant.Span]
    /// The index of the next departure to process.
    private var next = 0
    private var paused: [Bool]
    /// Which of them have not resumed since the last departure.
    private var pendingResume: [Bool]
    /// Seconds from the last departure to the latest stream that resumed.
    private var delay: Double?
    private var allPausedSince: Instant.Span?
    private(set) var stationary = Instant.Span.zero
    private(set) var delays: [Double] = []
    private(set) var missed = 0
    private(set) var falseResumes = 0

    /// Whether every stream is paused because the device is stationary.
    var allPaused: Bool { allPausedSince != nil }

    init(departures: [Instant.Span], streams: Int) {
        self.departures = departures
        paused = Array(repeating: false, count: streams)
        pendingResume = paused
    }

    mutating func record(_ update: Update, streams: [Int], at now: Instant.Span) {
        processDepartures(until: now)
        for stream in streams where paused.indices.contains(stream) { record(update, stream: stream, at: now) }
        let isEachPaused = !paused.isEmpty && paused.allSatisfy(\.self)
        if let since = allPausedSince, !isEachPaused {
            stationary = stationary + (now - since)
            allPausedSince = nil
        } else if isEachPaused, allPausedSince == nil {
            allPausedSince = now
        }
    }

    mutating func finish(at end: Instant.Span) {
        processDepartures(until: end)
        completeDeparture()
        if let since = allPausedSince { stationary = stationary + (end - since) }
    }

    private mutating func record(_ update: Update, stream: Int, at now: Instant.Span) {
        if update.stationary { return paused[stream] = true }
        guard update.location != nil, paused[stream] else { return }
        paused[stream] = false
        guard pendingResume[stream], next > 0 else { return falseResumes += 1 }
        pendingResume[stream] = false
        delay = (now - departures[next - 1]).seconds
        if !pendingResume.contains(true) { completeDeparture() }
    }

    /// Processes the departures up to `now`.
    private mutating func processDepartures(until now: Instant.Span) {
        while next < departures.count, departures[next] <= now {
            completeDeparture()
            pendingResume = paused
            next += 1
        }
    }

    private mutating func completeDeparture() {
        if pendingResume.contains(true) { missed += 1 } else if let delay { delays.append(delay) }
        delay = nil
        pendingResume = pendingResume.map { _ in false }
    }
}
