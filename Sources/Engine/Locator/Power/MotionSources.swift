import Chronology
import Positioning

@_exported import enum SextantAPI.MotionTrust
@_exported import enum SextantAPI.MotionUse

/// A sensor or a program that reports when the device was moved, and what it has proven.
///
/// A report ends a sleep of the receivers. Whether the device moves is decided from fixes alone.
/// ``trust`` determines whether the silence of the source counts too: `docs/motion.md` has the
/// rules and their reasons.
public struct MotionSource: Sendable, Equatable {
    /// The number of reported departures after which a source is trusted.
    public static let requiredDepartures = 3
    /// How long a source is distrusted.
    public static let distrustDuration = Instant.Span.seconds(7 * 86_400)
    /// How long before a departure its report may be: the receivers found the device in its place
    /// after that, because a door closes before a car leaves.
    static let maxLead = Instant.Span.seconds(30)
    /// How long before a departure is found its report may be. A check follows sooner, unless there
    /// is no sky: then nobody knows whether the device departed at the report.
    static let maxLag = Instant.Span.seconds(600)
    /// The number of checks without a departure that a source may cause in an hour, and in a day if
    /// it is not trusted: it then saves nothing, and must not cost more than a twentieth.
    static let maxFalseChecks = (inHour: 6, inDay: 12)
    /// How long a check may take to find a departure.
    private static let checkTime = Instant.Span.seconds(60)
    private static let hour = Instant.Span.seconds(3600)
    private static let day = Instant.Span.seconds(86_400)

    /// The name of the source.
    public let name: String
    /// The device or the program that reports under the name, as text; nil if it is unknown. What
    /// was proven holds only for that one.
    public internal(set) var origin: String?
    /// Whether the name is that of a device of the configuration: other sources do not displace it.
    public internal(set) var isDevice = false
    /// What it has proven.
    public private(set) var trust: MotionTrust
    /// The number of departures that it has reported one after another; at most
    /// ``requiredDepartures``.
    public private(set) var departures: Int
    /// When it is no longer distrusted; nil if it is not.
    public private(set) var distrustedUntil: Instant?
    /// Whether it can report now. A report shows that it can.
    public var isAvailable = true
    /// The number of reports since the start.
    public private(set) var reports = 0
    /// The last report since the start.
    public private(set) var lastReport: Instant?
    /// When its reports caused checks that found no departure, within a day before the newest.
    private var falseChecks: [Instant] = []

    /// Creates a source, by default one that has proven nothing.
    public init(
        name: String, origin: String? = nil, trust: MotionTrust = .unproven, departures: Int = 0,
        distrustedUntil: Instant? = nil
    ) {
        self.name = name
        self.origin = origin
        self.trust = trust
        self.departures = departures
        self.distrustedUntil = distrustedUntil
    }

    /// The number of checks in the last hour that its reports caused without a departure.
    public func falseChecks(at now: Instant) -> Int {
        falseChecks.count { now - $0 < MotionSource.hour }
    }

    /// Whether it has proven anything, for or against it.
    public var hasProof: Bool { trust != .unproven || departures > 0 }

    /// Returns the source without a distrust that has expired.
    public func current(at now: Instant) -> MotionSource {
        var source = self
        source.endDistrust(at: now)
        return source
    }

    /// Returns whether its reports are ignored.
    public func isIgnored(at now: Instant) -> Bool { current(at: now).trust == .nervous }

    mutating func forgetProof() {
        (trust, departures) = (.unproven, 0)
        distrustedUntil = nil
        falseChecks.removeAll()
    }

    mutating func recordReport(at now: Instant) {
        endDistrust(at: now)
        isAvailable = true
        reports += 1
        lastReport = now
    }

    /// Records that a report caused a check, which finds no departure until one is recorded.
    mutating func recordCheck(at now: Instant) {
        falseChecks.removeAll { now - $0 >= MotionSource.day }
        falseChecks.append(now)
    }

