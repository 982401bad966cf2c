import Chronology
import Positioning

/// Which receiver speaks for the device when there are several.
///
/// The present one keeps the word while it has fixes; when it falls silent for two of its periods, the best of the others by R68 takes it.
struct ReceiverChoice: Sendable {
    /// A fix is taken to be the present one for this long, at the least.
    static let shortestHold = Instant.Span.milliseconds(500)

    private var chosen: ReceiverID?

    /// A fix has come; whether it is the device's.
    mutating func offer(_ fix: Fix, from id: ReceiverID, _ tracks: [ReceiverTrack], at now: Instant) -> Bool {
        if chosen == id { return true }
        if let present = tracks.first(where: { $0.id == chosen }), ReceiverChoice.holds(present, at: now) { return false }
        let rivals = tracks.filter { $0.id != id && ReceiverChoice.holds($0, at: now) }
        let accuracy = fix.horizontalAccuracy ?? .infinity
        guard rivals.allSatisfy({ ($0.pipeline.lastFix?.fix.horizontalAccuracy ?? .infinity) >= accuracy }) else { return false }
        chosen = id
        return true
    }

    /// The receiver whose fixes are the device's; another that has them while that one has none; with none chosen, any.
    func present(_ tracks: [ReceiverTrack], at now: Instant) -> ReceiverTrack? {
        let choice = tracks.first { $0.id == chosen }
        if let choice, choice.isFixing(at: now) { return choice }
        return tracks.first { $0.isFixing(at: now) } ?? choice ?? tracks.first { $0.pipeline.lastFixAt != nil }
    }

    private static func holds(_ track: ReceiverTrack, at now: Instant) -> Bool {
        guard let last = track.pipeline.lastFix else { return false }
        return now - last.at < max(shortestHold, .milliseconds(Int64(track.pipeline.period ?? 1000) * 2 + 200))
    }
}

extension ReceiverTrack {
    /// Whether a client that says this means it.
    func answers(to word: String) -> Bool { word == name || word == port }
}
