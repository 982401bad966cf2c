import Chronology
import Geodesy

/// The state of one condition and the evidence for a change, in 64 bytes, because there may be
/// 100,000 conditions.
///
/// The caller may skip evidence on the current side if its position and the path to it are farther
/// than ``influenceDistance(radius:)`` from the boundary. It must not skip evidence while the state
/// is unknown or ``isPending(_:at:)`` is true. Rules and figures: `docs/geofences.md`.
public struct ConditionTracker: Sendable {
    /// The state of the condition.
    public internal(set) var state: ConditionState

    let assumed: ConditionState
    var flags = Flags()
    /// The ``FenceShape/halfDepth`` of the shape, in metres.
    let halfDepth: Float
    /// The greatest distance in metres from the boundary since the last published crossing, on the
    /// new side.
    var farthest: Float = 0
    /// The Doppler distance when the device was last on the side of the current state, and the one
    /// at ``farthest``; see ``FenceEvidence/dopplerDistance``.
    var currentSideDopplerDistance: UInt32 = 0
    var farthestDopplerDistance: UInt32 = 0
    /// The start of confident evidence for the other side; ``never`` if there is none.
    var confidentSince = ConditionTracker.never
    /// When the device crossed to the other side, in milliseconds of UTC; `Int64.min` while no date
    /// is known.
    var crossedAt = Int64.min
    /// The first epoch of this stay with confident evidence of the inside.
    var insideSince = ConditionTracker.never
    /// When the last crossing was published.
    var publishedAt = ConditionTracker.never

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        /// The last evidence lies on the other side. In the unknown state: it lies inside.
        static let isOnOtherSide = Flags(rawValue: 1)
        /// The confident evidence begins with the first evidence after a gap.
        static let afterGap = Flags(rawValue: 2)
        /// The device has been as far inside as an entry requires, at speed, but not long enough.
        static let isPassing = Flags(rawValue: 4)
        /// The last crossing can still be retracted.
        static let mayRetract = Flags(rawValue: 8)
        static let hasDwelt = Flags(rawValue: 16)
    }

    static let never = Instant(nanoseconds: .min)

    /// Creates the initial state of a condition.
    ///
    /// - Parameters:
    ///   - condition: The condition; every call with evidence must pass the same one.
    ///   - snapshot: The saved state of a condition that was monitored before. A change since
    ///     then counts as a crossing.
    public init(_ condition: FenceCondition, snapshot: ConditionSnapshot? = nil) {
        state = snapshot?.state ?? .unknown
        assumed = condition.assuming
        halfDepth = Float(condition.area.halfDepth)
        if snapshot?.hasDwelt == true { flags.insert(.hasDwelt) }
    }

    /// The state to save while the condition is not monitored.
    public var snapshot: ConditionSnapshot { ConditionSnapshot(state: state, hasDwelt: flags.contains(.hasDwelt)) }

    /// Returns the distance from the boundary in metres beyond which evidence with this R68 cannot
    /// change the state.
    public static func influenceDistance(radius: Double) -> Double { 2 * max(1.5 * radius, 15) + 10 }

    /// Returns whether the condition needs all evidence, at any distance from the boundary.
    public func isPending(_ condition: FenceCondition, at now: Instant) -> Bool {
        if isDeciding(at: now) || flags.contains(.isPassing) { return true }
        if flags.contains(.mayRetract), now - publishedAt <= Self.maxRetractionAge { return true }
        return condition.dwell != nil && state == .satisfied && insideSince == Self.never && !flags.contains(.hasDwelt)
    }

    /// Returns whether a change is about to be decided. If so, the caller should provide another
    /// fix within ten seconds if it can.
    public func isDeciding(at now: Instant) -> Bool {
        confidentSince != Self.never && now - confidentSince < .seconds(60)
    }

    /// Processes the evidence of one epoch.
    ///
    /// - Parameters:
    ///   - evidence: The evidence, newer than any before.
    ///   - condition: The condition passed to the initializer.
    /// - Returns: The outcomes; the position of the evidence decided them.
    public mutating func process(_ evidence: FenceEvidence, of condition: FenceCondition) -> ConditionOutcomes {
        guard state != .unmonitored else { return .none }
        return process(evidence, of: condition, distance: condition.area.signedDistance(from: evidence.coordinate))
    }

    /// Processes the evidence of one epoch with a known distance of its position from the boundary.
    public mutating func process(
        _ evidence: FenceEvidence, of condition: FenceCondition, distance: Double
    ) -> ConditionOutcomes {
        guard state != .unmonitored, !distance.isNaN else { return .none }
        if let expired = expire(condition, time: evidence.time) { return expired }
        let test = BoundaryTest(
            of: evidence, against: condition.area, distance: distance, halfDepth: Double(halfDepth))
        var outcomes = ConditionOutcomes.none
        switch state {
        case .unknown: outcomes.append(determine(test))
        case .satisfied, .unsatisfied: outcomes = evaluateSide(test)
        case .unmonitored: break
        }
        outcomes.append(dwell(in: condition, test))
        return outcomes
    }

    /// Determines the first state. Returns an outcome if it differs from the assumed state.
    private mutating func determine(_ test: BoundaryTest) -> ConditionOutcome? {
        let isInside = test.distance >= 0
        if isInside != flags.contains(.isOnOtherSide) { confidentSince = Self.never }
        flags.set(.isOnOtherSide, to: isInside)
        guard test.isConfident(inside: isInside) else { return nil }
        startConfidence(test)
        let ratio = abs(test.distance) / test.requiredDepth(inside: isInside)
        guard
            ratio >= BoundaryTest.certainDepthRatio
                || ratio >= 1 && test.evidence.at - confidentSince >= determinationDelay(depthRatio: ratio, test)
        else {
            return nil
        }
        if isInside { insideSince = confidentSince }
        setState(isInside ? .satisfied : .unsatisfied, after: test)
        return state == assumed
            ? nil : ConditionOutcome(.determined, state: state, date: test.evidence.time, margin: test.distance)
    }

    mutating func startConfidence(_ test: BoundaryTest) {
        guard confidentSince == Self.never else { return }
        confidentSince = test.evidence.at
        flags.set(.afterGap, to: test.evidence.isSparse)
    }

    /// Returns how long evidence must be confident for the first determination. There is no earlier
    /// state and no path to confirm it, so near the boundary it takes longer while the device
    /// moves.
    private func determinationDelay(depthRatio ratio: Double, _ test: BoundaryTest) -> Instant.Span {
        test.evidence.isAtRest ? .seconds(20) : .seconds(110 - 20 * ratio)
    }

    /// Returns how long evidence must be confident for a crossing.
    ///
    /// - Parameter ratio: The ratio of the depth to the required depth, 0.5 or more.
    func crossingDelay(depthRatio ratio: Double, _ test: BoundaryTest) -> Instant.Span {
        let evidence = test.evidence
        if evidence.needsLongerConfirmation { return .seconds(60) }
        if evidence.isAtRest { return .seconds(20) }
        let delay =
            ratio < 1
            ? 36 - 24 * ratio
            : 12 - 4 * (min(ratio, BoundaryTest.certainDepthRatio) - 1) / (BoundaryTest.certainDepthRatio - 1)
        guard flags.contains(.afterGap) else { return .seconds(delay) }
        if evidence.speed >= 2, ratio >= 1.5 { return .zero }
        return .seconds(delay / 2)
    }

    /// Sets the state and clears all evidence of a change.
    mutating func setState(_ state: ConditionState, after test: BoundaryTest) {
        self.state = state
        confidentSince = Self.never
        currentSideDopplerDistance = test.evidence.dopplerDistance
        flags.subtract([.isOnOtherSide, .afterGap, .isPassing, .mayRetract])
    }
}

