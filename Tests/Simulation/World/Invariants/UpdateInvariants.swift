import Chronology
import Geodesy
import SextantAPI

extension Invariant {
    /// Updates of streams, and calls.
    static let updates = [
        Invariant(1, "times within a stream increase"),
        Invariant(2, "no epoch is published twice to a stream"),
        Invariant(3, "sent and dropped updates add up to the published ones"),
        Invariant(4, "the first reply has number 1 or replaces it, and has a position or the reason why there is none"),
        Invariant(5, "a position is one that a receiver sent"),
        Invariant(6, "the distance filter of a stream is respected"),
        Invariant(7, "no stream exceeds its rate"),
        Invariant(8, "updates are held for the maximum delay of their stream, and no longer"),
        Invariant(9, "changes of the primary receiver are 30 s apart"),
        Invariant(12, "a complete call is served even if its client then closes the connection"),
        Invariant(10, "GetLocation is answered once, within its timeout"),
        Invariant(11, "each call gets one reply, in order"),
        Invariant(72, "while there is a fixed place, programs get it and nothing else"),
        Invariant(46, "the daemon does not crash, and every message fits its interface"),
    ]
}

/// Judges the updates of one stream.
struct StreamJudge {
    private let parameters: SubscribeParameters
    private var sequence = 0
    private var dropped = 0
    private var last: UTCTime?
    private var lastArrival: Instant?
    private var isResting = false
    private var began = Instant.zero
    /// Whether the stream had no position, or a resting one, since the last ordinary update.
    private var hasGap = false
    private var lastPlace: Coordinate?
    /// The receiver of the last position, and when it took over from one that went on.
    private var receiver: (name: String, tookOver: Instant?)?
    /// The time of the last update with the date that the daemon stated, which may be set back.
    private var lastStated: UTCTime?

    /// A receiver whose last position is not older goes on: it is lost after two of its periods,
    /// which are 0.1 s at least, and the tolerance for the end of a burst.
    private static let currentAge = Instant.Span.seconds(0.25)

    init(_ parameters: SubscribeParameters) { self.parameters = parameters }

    /// The stream begins again.
    mutating func begin(at now: Instant) {
        began = now
        sequence = 0
        dropped = 0
        last = nil
        hasGap = false
        lastPlace = nil
        lastStated = nil
        receiver = nil
        isResting = false
    }

    /// The shortest interval between two updates, in seconds.
    private var interval: Double {
        let configured: Double =
            switch parameters.configuration {
            case .automotiveNavigation?: 0.2
            case .otherNavigation?, .fitness?, .airborne?: 1
            default: 5
            }
        let accuracy: Double =
            switch parameters.desiredAccuracy {
            case .hundredMetres?: 10
            case .kilometre?: 60
            case .threeKilometres?: 300
            default: 0
            }
        return max(configured, accuracy, parameters.minimumInterval ?? 0)
    }

    /// Whether the stream began before a time, does not rest, and has an update each minute.
    func needsFixes(since start: Instant) -> Bool {
        began < start && !isResting && interval <= 60 && parameters.distanceFilter == nil
    }

    mutating func observe(_ update: SubscribeReply, in world: World, _ name: String) {
        world.mark(update)
        world.judgeSwitch(update.location, name)
        let lost = update.dropped - dropped
        world.require(
            sequence > 0
                || update.sequence == 1 + update.dropped
                    && (update.location != nil || update.detail != nil || world.locationMayBeOff()),
            4,
            "\(name): the first update has number \(update.sequence)")
        world.require(
            lost >= 0 && update.sequence == sequence + 1 + lost, 3,
            "\(name): update \(update.sequence) with \(update.dropped) dropped after \(sequence) with \(dropped)")
        sequence = update.sequence
        dropped = update.dropped
        isResting = update.stationary ?? false
        if update.location != nil { lastArrival = world.now }
        guard let location = update.location, let stated = location.timestamp,
            !world.damage.times.contains(stated.millisecondsOfDay)
        else {
            // A position after a gap is sent at once.
            hasGap = true
            return
        }
        let time = world.corrected(stated)
        checkReceiver(location.receiver, in: world, name)
        // The first one is the current state, however old.
        if update.stationary == nil, sequence > 1 { checkDelay(time, in: world, name) }
        checkPlace(location, time, in: world, name)
        guard update.stationary == nil else {
            hasGap = true
            return
        }
        // A receiver without a date has that of the machine's clock, which was set: two receivers
        // with different dates have no order.
        if let last, let lastStated, stated.span(since: time) == lastStated.span(since: last) {
            world.require(time >= last, 1, "\(name): \(time) after \(last)")
            world.require(time != last, 2, "\(name): \(time) twice")
            // Epochs have their own times, and the period of a receiver its jitter.
            let shortest = world.plan.has(.plugging) || world.plan.has(.noise) ? interval * 0.5 - 0.1 : interval - 0.05
            let span = stated.span(since: lastStated).seconds
            world.require(
                hasGap || span > shortest || span <= 0, 7,
                "\(name): \(span) s after the last update, of a stream with \(interval) s")
        }
        if let filter = parameters.distanceFilter, let lastPlace, let place = location.coordinate, !hasGap {
            let distance = lastPlace.nearbyDistance(to: place)
            world.require(distance > filter - 1, 6, "\(name): \(distance) m from the last update, of \(filter) m")
        }
        lastPlace = location.coordinate
        last = time
        lastStated = stated
        hasGap = false
    }

