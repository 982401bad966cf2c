import Chronology
import Geofencing
import Locator
import Positioning
import Receivers

/// Simulates a day of the daemon. The daemon's core, a driver and a read schedule control a
/// simulated receiver over a simulated line. It reads no clock; the same track and options give the
/// same result on every machine.
package struct Rehearsal {
    /// The options of a rehearsal.
    package struct Options: Sendable {
        package var receiver: ReceiverKind
        /// The streams of the clients; may be empty.
        package var streams: [Configuration]
        /// What the streams request beyond their configurations.
        package var streamOptions = StreamOptions()
        package var fences: [RehearsedFence] = []
        /// Random seed.
        package var seed: UInt64 = 1
        /// The simulated faults: dropouts, corruption, silence.
        package var faults = FaultSchedule()
        /// The behavior of the motion source; nil for none.
        package var sensor: RehearsedSensor.Behavior?

        package init(receiver: ReceiverKind = .ublox8, streams: [Configuration] = [.default]) {
            (self.receiver, self.streams) = (receiver, streams)
        }
    }

    /// The receiver's name in updates.
    package static let name = "rehearsed"
    private static let receiverID = ReceiverID(0)

    private let track: GroundTruthTrack
    private let options: Options
    private let figures: EnergyFigures
    private let end: Instant
    private var locator = Locator()
    private var driver: ReceiverDriver
    private var input = MessageCollector()
    private var line: RehearsedLine
    private var sensor: RehearsedSensor?
    private var resumeScore: ResumeScore
    private var crossingScore: CrossingScore
    private var now = Instant.zero
    private var wakeups = 0
    private var wakeupsAtRest = 0
    private var fixes = 0
    private var events: [RehearsalEvent] = []

    /// Prepares a rehearsal along a track.
    ///
    /// - Throws: `SimulatorOptions.Error` if the options do not describe a receiver.
    package init(along track: GroundTruthTrack, options: Options) throws {
        (self.track, self.options) = (track, options)
        end = .zero + track.duration
        var simulated = SimulatorOptions()
        simulated.source = .route(track.route)
        simulated.receiver = options.receiver
        simulated.seed = options.seed
        simulated.faults = options.faults
        simulated.startTime = track.start
        line = RehearsedLine(try simulated.receiver(origin: .zero, utc: track.start))
        var settings = DriverSettings()
        settings.baud = ReceiverProfile(for: options.receiver).baud
        driver = ReceiverDriver(settings)
        sensor = options.sensor.map { RehearsedSensor($0, along: track, seed: options.seed) }
        figures = EnergyFigures(for: options.receiver.chip)
        resumeScore = ResumeScore(departures: track.departures, streams: options.streams.count)
        crossingScore = CrossingScore(options.fences, on: track)
    }

    /// Simulates the day, passes each event to `emit` in order, and returns the summary.
    package mutating func run(_ emit: (RehearsalEvent) -> Void) -> RehearsalSummary {
        begin()
        flush(emit)
        while advance() { flush(emit) }
        flush(emit)
        return summary
    }

    /// Simulates one wakeup of the daemon. Returns false at the end of the day.
    private mutating func advance() -> Bool {
        let timer = earliest(earliest(driver.deadline, locator.deadline()), earliest(line.deadline, sensor?.deadline))
        let limit = min(timer.map { max($0, now) } ?? end, end)
        let arrived = line.arrival(before: limit)
        now = max(arrived ?? limit, now)
        line.advance(to: now)
        guard now < end else { return false }
        wakeups += 1
        if sensor?.report(at: now) == true { locator.reportMotion(from: RehearsedSensor.name, at: now) }
        if resumeScore.allPaused { wakeupsAtRest += 1 }
        let isDeferred =
            arrived != nil && !driver.needsImmediateReads
            && line.schedule.shouldDeferRead(at: now, mayReceiveReplies: driver.usesInput)
        turn(reads: arrived != nil && !isDeferred || line.deadline.map { $0 <= now } ?? false)
        return true
    }

    private mutating func begin() {
        locator.setReference(track.start, guessesDay: true)
        (locator.emitsPlans, locator.emitsReadPolicies) = (true, true)
        locator.attach(Rehearsal.receiverID, name: Rehearsal.name, port: Rehearsal.name, status: .open, at: now)
        locator.setCosts(ReceiverCosts(options.receiver.chip), of: Rehearsal.receiverID)
        for index in options.streams.indices {
            let request = StreamRequest(configuration: options.streams[index], options: options.streamOptions)
            record(StreamUpdate(locator.subscribe(request, id: RequestID(index), at: now), for: [RequestID(index)]))
        }
        if let sensor = options.sensor { locator.motion.add([RehearsedSensor.source(sensor)]) }
        if !options.fences.isEmpty {
            let entries = options.fences.enumerated().map {
                GeofenceEngine.Entry(id: ConditionID(Int64($0.offset + 1)), condition: $0.element.condition)
            }
            locator.addConditions(entries, at: now)
        }
        driver.portOpened(at: now)
        performEffects()
        performDriverActions()
    }

    private mutating func turn(reads: Bool) {
        var closed = 0
        let bytes = reads ? line.read() : []
        if !bytes.isEmpty {
            var input = input
            if driver.usesInput { input.addFrames(in: bytes.span.bytes) }
            let result = locator.receive(
                bytes.span.bytes, from: Rehearsal.receiverID, at: now,
                onFrame: driver.usesInput ? { input.addSentence($0) } : nil)
            for update in result.updates { record(update) }
            closed += result.summary.closed
            driver.receive(&input, at: now)
            self.input = input
        }
        if let due = locator.deadline(), due <= now { closed += locator.tick(at: now).count }
        // An idle line that ends an epoch also ends the burst, even if nothing was read.
        if reads || closed > 0, line.isOpen {
            let isOpen = locator.receivers.isMidEpoch(Rehearsal.receiverID) || bytes.last.map { $0 != 10 } ?? false
            line.schedule.read(bytes.count, closed: closed, isOpen: isOpen, at: now)
        }
        performEffects()
        driver.advance(to: now)
        performDriverActions()
    }

    private mutating func performEffects() {
        for effect in locator.takeEffects() {
            switch effect {
            case .receiver(.epoch(_, let fix)): fixes += fix.coordinate != nil ? 1 : 0
            case .request(.publish(let update, let streams)): record(StreamUpdate(update, for: streams))
            case .receiver(.plan(_, let plan)):
                driver.setPlan(plan, at: now)
                events.append(RehearsalEvent(time: now - .zero, kind: .plan(plan)))
            case .receiver(.readPolicy(_, let policy)): line.schedule.setPolicy(policy, at: now)
            case .fence(.changed(let events)): for event in events { record(event) }
            case .visit, .heading, .request(.answer), .request(.reject), .receiver(.changed), .fence(.determined): break
            }
        }
    }

    private mutating func record(_ update: StreamUpdate) {
        let streams = update.streams.map(\.rawValue)
        resumeScore.record(update.update, streams: streams, at: now - .zero)
        events.append(RehearsalEvent(time: now - .zero, kind: .update(update.update, streams: streams)))
    }

    private mutating func record(_ event: ConditionEvent) {
        let fence = Int(event.condition.rawValue) - 1
        crossingScore.record(event, ofFence: fence, at: now - .zero)
        events.append(RehearsalEvent(time: now - .zero, kind: .crossing(event, fence: fence)))
    }

    /// Carries out the port actions that the driver requests.
    private mutating func performDriverActions() {
        while true {
            let actions = driver.takeActions()
            if actions.isEmpty { return }
            for action in actions {
                switch action {
                case .saveState, .report: break
                case .write(let bytes):
                    line.write(bytes, at: now)
                    if let until = driver.ignoresInputUntil { line.schedule.ignoreInput(until: until, at: now) }
                case .closePort: line.close()
                case .openPort:
                    line.open()
                    driver.portOpened(at: now)
                }
            }
        }
    }

    private mutating func flush(_ emit: (RehearsalEvent) -> Void) {
        for event in events { emit(event) }
        events.removeAll(keepingCapacity: true)
    }
}