    /// Judges, at a report, the checks that found no departure. The last one counts only once it
    /// has had the time to find one.
    mutating func judgeChecks(at now: Instant) {
        guard trust != .nervous, let last = falseChecks.last, now - last >= MotionSource.checkTime else { return }
        let limits = MotionSource.maxFalseChecks
        let isFrequent = now - last < MotionSource.hour && falseChecks(at: last) > limits.inHour
        let inDay = falseChecks.count { now - $0 < MotionSource.day }
        if isFrequent || trust != .trusted && inDay > limits.inDay { distrust(.nervous, at: now) }
    }

    /// Records that the device departed.
    ///
    /// - Parameter since: When it was last known to be in its place.
    mutating func recordDeparture(since: Instant, at now: Instant) {
        endDistrust(at: now)
        falseChecks.removeAll()
        guard isAvailable, trust != .nervous else { return }
        guard let lastReport, lastReport >= since - MotionSource.maxLead else { return distrust(.deaf, at: now) }
        guard trust == .unproven, now - lastReport <= MotionSource.maxLag else { return }
        departures += 1
        if departures >= MotionSource.requiredDepartures { trust = .trusted }
    }

    /// Takes back what a departure proved, because there was none.
    mutating func retractDeparture(to earlier: MotionSource) {
        (trust, departures) = (earlier.trust, earlier.departures)
        distrustedUntil = earlier.distrustedUntil
    }

    private mutating func distrust(_ trust: MotionTrust, at now: Instant) {
        (self.trust, departures) = (trust, 0)
        distrustedUntil = now + MotionSource.distrustDuration
        falseChecks.removeAll()
    }

    private mutating func endDistrust(at now: Instant) {
        guard let distrustedUntil, distrustedUntil <= now else { return }
        (trust, self.distrustedUntil) = (.unproven, nil)
    }
}

/// All motion sources, and what a report of one of them causes.
public struct MotionSources: Sendable {
    /// What a report causes.
    enum Response: Sendable, Equatable {
        case nothing
        /// A check at once. A long one finds a vehicle that has just started.
        case check(isLong: Bool)
        /// A check as soon as without any trusted source: one at once would be too frequent.
        case shorterSleep
    }

    /// The maximum number of sources.
    public static let capacity = 16
    /// The shortest and the longest time between two checks that reports cause at once. It doubles
    /// while they find no departure.
    private static let minCheckInterval = Instant.Span.seconds(60)
    private static let maxCheckInterval = Instant.Span.seconds(600)
    /// The time without such a check after which it begins again with the shortest.
    private static let calmTime = Instant.Span.seconds(3600)

    /// The use of the sources that the owner of the device permits.
    public var policy = MotionUse.auto
    /// The sources, in the order in which they were added.
    public private(set) var sources: [MotionSource] = []
    /// Counts changes of what sources have proven.
    public private(set) var revision: UInt64 = 0
    /// When the motion detectors in use found the device stationary; nil while none does.
    public private(set) var restingSince: Instant?
    private var backoff = ExponentialBackoff()
    private var lastCheck: Instant?
    private var nextCheck = Instant.zero
    /// The sources before the last departure, which may be retracted.
    private var beforeDeparture: [MotionSource] = []

    /// Since when all sources have been silent; nil if their silence proves nothing.
    var quietSince: Instant? {
        guard policy == .auto, let restingSince, sources.contains(where: { $0.isAvailable && $0.trust == .trusted })
        else { return nil }
        return sources.lazy.filter { $0.trust != .nervous }.compactMap(\.lastReport).reduce(restingSince, max)
    }

    /// Returns whether a device at rest is checked rarely, because trusted sources are silent.
    public func makesChecksRare(at now: Instant) -> Bool {
        PowerPlanner.isQuiet(since: quietSince, at: now)
    }

    /// Adds sources, or replaces those with the same names. If there are too many, the first that
    /// has proven nothing is removed, and for a device of the configuration any program.
    public mutating func add(_ new: [MotionSource]) {
        for source in new {
            if let index = index(of: source.name) {
                sources[index] = source
                continue
            }
            if sources.count >= Self.capacity {
                let unproven = sources.firstIndex { !$0.isDevice && !$0.hasProof }
                let other = source.isDevice ? sources.firstIndex { !$0.isDevice } : nil
                guard let index = unproven ?? other else { return }
                sources.remove(at: index)
            }
            sources.append(source)
        }
    }

