import Chronology
import Delivery
import Geofencing
import Locator
import Positioning

/// The core with its effects, and a hand on its clock.
struct Stage {
    var locator = Locator()
    private(set) var now = Instant.zero
    var effects: [Effect] = []

    /// Attaches an open receiver `ttyN`.
    mutating func attach(_ number: Int, status: PortStatus = .open) {
        locator.attach(ReceiverID(number), name: "tty\(number)", port: "/dev/tty\(number)", status: status, at: now, into: &effects)
    }

    mutating func set(_ status: PortStatus, of number: Int) {
        locator.set(status, of: ReceiverID(number), at: now, into: &effects)
    }

    mutating func detach(_ number: Int) {
        locator.detach(ReceiverID(number), at: now, into: &effects)
    }

    mutating func subscribe(
        _ number: Int, _ configuration: LiveConfiguration = .automotiveNavigation, receiver: String? = nil,
        options: StreamOptions = StreamOptions()
    ) {
        let request = StreamRequest(configuration: configuration, receiver: receiver, options: options)
        locator.subscribe(StreamID(number), request, at: now, into: &effects)
    }

    mutating func locate(_ number: Int, maximumAge: Double = 0, timeout: Double = 10, receiver: String? = nil) {
        locator.locate(
            StreamID(number), maximumAge: .seconds(maximumAge), timeout: .seconds(timeout), receiver: receiver, at: now, into: &effects)
    }

    mutating func watch(_ batch: [FenceWatch.Entry]) {
        locator.addConditions(batch, at: now, into: &effects)
    }

    /// Lets time pass, ticking at every deadline on the way.
    mutating func wait(_ seconds: Double) {
        let end = now + .seconds(seconds)
        while let deadline = locator.deadline(), deadline <= end {
            now = max(deadline, now + Instant.Span(nanoseconds: 1))
            locator.tick(at: now, into: &effects)
        }
        now = max(now, end)
    }

    /// Bytes of a receiver.
    mutating func hear(_ text: String, from number: Int) {
        locator.receive(Array(text.utf8).span.bytes, from: ReceiverID(number), at: now, into: &effects)
    }

    /// A burst of a receiver with a fix; HDOP tells how good it is, `second` when it was made.
    mutating func fix(_ number: Int, second: Int, tenths: Int = 0, hdop: Double = 1) {
        let clock = "12" + two(second / 60) + two(second % 60) + ".\(tenths)0"
        hear(line("GPGGA,\(clock),4717.11399,N,00833.91590,E,1,08,\(hdop),499.6,M,48.0,M,,"), from: number)
        hear(line("GPRMC,\(clock),A,4717.11399,N,00833.91590,E,0.0,,211126,,,A"), from: number)
    }

    /// `seconds` of fixes on the way north at 20 m/s, one a second; `metres` on the way already.
    mutating func drive(_ number: Int, from second: Int, seconds: Int, metres: Double = 0, hdop: Double = 1) {
        for at in 0..<seconds {
            let minutes = 17.11399 + (metres + Double(at + 1) * 20) / 1852
            let thousandths = Int(minutes * 1000)
            let latitude = "47\(two(thousandths / 1000)).\(two(thousandths % 1000 / 10))\(thousandths % 10)"
            let clock = "12" + two((second + at) / 60) + two((second + at) % 60) + ".00"
            hear(line("GPGGA,\(clock),\(latitude),N,00833.91590,E,1,08,\(hdop),499.6,M,48.0,M,,"), from: number)
            hear(line("GPRMC,\(clock),A,\(latitude),N,00833.91590,E,38.9,0.0,211126,,,A"), from: number)
            wait(1)
        }
    }

    /// A burst of a receiver without a fix.
    mutating func noFix(_ number: Int) {
        hear(line("GPGGA,,,,,,0,00,99.99,,,,,,") + line("GPRMC,,V,,,,,,,,,,N"), from: number)
    }

    /// `seconds` of fixes, one a second.
    mutating func fixes(_ number: Int, from second: Int, seconds: Int, hdop: Double = 1) {
        for at in second..<(second + seconds) {
            fix(number, second: at, hdop: hdop)
            wait(1)
        }
    }

    /// What a stream has been told since the last call, in brief: a receiver's name for a position, or the cause why there is none.
    mutating func told(_ number: Int) -> [String] {
        defer { effects.removeAll { effect in if case .publish(_, [StreamID(number)]) = effect { true } else { false } } }
        return effects.compactMap { effect in
            guard case .publish(let update, let streams) = effect, streams.contains(StreamID(number)) else { return nil }
            return update.location?.receiver ?? update.unavailability?.cause.rawValue ?? "?"
        }
    }

    /// The positions that a stream has been told since the last call: "moving", "rest" or "setOff".
    mutating func manners(_ number: Int) -> [String] {
        let found: [String] = effects.compactMap { effect in
            guard case .publish(let update, let streams) = effect, streams.contains(StreamID(number)), update.location != nil else {
                return nil
            }
            return update.stationary ? "rest" : update.hasSetOff ? "setOff" : "moving"
        }
        forget()
        return found
    }

    /// The plans that a receiver was told since the last call to ``forget()``.
    func plans(_ number: Int) -> [ReceiverPlan] {
        effects.compactMap { effect in if case .plan(ReceiverID(number), let plan) = effect { plan } else { nil } }
    }

    /// The paces that its port was told.
    func paces(_ number: Int) -> [ReadPace] {
        effects.compactMap { effect in if case .pace(ReceiverID(number), let pace) = effect { pace } else { nil } }
    }

    /// The times of fix of the positions that a stream has been told, in seconds after noon.
    func times(_ number: Int) -> [Double] {
        effects.compactMap { effect in
            guard case .publish(let update, let streams) = effect, streams.contains(StreamID(number)) else { return nil }
            return update.location?.fix.time.map { Double($0.milliseconds % 86_400_000) / 1000 - 43_200 }
        }
    }

    /// How old the answers to a question were, in seconds.
    func ages(_ number: Int) -> [Double] {
        effects.compactMap { effect in if case .answer(StreamID(number), _, let age) = effect { age.seconds } else { nil } }
    }

    /// The answers to a question so far: a receiver's name, or the cause of a refusal.
    func answers(_ number: Int) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .answer(StreamID(number), let location, _): location.receiver
            case .refuse(StreamID(number), let reason): reason.cause.rawValue
            default: nil
            }
        }
    }

    mutating func forget() {
        effects.removeAll()
    }

    private func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
}

/// A body with all that frames it.
func line(_ body: String) -> String {
    let sum = body.utf8.reduce(0, ^)
    return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
}
