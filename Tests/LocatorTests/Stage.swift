import Chronology
import Geofencing
import Locator
import Positioning
import TestSupport
import Testing

/// The core with its recorded effects and a simulated clock.
struct Stage {
    var locator = Locator()
    private(set) var now = Instant.zero
    /// Whether a deadline was always due again. Then ``wait(_:)`` ticks no more, so that the test
    /// fails soon.
    private var isStuck = false
    /// All effects so far. Returned updates, visits and answers are recorded as effects too.
    var effects: [Effect] = []
    /// The ages in seconds of the locations that answered requests immediately.
    private var immediateAges: [Int: [Double]] = [:]

    /// Attaches an open receiver `ttyN`.
    mutating func attach(_ number: Int, status: PortStatus = .open) {
        locator.attach(
            ReceiverID(number), name: "tty\(number)", port: "/dev/tty\(number)", status: status, at: now)
        collect()
    }

    mutating func set(_ status: PortStatus, of number: Int) {
        locator.set(status, of: ReceiverID(number), at: now)
        collect()
    }

    mutating func detach(_ number: Int) {
        locator.detach(ReceiverID(number), at: now)
        collect()
    }

    mutating func subscribe(
        _ number: Int, configuration: Configuration = .automotiveNavigation, receiver: String? = nil,
        options: StreamOptions = StreamOptions()
    ) {
        let request = StreamRequest(
            configuration: configuration, receiver: ReceiverSelection(receiver), options: options)
        let update = locator.subscribe(request, id: RequestID(number), at: now)
        collect()
        effects.append(.request(.publish(update, [RequestID(number)])))
    }

    mutating func locate(
        _ number: Int, maximumAge: Double = 0, timeout: Double = 10, receiver: String? = nil, timesBurst: Bool = false
    ) {
        let recent = locator.requestLocation(
            RequestID(number), maximumAge: .seconds(maximumAge), deadline: now + .seconds(timeout),
            receiver: ReceiverSelection(receiver), timesBurst: timesBurst, at: now)
        collect()
        guard let recent else { return }
        effects.append(.request(.answer(RequestID(number), recent.location, age: recent.age, burstAge: nil)))
        immediateAges[number, default: []].append(recent.age.seconds)
    }

    mutating func watch(_ batch: [GeofenceEngine.Entry]) {
        locator.addConditions(batch, at: now)
        collect()
    }

    mutating func watchVisits(_ number: Int, continuing open: Stay? = nil) {
        let visit = locator.watchVisits(RequestID(number), continuing: open, at: now)
        collect()
        effects.append(.visit(visit, [RequestID(number)]))
    }

    /// Advances the clock and calls `tick` at every deadline until then.
    mutating func wait(_ seconds: Double) {
        let end = now + .seconds(seconds)
        var ticks = 0
        while !isStuck, let deadline = locator.deadline(), deadline <= end {
            ticks += 1
            if ticks > 10_000 + Int(seconds) * 100 {
                Issue.record("the deadline \(deadline) stays after \(ticks) ticks")
                isStuck = true
            }
            now = max(deadline, now + Instant.Span(nanoseconds: 1))
            locator.tick(at: now)
            collect()
        }
        now = max(now, end)
    }

    /// Delivers bytes of a receiver.
    mutating func receive(_ text: String, from number: Int, burstStart: Instant? = nil) {
        let result = locator.receive(
            Array(text.utf8).span.bytes, from: ReceiverID(number), at: now, burstStart: burstStart)
        effects += result.updates.map { .request(.publish($0.update, $0.streams)) }
        collect()
    }

    /// Delivers a burst with a fix; HDOP sets its accuracy, `second` its time.
    mutating func fix(
        _ number: Int, second: Int, tenths: Int = 0, hdop: Double = 1, latitude: String = "4717.11399",
        burstStart: Instant? = nil
    ) {
        let clock = "12" + two(second / 60) + two(second % 60) + ".\(tenths)0"
        receive(
            line("GPGGA,\(clock),\(latitude),N,00833.91590,E,1,08,\(hdop),499.6,M,48.0,M,,"), from: number,
            burstStart: burstStart)
        receive(
            line("GPRMC,\(clock),A,\(latitude),N,00833.91590,E,0.0,,211126,,,A"), from: number,
            burstStart: burstStart)
    }

