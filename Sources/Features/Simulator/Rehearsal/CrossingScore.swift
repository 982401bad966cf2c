import Chronology
import Geofencing

/// Compares fence events with the true crossings.
///
/// An event is required if the device then gets at least ``minDepth`` metres away from the
/// boundary. An event for a shallower crossing is optional. Crossings before the first
/// determination of a fence require no event, because its state was unknown.
struct CrossingScore: Sendable {
    /// Minimum distance from the boundary in metres: three times R68 under an open sky. It is small
    /// compared with the smallest fence that a phone vendor recommends (100 m).
    static let minDepth = 25.0
    /// How long before the true crossing an event may be published, since positions have errors of
    /// metres.
    static let maxEarliness = Instant.Span.seconds(30)
    /// How long after a shallow crossing its event may be published.
    static let maxLateness = Instant.Span.seconds(300)

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
        /// The true crossings; nil for a condition without an area, whose events are not scored.
        var truth: GroundTruthCrossings?
        var expectedEvents: [ExpectedEvent]
        var determined: Instant.Span?
    }

    private let start: UTCTime
    private var fences: [Fence] = []
    private var timedResults: [(time: Instant.Span, result: FenceResult)] = []
    /// The delays of correct events in seconds, negative for events before the true crossing.
    private(set) var delays: [Double] = []

    init(_ fences: [RehearsedFence], on track: GroundTruthTrack) {
        start = track.start
        self.fences = fences.map { fence in
            let truth = fence.condition.shape.map { GroundTruthCrossings(of: $0, along: track.legs) }
            return Fence(
                identifier: fence.identifier, truth: truth,
                expectedEvents: truth.map { CrossingScore.expectedEvents(from: $0) } ?? [])
        }
    }

    /// All events and all missed crossings in chronological order.
    var results: [FenceResult] { timedResults.map(\.result) }

    func count(of verdict: FenceResult.Verdict) -> Int { timedResults.count { $0.result.verdict == verdict } }

    /// Processes an event of the fence with this index, from 0.
    mutating func record(_ event: ConditionEvent, ofFence index: Int, at now: Instant.Span) {
        guard fences.indices.contains(index) else { return }
        var result = FenceResult(
            identifier: fences[index].identifier, kind: event.kind, state: event.state, verdict: .notScored)
        result.published = start.advanced(by: now).description
        result.date = event.date?.description
        switch event.kind {
        case _ where fences[index].truth == nil: break
        case .entered, .left: score(&result, ofFence: index, isEntry: event.kind == .entered, at: now)
        case .determined:
            fences[index].determined = fences[index].determined ?? now
            if let truth = fences[index].truth { result.verdict = verdict(on: event.state, truth: truth, at: now) }
        case .retracted, .dwelt, .expired, .moved, .unknown: break
        }
        timedResults.append((now, result))
    }

    /// Ends the day: required crossings without an event are missed.
    mutating func finish() {
        for fence in fences {
            for expected in fence.expectedEvents
            where !expected.isPublished && expected.last >= fence.determined ?? .zero {
                let kind: ConditionEvent.Kind = expected.isEntry ? .entered : .left
                let state: ConditionState = expected.isEntry ? .satisfied : .unsatisfied
                var result = FenceResult(identifier: fence.identifier, kind: kind, state: state, verdict: .missed)
                result.crossed = start.advanced(by: expected.last).description
                timedResults.append((expected.last, result))
            }
        }
        // Stable for equal times: published events precede missed crossings.
        timedResults = timedResults.enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    /// Compares an entry or exit with the true crossings.
    private mutating func score(
        _ result: inout FenceResult, ofFence fenceIndex: Int, isEntry: Bool, at now: Instant.Span
    ) {
        let fence = fences[fenceIndex]
        let latest = now + CrossingScore.maxEarliness
        let crossed = fence.truth?.crossings.last { $0.isEntry == isEntry && $0.time <= latest }
        if let crossed,
            let index = fence.expectedEvents.lastIndex(where: { $0.isEntry == isEntry && $0.first <= latest }),
            !fence.expectedEvents[index].isPublished
        {
            fences[fenceIndex].expectedEvents[index].isPublished = true
            let crossingTime = min(crossed.time, fence.expectedEvents[index].last)
            result.crossed = start.advanced(by: crossingTime).description
            let delay = (now - crossingTime).seconds
            (result.verdict, result.delay) = (.right, delay)
            delays.append(delay)
        } else {
            result.verdict = crossed.map { now - $0.time < CrossingScore.maxLateness } ?? false ? .notScored : .wrong
        }
    }

    /// Compares a determined state with the true one. Close in time to a crossing, either state is
    /// accepted.
    private func verdict(
        on state: ConditionState, truth: GroundTruthCrossings, at now: Instant.Span
    ) -> FenceResult.Verdict {
        let isNearCrossing = truth.crossings.contains {
            abs(($0.time - now).nanoseconds) < CrossingScore.maxEarliness.nanoseconds
        }
        let isInside = truth.crossings.last { $0.time <= now }?.isEntry ?? truth.beginsInside
        switch state {
        case .satisfied where isInside, .unsatisfied where !isInside: return .right
        case .satisfied, .unsatisfied: return isNearCrossing ? .notScored : .wrong
        case .unknown, .unmonitored: return .notScored
        }
    }

    /// Returns the crossings that lead away from the boundary, each once. An entry and exit close
    /// to the boundary cancel each other.
    private static func expectedEvents(from truth: GroundTruthCrossings) -> [ExpectedEvent] {
        var isInside = truth.beginsInside
        var first: Instant.Span?
        var expectedEvents: [ExpectedEvent] = []
        for crossing in truth.crossings {
            if crossing.isEntry != isInside { first = first ?? crossing.time }
            guard crossing.depth >= minDepth else { continue }
            if crossing.isEntry != isInside {
                expectedEvents.append(
                    ExpectedEvent(first: first ?? crossing.time, last: crossing.time, isEntry: crossing.isEntry))
                isInside = crossing.isEntry
            }
            first = nil
        }
        return expectedEvents
    }
}

