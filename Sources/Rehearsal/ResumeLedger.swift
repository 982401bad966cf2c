import Chronology
import Delivery

/// Holds the streams' silences against the true departures.
struct ResumeLedger: Sendable {
    private let departures: [Instant.Span]
    private var next = 0
    /// The streams that are silent, and those among them that a departure waits for.
    private var silent: [Bool]
    private var awaited: [Bool]
    private var delay: Double?
    private var allSilentSince: Instant.Span?
    private(set) var stationary = Instant.Span.zero
    private(set) var delays: [Double] = []
    private(set) var missed = 0
    private(set) var falseResumes = 0

    /// Whether every stream is silent because it was told that the device rests.
    var isSilent: Bool { allSilentSince != nil }

    init(_ departures: [Instant.Span], streams: Int) {
        self.departures = departures
        silent = Array(repeating: false, count: streams)
        awaited = silent
    }

    /// Some streams were told something.
    mutating func note(_ update: Update, streams: [Int], at now: Instant.Span) {
        pass(to: now)
        for stream in streams where silent.indices.contains(stream) { note(update, stream, now) }
        let isAllSilent = !silent.isEmpty && silent.allSatisfy(\.self)
        if let since = allSilentSince, !isAllSilent {
            stationary = stationary + (now - since)
            allSilentSince = nil
        } else if isAllSilent, allSilentSince == nil {
            allSilentSince = now
        }
    }

    /// It is over.
    mutating func finish(at end: Instant.Span) {
        pass(to: end)
        settle()
        if let since = allSilentSince { stationary = stationary + (end - since) }
    }

    private mutating func note(_ update: Update, _ stream: Int, _ now: Instant.Span) {
        if update.stationary { return silent[stream] = true }
        guard update.location != nil, silent[stream] else { return }
        silent[stream] = false
        guard awaited[stream], next > 0 else { return falseResumes += 1 }
        awaited[stream] = false
        delay = (now - departures[next - 1]).seconds
        if !awaited.contains(true) { settle() }
    }

    /// Takes note of the departures up to now.
    private mutating func pass(to now: Instant.Span) {
        while next < departures.count, departures[next] <= now {
            settle()
            awaited = silent
            next += 1
        }
    }

    /// The last departure's account is closed.
    private mutating func settle() {
        if awaited.contains(true) { missed += 1 } else if let delay { delays.append(delay) }
        delay = nil
        awaited = awaited.map { _ in false }
    }
}