    /// Delivers `seconds` fixes of a drive north at 20 m/s, one per second, starting `metres` along
    /// the path.
    mutating func drive(_ number: Int, from second: Int, seconds: Int, metres: Double = 0, hdop: Double = 1) {
        for index in 0..<seconds {
            let minutes = 17.11399 + (metres + Double(index + 1) * 20) / 1852
            let thousandths = Int(minutes * 1000)
            let latitude = "47\(two(thousandths / 1000)).\(two(thousandths % 1000 / 10))\(thousandths % 10)"
            let clock = "12" + two((second + index) / 60) + two((second + index) % 60) + ".00"
            receive(line("GPGGA,\(clock),\(latitude),N,00833.91590,E,1,08,\(hdop),499.6,M,48.0,M,,"), from: number)
            receive(line("GPRMC,\(clock),A,\(latitude),N,00833.91590,E,38.9,0.0,211126,,,A"), from: number)
            wait(1)
        }
    }

    /// Delivers a burst without a fix.
    mutating func noFix(_ number: Int) {
        receive(line("GPGGA,,,,,,0,00,99.99,,,,,,") + line("GPRMC,,V,,,,,,,,,,N"), from: number)
    }

    /// Delivers `seconds` fixes, one per second.
    mutating func fixes(
        _ number: Int, from second: Int, seconds: Int, hdop: Double = 1, latitude: String = "4717.11399"
    ) {
        for index in second..<(second + seconds) {
            fix(number, second: index, hdop: hdop, latitude: latitude)
            wait(1)
        }
    }

    /// Returns the updates of a stream since the last call, in short form: the receiver's name for
    /// a position, or the cause.
    mutating func takeUpdates(_ number: Int) -> [String] {
        defer {
            effects.removeAll { effect in
                if case .request(.publish(_, [RequestID(number)])) = effect { true } else { false }
            }
        }
        return effects.compactMap { effect in
            guard case .request(.publish(let update, let streams)) = effect, streams.contains(RequestID(number)) else {
                return nil
            }
            return update.location?.receiver ?? update.unavailability?.cause.rawValue ?? "?"
        }
    }

    /// Returns the kinds of the positions of a stream since the last call: "moving", "rest" or
    /// "setOff".
    mutating func takeKinds(_ number: Int) -> [String] {
        let found: [String] = effects.compactMap { effect in
            guard case .request(.publish(let update, let streams)) = effect, streams.contains(RequestID(number)),
                update.location != nil
            else {
                return nil
            }
            return update.stationary ? "rest" : update.hasDeparted ? "setOff" : "moving"
        }
        clearEffects()
        return found
    }

    /// Returns the plans of a receiver since the last call to ``clearEffects()``.
    func plans(_ number: Int) -> [ReceiverPlan] {
        effects.compactMap { effect in
            if case .receiver(.plan(ReceiverID(number), let plan)) = effect { plan } else { nil }
        }
    }

    /// Returns the read policies of the receiver's port.
    func readPolicies(_ number: Int) -> [ReadPolicy] {
        effects.compactMap { effect in
            if case .receiver(.readPolicy(ReceiverID(number), let policy)) = effect { policy } else { nil }
        }
    }

    /// Returns the fix times of the positions of a stream, in seconds after noon.
    func times(_ number: Int) -> [Double] {
        effects.compactMap { effect in
            guard case .request(.publish(let update, let streams)) = effect, streams.contains(RequestID(number)) else {
                return nil
            }
            return update.location?.fix.time.map { Double($0.milliseconds % 86_400_000) / 1000 - 43_200 }
        }
    }

    /// Returns the ages in seconds of the locations that answered a request immediately.
    func ages(_ number: Int) -> [Double] { immediateAges[number] ?? [] }

    /// Returns the answers to a location request so far: a receiver's name, or the cause of a
    /// refusal.
    func answers(_ number: Int) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .request(.answer(RequestID(number), let location, age: _, burstAge: _)): location.receiver
            case .request(.reject(RequestID(number), let reason)): reason.cause.rawValue
            default: nil
            }
        }
    }

    /// Returns the age in seconds of the last location that answered a request.
    func answerAge(_ number: Int) -> Double? {
        let ages: [Double] = effects.compactMap { effect in
            if case .request(.answer(RequestID(number), _, let age, burstAge: _)) = effect { age.seconds } else { nil }
        }
        return ages.last
    }

    /// Returns the time in seconds since the beginning of the burst, of each answer to a location
    /// request.
    func burstAges(_ number: Int) -> [Double?] {
        effects.compactMap { effect in
            if case .request(.answer(RequestID(number), _, age: _, let age)) = effect {
                .some(age?.seconds)
            } else {
                nil
            }
        }
    }

    mutating func clearEffects() {
        effects.removeAll()
    }

    private mutating func collect() { effects += locator.takeEffects() }

    private func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
}

/// Returns a sentence body with `$`, checksum and line ending.
func line(_ body: String) -> String { SentenceLine.text(body) }
