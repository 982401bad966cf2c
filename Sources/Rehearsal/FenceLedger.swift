import Chronology
import Geofencing

/// Holds what was told of the fences against the true crossings.
///
/// A crossing is owed where the device then gets away from the boundary by ``plain`` metres; one that is less is a step that an honest
/// daemon may tell of or not. What was before a fence was first determined is not owed either: nothing was known yet.
struct FenceLedger: Sendable {
    /// Metres: three times R68 under an open sky, half of the smallest area that a phone's maker recommends (100 m).
    static let plain = 25.0
    /// A crossing may be told so long before it is truly one: positions are beside the truth by metres.
    static let early = Instant.Span.seconds(30)
    /// A step over the boundary may be told of so long after.
    static let late = Instant.Span.seconds(300)

    private struct Owed: Sendable {
        /// The first step over the boundary that was not plainly taken back, and the one that led away from it.
        var first: Instant.Span
        var last: Instant.Span
        var isEntry: Bool
        var isTold = false
    }

    private struct Fence: Sendable {
        var identifier: String
        var truth: TrueCrossings
        var owed: [Owed]
        var determined: Instant.Span?
    }

    private let start: UTCTime
    private var fences: [Fence] = []
    private var noted: [(order: Instant.Span, account: FenceAccount)] = []
    private(set) var delays: [Double] = []

    init(_ fences: [RehearsedFence], on way: TrueWay) {
        start = way.start
        self.fences = fences.map { fence in
            let truth = TrueCrossings(of: fence.condition.shape, along: way.legs)
            return Fence(identifier: fence.identifier, truth: truth, owed: FenceLedger.owed(truth))
        }
    }

    /// Everything told and everything missed, in the order in which it was told or happened.
    var accounts: [FenceAccount] { noted.map(\.account) }

    func count(_ verdict: FenceAccount.Verdict) -> Int { noted.count { $0.account.verdict == verdict } }

    /// Something was told of a fence, counted from 0.
    mutating func note(_ event: ConditionEvent, of place: Int, at now: Instant.Span) {
        guard fences.indices.contains(place) else { return }
        var account = FenceAccount(identifier: fences[place].identifier, kind: event.kind, state: event.state, verdict: .unjudged)
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

    /// The day is over: what was owed and not told is missed.
    mutating func finish() {
        for fence in fences {
            for owed in fence.owed where !owed.isTold && owed.last >= fence.determined ?? .zero {
                let kind: ConditionEvent.Kind = owed.isEntry ? .entered : .left
                let state: ConditionState = owed.isEntry ? .satisfied : .unsatisfied
                var account = FenceAccount(identifier: fence.identifier, kind: kind, state: state, verdict: .missed)
                account.crossed = start.advanced(by: owed.last).description
                noted.append((owed.last, account))
            }
        }
        // Equal moments keep their order: what was told comes before what was missed.
        noted = noted.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element)
    }

    private mutating func judge(_ account: inout FenceAccount, _ place: Int, isEntry: Bool, at now: Instant.Span) {
        let fence = fences[place]
        let latest = now + FenceLedger.early
        let crossed = fence.truth.crossings.last { $0.isEntry == isEntry && $0.at <= latest }
        if let crossed, let at = fence.owed.lastIndex(where: { $0.isEntry == isEntry && $0.first <= latest }), !fence.owed[at].isTold {
            fences[place].owed[at].isTold = true
            let moment = min(crossed.at, fence.owed[at].last)
            account.crossed = start.advanced(by: moment).description
            (account.verdict, account.delay) = (.right, (now - moment).seconds)
            delays.append((now - moment).seconds)
        } else {
            account.verdict = crossed.map { now - $0.at < FenceLedger.late } ?? false ? .unjudged : .wrong
        }
    }

    /// Whether a state that was found is the true one; within a step of the boundary either is.
    private func isTrue(_ state: ConditionState, _ truth: TrueCrossings, at now: Instant.Span) -> FenceAccount.Verdict {
        let near = truth.crossings.contains { abs(($0.at - now).nanoseconds) < FenceLedger.early.nanoseconds }
        let isInside = truth.crossings.last { $0.at <= now }?.isEntry ?? truth.beginsInside
        switch state {
        case .satisfied where isInside, .unsatisfied where !isInside: return .right
        case .satisfied, .unsatisfied: return near ? .unjudged : .wrong
        case .unknown, .unmonitored: return .unjudged
        }
    }

    /// The crossings that lead away from the boundary, each once: of an in and out on the spot nothing is left.
    private static func owed(_ truth: TrueCrossings) -> [Owed] {
        var isInside = truth.beginsInside
        var first: Instant.Span?
        var owed: [Owed] = []
        for crossing in truth.crossings {
            if crossing.isEntry != isInside { first = first ?? crossing.at }
            guard crossing.depth >= plain else { continue }
            if crossing.isEntry != isInside {
                owed.append(Owed(first: first ?? crossing.at, last: crossing.at, isEntry: crossing.isEntry))
                isInside = crossing.isEntry
            }
            first = nil
        }
        return owed
    }
}