extension Rehearsal {
    private var summary: RehearsalSummary {
        var resumeScore = resumeScore
        resumeScore.finish(at: track.duration)
        var crossingScore = crossingScore
        crossingScore.finish()
        let meter = line.receiver.meter
        let working: [ReceiverPowerState] = [.acquiring, .tracking, .powerSave]
        let on = working.reduce(0) { $0 + (meter?.time(in: $1, at: end).seconds ?? 0) }
        return RehearsalSummary(
            energyJoules: meter?.energy(at: end) ?? 0, alwaysOnEnergyJoules: alwaysOn, receiverOnSeconds: on,
            fixes: fixes,
            hostWakeups: wakeups, hostWakeupsAtRest: wakeupsAtRest, stationarySeconds: resumeScore.stationary.seconds,
            resumeDelays: resumeScore.delays, missedDepartures: resumeScore.missed,
            falseResumes: resumeScore.falseResumes,
            events: crossingScore.results,
            crossingDelays: crossingScore.delays, missedCrossings: crossingScore.count(of: .missed),
            falseCrossings: crossingScore.count(of: .wrong),
            motionSource: locator.motion.sources.first.map { RehearsalSummary.Sensor($0) },
            seconds: track.duration.seconds)
    }

    /// The energy of a receiver without power management: it tracks all day and searches during
    /// dropouts.
    private var alwaysOn: Double {
        let searching = options.faults.faults.filter { $0.kind == .dropout }.reduce(0.0) { sum, fault in
            sum + max(0, (min(fault.end ?? track.duration, track.duration) - min(fault.start, track.duration)).seconds)
        }
        let blind = min(searching, track.duration.seconds)
        return figures.power(in: .tracking) * (track.duration.seconds - blind) + figures.power(in: .acquiring) * blind
    }
}

