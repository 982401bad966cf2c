import Chronology
import Geodesy

/// How one condition stands, and what evidence there is that this has changed: 64 bytes, for there may be 100,000.
///
/// It may be spared evidence that is farther than ``reach(_:)`` from its boundary, on the side that holds, as is the way there from the evidence
/// before; not while it is unknown or ``isPending(_:at:)``. Rules and figures: `docs/geofences.md`.
public struct ConditionStanding: Sendable {
    /// How it stands.
    public internal(set) var state: ConditionState

    let assumed: ConditionState
    var flags = Flags()
    /// Metres; ``FenceShape/halfDepth``.
    let halfDepth: Float
    /// Metres on the side told of last that the device has been since.
    var farthest: Float = 0
    /// What the odometer showed when the device was last seen on the side that holds, and when it was at ``farthest``.
    var odometerThere: UInt32 = 0
    var odometerFarthest: UInt32 = 0
    /// Since when evidence is confident of the other side; ``never`` while it is not.
    var confidentSince = ConditionStanding.never
    /// When the boundary was crossed to the other side, milliseconds of UTC; `Int64.min` while no date is known.
    var crossed = Int64.min
    /// The first epoch that was confident of the inside in this stay.
    var insideSince = ConditionStanding.never
    /// When the last crossing was told.
    var told = ConditionStanding.never

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        /// The last evidence lay on the other side than the one that holds; while nothing is known, inside.
        static let isOver = Flags(rawValue: 1)
        /// Confidence began with the first evidence after a gap.
        static let afterGap = Flags(rawValue: 2)
        /// At speed, it has been as far inside as entering needs, though not for long enough.
        static let isPassing = Flags(rawValue: 4)
        /// The last crossing may yet prove to be an error.
        static let mayRetract = Flags(rawValue: 8)
        static let hasDwelt = Flags(rawValue: 16)
    }

    static let never = Instant(nanoseconds: .min)

    /// A condition of which nothing is known yet.
    ///
    /// - Parameters:
    ///   - condition: Whose standing it is; the same is given with every evidence.
    ///   - remembered: How it stood when it was last watched, for one that is taken up again: what has changed since is a crossing.
    public init(_ condition: Condition, remembered: RememberedStanding? = nil) {
        state = remembered?.state ?? .unknown
        assumed = condition.assuming
        halfDepth = Float(condition.shape.halfDepth)
        if remembered?.hasDwelt == true { flags.insert(.hasDwelt) }
    }

    /// What is worth keeping of it while nobody watches.
    public var remembered: RememberedStanding { RememberedStanding(state: state, hasDwelt: flags.contains(.hasDwelt)) }

    /// Metres from the boundary beyond which evidence of that 68 % radius says nothing new of the side that holds.
    public static func reach(_ radius: Double) -> Double { 2 * max(1.5 * radius, 15) + 10 }

    /// Whether it must be given all evidence, however far from the boundary.
    public func isPending(_ condition: Condition, at now: Instant) -> Bool {
        if isDeciding(at: now) || flags.contains(.isPassing) { return true }
        if flags.contains(.mayRetract), now - told <= Self.retractable { return true }
        return condition.dwell != nil && state == .satisfied && insideSince == Self.never && !flags.contains(.hasDwelt)
    }

    /// Whether a change is being watched that the next seconds will settle: whoever can look again within ten of them should.
    public func isDeciding(at now: Instant) -> Bool {
        confidentSince != Self.never && now - confidentSince < .seconds(60)
    }

    /// Takes evidence in.
    ///
    /// - Parameters:
    ///   - evidence: Of one epoch, newer than the last.
    ///   - condition: The one that this was made with.
    /// - Returns: What has become of it; the decisive position is the evidence's.
    public mutating func take(_ evidence: FenceEvidence, of condition: Condition) -> ConditionOutcomes {
        guard state != .unmonitored else { return .none }
        return take(evidence, of: condition, distance: condition.shape.signedDistance(from: evidence.coordinate))
    }

    /// The same, where the distance of the evidence's position from the boundary is known already.
    public mutating func take(_ evidence: FenceEvidence, of condition: Condition, distance: Double) -> ConditionOutcomes {
        guard state != .unmonitored, !distance.isNaN else { return .none }
        if let expired = expire(condition, time: evidence.time) { return expired }
        let sight = FenceSight(evidence, condition.shape, distance: distance, halfDepth: Double(halfDepth))
        var outcomes = ConditionOutcomes.none
        switch state {
        case .unknown: outcomes.append(determine(sight))
        case .satisfied, .unsatisfied: outcomes = judge(sight)
        case .unmonitored: break
        }
        outcomes.append(dwell(sight, condition))
        return outcomes
    }

    /// Nothing is known: which side is it, and is that news?
    private mutating func determine(_ sight: FenceSight) -> ConditionOutcome? {
        let isInside = sight.distance >= 0
        if isInside != flags.contains(.isOver) { confidentSince = Self.never }
        flags.set(.isOver, isInside)
        guard sight.isConfident(inside: isInside) else { return nil }
        noteConfidence(sight)
        let ratio = abs(sight.distance) / sight.need(inside: isInside)
        guard ratio >= FenceSight.deep || ratio >= 1 && sight.evidence.at - confidentSince >= patience(ratio, sight) else { return nil }
        if isInside { insideSince = confidentSince }
        settle(isInside ? .satisfied : .unsatisfied, sight)
        return state == assumed ? nil : ConditionOutcome(.determined, state, date: sight.evidence.time, margin: sight.distance)
    }

    mutating func noteConfidence(_ sight: FenceSight) {
        guard confidentSince == Self.never else { return }
        confidentSince = sight.evidence.at
        flags.set(.afterGap, sight.evidence.isSparse)
    }

    /// How long evidence must have been confident, for a depth that many times what is needed.
    func patience(_ ratio: Double, _ sight: FenceSight) -> Instant.Span {
        let evidence = sight.evidence
        if evidence.isDoubtful { return .seconds(60) }
        if evidence.isAtRest { return .seconds(20) }
        let plain = 20 - 10 * (min(max(ratio, 1), FenceSight.deep) - 1) / (FenceSight.deep - 1)
        guard flags.contains(.afterGap) else { return .seconds(plain) }
        if evidence.speed >= 2, ratio >= 2 { return .zero }
        return .seconds(plain / 2)
    }

    /// From now on it stands so; nothing else is in question.
    mutating func settle(_ state: ConditionState, _ sight: FenceSight) {
        self.state = state
        confidentSince = Self.never
        odometerThere = sight.evidence.odometer
        flags.subtract([.isOver, .afterGap, .isPassing, .mayRetract])
    }
}

extension ConditionStanding.Flags {
    mutating func set(_ flag: Self, _ isSet: Bool) {
        if isSet { insert(flag) } else { remove(flag) }
    }
}

/// What is kept of a ``ConditionStanding`` over a restart.
public struct RememberedStanding: Sendable, Equatable {
    /// How it stood.
    public var state: ConditionState
    /// Whether it had told of its dwell time in this stay.
    public var hasDwelt: Bool

    /// What is known of before.
    public init(state: ConditionState, hasDwelt: Bool = false) {
        (self.state, self.hasDwelt) = (state, hasDwelt)
    }
}