    /// Adds the devices of the configuration, and makes other names those of programs. What their
    /// sources have proven remains.
    public mutating func setDevices(_ names: [String]) {
        for index in sources.indices { sources[index].isDevice = names.contains(sources[index].name) }
        for name in names where index(of: name) == nil {
            var source = MotionSource(name: name)
            source.isDevice = true
            add([source])
        }
    }

    /// Records what reports under a name. Another device or program has proven nothing.
    public mutating func setOrigin(_ origin: String, of name: String) {
        guard let index = index(of: name), sources[index].origin != origin else { return }
        forgetProof(of: index)
        sources[index].origin = origin
    }

    /// Forgets what a source has proven, and the source itself unless it is a device of the
    /// configuration. Returns whether there is one.
    @discardableResult
    public mutating func forget(_ name: String) -> Bool {
        guard let index = index(of: name) else { return false }
        forgetProof(of: index)
        if !sources[index].isDevice { sources.remove(at: index) }
        return true
    }

    /// Sets whether a source can report now.
    public mutating func setAvailable(_ isAvailable: Bool, _ name: String) {
        if let index = index(of: name) { sources[index].isAvailable = isAvailable }
    }

    /// Processes a report. The first one adds its source.
    ///
    /// - Parameter isTrial: Whether it is that of somebody else, who tries what a report causes: it
    ///   proves nothing.
    mutating func report(from name: String, isTrial: Bool = false, at now: Instant) -> Response {
        guard policy != .off else { return .nothing }
        if index(of: name) == nil { add([MotionSource(name: name)]) }
        guard let index = index(of: name) else { return .nothing }
        update(index) { [restingSince] source in
            guard !isTrial else { return }
            source.recordReport(at: now)
            if restingSince != nil { source.judgeChecks(at: now) }
        }
        guard restingSince != nil, sources[index].trust != .nervous else { return .nothing }
        return now >= nextCheck ? .check(isLong: sources[index].trust == .trusted) : .shorterSleep
    }

    /// Records that a report of this source began a check; nil for one that is none of its own.
    mutating func recordCheck(from name: String?, at now: Instant) {
        if let lastCheck, now - lastCheck >= Self.calmTime { backoff.reset() }
        lastCheck = now
        nextCheck = now + backoff.next(from: Self.minCheckInterval, max: Self.maxCheckInterval)
        if let index = name.flatMap(index) { sources[index].recordCheck(at: now) }
    }

    /// Follows the motion detectors after some were added or removed, which is no departure.
    mutating func setResting(_ isResting: Bool, at now: Instant) {
        guard isResting != (restingSince != nil) else { return }
        restingSince = isResting ? now : nil
    }

    /// Processes the result of motion detection with which the rest began or ended.
    mutating func record(_ action: MotionAction, at now: Instant) {
        switch action {
        case .becameStationary: restingSince = now
        case .becameMoving(let since):
            guard let resting = restingSince else { return }
            restingSince = nil
            backoff.reset()
            nextCheck = .zero
            beforeDeparture = []
            // Reports that are ignored prove nothing, nor does their absence, nor that of reports
            // before anybody needed to know.
            guard policy != .off, since >= resting - MotionSource.maxLead else { return }
            beforeDeparture = sources
            for index in sources.indices { update(index) { $0.recordDeparture(since: since, at: now) } }
        case .retracted:
            restingSince = now
            for earlier in beforeDeparture {
                if let index = index(of: earlier.name) { update(index) { $0.retractDeparture(to: earlier) } }
            }
            beforeDeparture = []
        case .becameUnknown: break
        }
    }

    /// A departure that is retracted does not bring it back.
    private mutating func forgetProof(of index: Int) {
        beforeDeparture.removeAll { [name = sources[index].name] in $0.name == name }
        update(index) { $0.forgetProof() }
    }

    private func index(of name: String) -> Int? { sources.firstIndex { $0.name == name } }

    private mutating func update(_ index: Int, _ change: (inout MotionSource) -> Void) {
        let (trust, departures) = (sources[index].trust, sources[index].departures)
        change(&sources[index])
        if sources[index].trust != trust || sources[index].departures != departures { revision += 1 }
    }
}