package struct RehearsalEvent: Sendable, Equatable {
    /// The kinds of event.
    package enum Kind: Sendable, Equatable {
        /// An update published to these streams. Stream indices count from 0 in the order of the
        /// options.
        case update(Update, streams: [Int])
        /// An event of the fence with this index, from 0.
        case crossing(ConditionEvent, fence: Int)
        /// A new plan for the receiver.
        case plan(ReceiverPlan)
    }

    /// The time since the start.
    package var time: Instant.Span
    /// The kind of event, with its data.
    package var kind: Kind

    package init(time: Instant.Span, kind: Kind) {
        (self.time, self.kind) = (time, kind)
    }
}

/// The energy cost of a day and the quality of its updates.
package struct RehearsalSummary: Sendable, Equatable, Codable {
    /// What a motion source did, and what it had proven at the end.
    package struct Sensor: Sendable, Equatable, Codable {
        package var reports: Int
        /// What it has proven, see `MotionTrust`.
        package var trust: String

        init(_ source: MotionSource) { (reports, trust) = (source.reports, source.trust.rawValue) }
    }

    /// Energy in joules that the receiver used, according to the figures of its chip.
    package var energyJoules: Double
    /// Energy in joules that the receiver would have used without power management.
    package var alwaysOnEnergyJoules: Double
    /// Seconds during which the receiver's engine ran.
    package var receiverOnSeconds: Double
    /// The number of epochs with a position that the daemon read.
    package var fixes: Int
    /// The number of daemon wakeups, caused by the line or the timer.
    package var hostWakeups: Int
    /// The number of those wakeups while every stream was paused.
    package var hostWakeupsAtRest: Int
    /// Seconds during which every stream was paused because the device was stationary.
    package var stationarySeconds: Double
    /// Seconds from each true departure with paused streams to the update that resumed the last of
    /// them.
    package var resumeDelays: [Double]
    /// True departures that no update reported.
    package var missedDepartures: Int
    /// How often a stream resumed although the device had not departed.
    package var falseResumes: Int
    /// All fence events, and all true crossings without an event.
    package var events: [FenceResult] = []
    /// Seconds from each true crossing of a fence to its event.
    package var crossingDelays: [Double] = []
    /// True crossings of a fence without an event.
    package var missedCrossings = 0
    /// Fence events that were wrong.
    package var falseCrossings = 0
    /// The motion source at the end of the day; nil without one.
    package var motionSource: Sensor?
    package var seconds: Double

    /// The ratio of used energy to that without power management; 0 if the latter is 0.
    package var energyShare: Double { alwaysOnEnergyJoules > 0 ? energyJoules / alwaysOnEnergyJoules : 0 }

    /// The 95th percentile of the crossing delays in seconds; nil without any.
    package var crossingDelay95: Double? {
        let sorted = crossingDelays.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min((sorted.count * 95 + 99) / 100, sorted.count) - 1]
    }

    /// Daemon wakeups per minute while every stream was paused; 0 if there was no such time.
    package var hostWakeupsPerMinuteAtRest: Double {
        stationarySeconds > 0 ? Double(hostWakeupsAtRest) * 60 / stationarySeconds : 0
    }

    /// Daemon wakeups per minute.
    package var wakeupsPerMinute: Double { seconds > 0 ? Double(hostWakeups) * 60 / seconds : 0 }
}