extension ConditionTracker.Flags {
    mutating func set(_ flag: Self, to isSet: Bool) {
        if isSet { insert(flag) } else { remove(flag) }
    }
}

/// The part of a ``ConditionTracker`` that is saved across restarts.
public struct ConditionSnapshot: Sendable, Equatable {
    /// The saved state.
    public var state: ConditionState
    /// Whether the dwell event of this stay was published.
    public var hasDwelt: Bool

    /// Creates a saved state.
    public init(state: ConditionState, hasDwelt: Bool = false) {
        (self.state, self.hasDwelt) = (state, hasDwelt)
    }
}

/// Decisions that depend on time alone: dwell and expiry.
extension ConditionTracker {
    /// Returns when to call ``tick(at:last:of:)`` next; nil if no timer is pending.
    ///
    /// - Parameter last: The last evidence of any condition, from which the current UTC time
    ///   follows. Nothing expires before there is one.
    public func deadline(of condition: FenceCondition, last: FenceEvidence?) -> Instant? {
        guard state != .unmonitored else { return nil }
        var expiry: Instant?
        if let time = last?.time, let at = last?.at { expiry = condition.expiry.map { at + $0.span(since: time) } }
        return earliest(expiry, dwellDeadline(of: condition))
    }

    private func dwellDeadline(of condition: FenceCondition) -> Instant? {
        guard let dwell = condition.dwell, state == .satisfied, insideSince != Self.never else { return nil }
        return flags.isDisjoint(with: [.hasDwelt, .isOnOtherSide]) ? insideSince + dwell : nil
    }

    /// Evaluates dwell and expiry at this time.
    public mutating func tick(at now: Instant, last: FenceEvidence?, of condition: FenceCondition) -> ConditionOutcomes
    {
        guard state != .unmonitored else { return .none }
        let time = last.flatMap { last in last.time?.advanced(by: now - last.at) }
        if let expired = expire(condition, time: time) { return expired }
        guard let due = dwellDeadline(of: condition), due <= now else { return .none }
        guard let last, last.isAtRest || now - last.at <= EvidenceBuilder.maxGap, last.continuousSince <= insideSince
        else {
            // Evidence is missing or had too long a gap. The next confident position inside starts
            // the stay again.
            insideSince = Self.never
            return .none
        }
        flags.insert(.hasDwelt)
        return ConditionOutcomes(ConditionOutcome(.dwelt, state: state, date: time?.advanced(by: due - now)))
    }

    mutating func expire(_ condition: FenceCondition, time: UTCTime?) -> ConditionOutcomes? {
        guard let expiry = condition.expiry, let time, time >= expiry else { return nil }
        state = .unmonitored
        return ConditionOutcomes(ConditionOutcome(.expired, state: .unmonitored, date: expiry))
    }

    /// Continues the stay, or starts it again after a gap. Positions without confidence do not
    /// interrupt it.
    mutating func dwell(in condition: FenceCondition, _ test: BoundaryTest) -> ConditionOutcome? {
        guard let dwell = condition.dwell, state == .satisfied, !flags.contains(.hasDwelt) else { return nil }
        let now = test.evidence.at
        if insideSince < test.evidence.continuousSince { insideSince = Self.never }
        guard test.distance >= 0 else { return nil }
        if insideSince == Self.never, test.isConfident(inside: true) { insideSince = now }
        guard insideSince != Self.never, now - insideSince >= dwell else { return nil }
        flags.insert(.hasDwelt)
        return ConditionOutcome(
            .dwelt, state: state, date: test.evidence.time?.advanced(by: insideSince + dwell - now),
            margin: test.distance)
    }
}