    /// A stream sees a change with its next position, within this time.
    private static let noticeTime = Instant.Span.seconds(2)

    /// A receiver that still has positions is replaced at most every 30 s.
    private mutating func checkReceiver(_ name: String, in world: World, _ stream: String) {
        guard interval <= 1, parameters.distanceFilter == nil, (parameters.maximumDelay ?? 0) == 0,
            !world.plan.has(.noise), !world.plan.has(.failingLines), !hasGap
        else { return receiver = nil }
        guard let last = receiver, last.name != name else { return receiver = (name, receiver?.tookOver) }
        let age = world.breaks(9) ? .zero : world.lastPositions["/dev/\(last.name)"].map { world.now - $0 }
        let wasLost = world.lossEnds["/dev/\(last.name)"].map { world.now - $0 < StreamJudge.noticeTime } ?? false
        guard let age, age < StreamJudge.currentAge, !wasLost else { return receiver = (name, nil) }
        let pause = last.tookOver.map { (world.now - $0).seconds } ?? .infinity
        world.require(pause > 27, 9, "\(stream): \(name) takes over from \(last.name) after \(pause) s")
        receiver = (name, world.now)
    }

    /// A burst takes up to a period, and the end of a batch waits for the next fix.
    private static let handling = 5.0

    /// Updates that a slow reader gets late are not judged, nor times while no clock is right.
    private func checkDelay(_ time: UTCTime, in world: World, _ name: String) {
        let obstacles: [RunPlan.Feature] = [.slowReaders, .smallBuffers, .noise, .clockSteps, .failingSockets]
        guard !obstacles.contains(where: world.plan.has), !world.plan.suspends else { return }
        let age = Journey.start.advanced(by: world.now - world.journey.origin).span(since: time).seconds
        let limit = (parameters.maximumDelay ?? 0) + StreamJudge.handling - (world.breaks(8) ? 10 : 0)
        world.require(age <= limit, 8, "\(name): a position that is \(age) s old, of a stream that holds \(limit) s")
    }

    private func checkPlace(
        _ location: Location, _ time: UTCTime, in world: World, _ name: String
    ) {
        guard let place = location.coordinate else {
            return world.report(5, "\(name): \(location.latitude), \(location.longitude)")
        }
        // A departure shows in two positions 5 s apart, and a receiver sleeps at rest.
        let restingTimes = world.plan.has(.motion) ? 740 : 60
        let times = isResting ? (0...restingTimes).map { time.advanced(by: .seconds(-5 * Double($0))) } : [time]
        let error = times.map { place.nearbyDistance(to: world.journey.place(at: $0)) }.min() ?? 0
        // A receiver without a view of the sky is no worse than that.
        let accuracy = min(location.horizontalAccuracy, 100)
        let limit = world.plan.has(.noise) ? 500.0 : max(60, 6 * accuracy)
        let isDamaged = world.damage.places.contains { $0.nearbyDistance(to: place) < limit }
        world.require(error < limit || isDamaged, 5, "\(name): \(error) m from the true position at \(time)")
    }

    /// The run has ended: the last update is recent.
    func finish(in world: World, _ name: String) {
        guard !world.isWithoutView else { return }
        if isResting {
            // A departure is noticed within minutes.
            // With trusted motion sources, within an hour.
            let places = (0...(world.plan.has(.motion) ? 62 : 10)).map {
                world.journey.place(at: world.now - .seconds(60 * Double($0)))
            }
            let distances = zip(places, places.dropFirst()).map { $0.nearbyDistance(to: $1).rounded() }
            return world.require(
                distances.contains { $0 < 100 }, 51, "\(name) rests, and the device moves by \(distances) m a minute")
        }
        guard parameters.distanceFilter == nil else { return }
        let age = world.now - (lastArrival ?? began)
        let limit = max(interval, 1) + (parameters.maximumDelay ?? 0) + 10
        world.require(age < .seconds(limit), 51, "\(name): no update for \(age.seconds) s")
    }
}

extension Location {
    /// Where it is; nil if that is no place on the Earth.
    fileprivate var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