/// A fence that the rehearsal watches, with its name.
package struct RehearsedFence: Sendable, Equatable {
    /// The name of the fence in the output.
    package var identifier: String
    package var condition: FenceCondition

    /// Creates a fence with this name.
    package init(identifier: String, condition: FenceCondition) {
        (self.identifier, self.condition) = (identifier, condition)
    }
}

/// A fence event compared with the truth, or a crossing without an event.
package struct FenceResult: Sendable, Equatable, Codable {
    /// The result of the comparison.
    package enum Verdict: String, Sendable, Codable {
        /// The event was correct.
        case right
        /// The event was wrong.
        case wrong
        /// A true crossing had no event.
        case missed
        /// The event concerned a shallow crossing or no crossing; it does not count.
        case notScored = "unjudged"
    }

    /// The name of the fence.
    package var identifier: String
    /// The kind of the published or missing event: "entered", "left" and so on, see
    /// `ConditionEvent.Kind`.
    package var kind: String
    /// The state of the fence after the event.
    package var state: String
    /// The result of the comparison with the truth.
    package var verdict: Verdict
    /// When the device was truly on the boundary, RFC 3339. Absent if there is no such crossing.
    package var crossed: String?
    /// When the daemon published the event, RFC 3339. Absent if it did not.
    package var published: String?
    /// The date in the event, RFC 3339.
    package var date: String?
    /// Seconds from the crossing to the event.
    package var delay: Double?

    private enum CodingKeys: String, CodingKey {
        case identifier, kind, state, verdict, crossed, date, delay
        case published = "told"
    }

    init(identifier: String, kind: ConditionEvent.Kind, state: ConditionState, verdict: Verdict) {
        self.identifier = identifier
        self.kind = kind.rawValue
        self.state = state.rawValue
        self.verdict = verdict
    }
}
