import Chronology
import Geofencing

/// Compares fence events with the true crossings.
///
/// An event is required if the device then gets at least ``plain`` metres away from the boundary.
/// An event for a shallower crossing is optional. Crossings before the first determination of a
/// fence require no event, because its state was unknown.
struct CrossingScore: Sendable {
    /// Minimum distance from the boundary in metres: three times R68 under an open sky. It is small
    /// compared with the smallest fence that a phone vendor recommends (100 m).
    static let minDepth = 25.0
    /// How long before the true crossing an event may be published, since positions have errors of
    /// metres.
    static let early = Instant.Span.seconds(30)
    /// How long after a shallow crossing its event may be published.
    static let late = Instant.Span.seconds(300)

    private struct ExpectedEvent: Sendable {
        /// The first crossing that was not clearly reversed, and the one that led away from the
        /// boundary.
        var first: Instant.Span
        var last: Instant.Span
        var isEntry: Bool
        var isPublished = false
    }

    private struct Fence: Sendable {
        var identifier: String
        var truth: GroundTruthCrossings
        var expectedEvents: [ExpectedEvent]
        var determined: Instant.Span?
    }

    private let start: UTCTime
    private var fences: [Fence] = []
    private var noted: [(order: Instant.Span, account: FenceResult)] = []
    private(set) var delays: [Double] = []

    init(_ fences: [RehearsedFence], on way: GroundTruthTrack) {
        start = way.start
        self.fences = fences.map { fence in
            let truth = GroundTruthCrossings(of: fence.condition.shape, along: way.legs)
            return Fence(
                identifier: fence.identifier, truth: truth, expectedEvents: CrossingScore.expectedEvents(truth))
        }
    }

    /// All events and all missed crossings in chronological order.
    var accounts: [FenceResult] { noted.map(\.account) }

    func count(_ verdict: FenceResult.Verdict) -> Int { noted.count { $0.account.verdict == verdict } }

    /// Processes an event of the fence with this index, from 0.
    mutating func note(_ event: ConditionEvent, of place: Int, at now: Instant.Span) {
        guard fences.indices.contains(place) else { return }
        var account = FenceResult(
            identifier: fences[place].identifier, kind: event.kind, state: event.state, verdict: .notScored)
        account.told = start.advanced(by: now).description
        account.date = event.date?.description
        switch event.kind {
        case .entered, .left: judge(&account, place, isEntry: event.kind == .entered, at: now)
        case .determined:
            fences[place].determined = fences[place].determined ?? now
            account.verdict = isTrue(event.state, fences[place].truth, at: now)
        case .retracted, .dwelt, .expired: break
        }
        noted.append((now, account))
    }

    /// Ends the day: required crossings without an event are missed.
    mutating func finish() {
        for fence in fences {
            for owed in fence.expectedEvents where !owed.isPublished && owed.last >= fence.determined ?? .zero {
                let kind: ConditionEvent.Kind = owed.isEntry ? .entered : .left
                let state: ConditionState = owed.isEntry ? .satisfied : .unsatisfied
                var account = FenceResult(identifier: fence.identifier, kind: kind, state: state, verdict: .missed)
                account.crossed = start.advanced(by: owed.last).description
                noted.append((owed.last, account))
            }
        }
        // Stable for equal times: published events precede missed crossings.
        noted = noted.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(
            \.element)
    }

    private mutating func judge(_ account: inout FenceResult, _ place: Int, isEntry: Bool, at now: Instant.Span) {
        let fence = fences[place]
        let latest = now + CrossingScore.early
        let crossed = fence.truth.crossings.last { $0.isEntry == isEntry && $0.at <= latest }
        if let crossed,
            let index = fence.expectedEvents.lastIndex(where: { $0.isEntry == isEntry && $0.first <= latest }),
            !fence.expectedEvents[index].isPublished
        {
            fences[place].expectedEvents[index].isPublished = true
            let moment = min(crossed.at, fence.expectedEvents[index].last)
            account.crossed = start.advanced(by: moment).description
            (account.verdict, account.delay) = (.right, (now - moment).seconds)
            delays.append((now - moment).seconds)
        } else {
            account.verdict = crossed.map { now - $0.at < CrossingScore.late } ?? false ? .notScored : .wrong
        }
    }

    /// Compares a determined state with the true one. Close in time to a crossing, either state is
    /// accepted.
    private func isTrue(_ state: ConditionState, _ truth: GroundTruthCrossings, at now: Instant.Span)
        -> FenceResult.Verdict
    {
        let near = truth.crossings.contains { abs(($0.at - now).nanoseconds) < CrossingScore.early.nanoseconds }
        let isInside = truth.crossings.last { $0.at <= now }?.isEntry ?? truth.beginsInside
        switch state {
        case .satisfied where isInside, .unsatisfied where !isInside: return .right
        case .satisfied, .unsatisfied: return near ? .notScored : .wrong
        case .unknown, .unmonitored: return .notScored
        }
    }

    /// Returns the crossings that lead away from the boundary, each once. An entry and exit close
    /// to the boundary cancel each other.
    private static func expectedEvents(_ truth: GroundTruthCrossings) -> [ExpectedEvent] {
        var isInside = truth.beginsInside
        var first: Instant.Span?
        var expectedEvents: [ExpectedEvent] = []
        for crossing in truth.crossings {
            if crossing.isEntry != isInside { first = first ?? crossing.at }
            guard crossing.depth >= minDepth else { continue }
            if crossing.isEntry != isInside {
                expectedEvents.append(
                    ExpectedEvent(first: first ?? crossing.at, last: crossing.at, isEntry: crossing.isEntry))
                isInside = crossing.isEntry
            }
            first = nil
        }
        return expectedEvents
    }
}
