import Chronology
import Locator
import Positioning
import Receivers
import SextantAPI
import TestSupport

@testable import sextant

/// The core of the daemon with a receiver that follows its plans, and clients that come and go, in
/// simulated time.
struct SimulatedSystem {
    private var locator = Locator()
    private var now = Instant.zero + .seconds(1000)
    private let start: Instant
    private let id = ReceiverID(0)
    private let stream = RequestID(1)
    private var isNeeded = false
    private var nextClientChange: Instant
    /// When the port gets the right baud rate; nil if it has it.
    private var detectedAt: Instant?
    private var attachedAt: Instant
    private var plan: ReceiverPlan?
    private var followsPlanAt: Instant?
    private var isSending = true
    private var hasSentSentences = false
    private var activity = DriverActivity.unknown
    private let closesPort: Bool
    private var clock = 0

    init(_ chance: inout SeededChance) {
        start = now
        attachedAt = now
        nextClientChange = now
        closesPort = chance.chance(0.3)
        locator.emitsPlans = true
        attach(&chance)
    }

    private mutating func attach(_ chance: inout SeededChance) {
        let detects = chance.chance(0.5)
        detectedAt = detects ? now + .seconds(chance.number(in: 0.2...11)) : nil
        attachedAt = now
        isSending = true
        hasSentSentences = false
        activity = .unknown
        plan = nil
        followsPlanAt = nil
        locator.attach(
            id, name: "gps", port: "/dev/gps", status: detects ? .detectingBaudRate("detecting") : .open, at: now)
    }

    /// Runs for a time in steps of a tenth of a second.
    mutating func run(for seconds: Double, _ chance: inout SeededChance) {
        let end = now + .seconds(seconds)
        while now < end {
            now = now + .milliseconds(100)
            clock += 1
            if nextClientChange <= now { changeClients(&chance) }
            // A reload that changes the entry of the port.
            if chance.chance(0.0002) {
                locator.detach(id, at: now)
                attach(&chance)
            }
            if let detectedAt, detectedAt <= now {
                self.detectedAt = nil
                locator.set(.open, of: id, at: now)
            }
            // The driver starts when the baud rate is known and the receiver has sent sentences.
            if let followsPlanAt, followsPlanAt <= now, hasSentSentences { followPlan() }
            send(&chance)
            if let deadline = locator.deadline(), deadline <= now { locator.tick(at: now) }
            for effect in locator.takeEffects() {
                guard case .receiver(.plan(_, let plan)) = effect else { continue }
                self.plan = plan
                activity = .configuring
                followsPlanAt = now + .seconds(chance.number(in: 0.2...1.5))
            }
        }
    }

    private mutating func changeClients(_ chance: inout SeededChance) {
        nextClientChange = now + .seconds(chance.number(in: 5...600))
        if isNeeded { locator.cancel([stream]) }
        isNeeded = chance.chance(0.5)
        guard isNeeded else { return }
        let configuration = [Configuration.default, .fitness, .automotiveNavigation].randomElement(using: &chance)
        let accuracy = [DesiredAccuracy.best, .hundredMetres, .kilometre].randomElement(using: &chance)
        let options = StreamOptions(desiredAccuracy: accuracy ?? .best)
        _ = locator.subscribe(
            StreamRequest(configuration: configuration ?? .default, options: options), id: stream, at: now)
    }

    private mutating func followPlan() {
        followsPlanAt = nil
        switch plan {
        case .sleepIndefinitely, .sleep: (isSending, activity) = (false, closesPort ? .portClosed : .asleep)
        case .run, nil: (isSending, activity) = (true, .running)
        }
    }

    /// Sends a burst once a second, or garbage while the baud rate is wrong.
    private mutating func send(_ chance: inout SeededChance) {
        guard isSending, clock % 10 == 0 else { return }
        let seconds = clock / 10
        hasSentSentences = detectedAt == nil
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = two(seconds / 3600 % 24) + two(seconds / 60 % 60) + two(seconds % 60) + ".00"
        let satellites = "01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45"
        let text =
            detectedAt != nil
            ? "\u{1}x~$GP\u{7F}fx" + String(repeating: "w", count: 200)
            : SentenceLine.text("GPRMC,\(time),A,4717.11399,N,00833.91590,E,0.004,77.52,221126,,,A")
                + SentenceLine.text("GPGGA,\(time),4717.11399,N,00833.91590,E,1,08,1.0,499.6,M,48.0,M,,")
                + SentenceLine.text("GPGSV,1,1,04,\(satellites)")
        let bytes = Array(text.utf8)
        _ = locator.receive(bytes.span.bytes, from: id, at: now)
    }

    /// Returns what the doctor sees now.
    func observations(_ chance: inout SeededChance) -> Observations {
        var port = Observations.Port(
            device: .init(path: "/dev/gps"), exists: true, isOpenInDaemon: true, access: .allowed)
        var core = locator
        if let report = core.reports(at: now).first {
            var receiver = Receiver(report)
            receiver.driver = DriverState(activity: activity, isUnresponsive: false)
            receiver.baud = detectedAt == nil && activity != .portClosed ? 9600 : nil
            port.receiver = receiver
        }
        let request = StreamRequest(configuration: .default, options: StreamOptions(isPassive: true))
        let update = SubscribeReply(core.subscribe(request, id: RequestID(2), at: now))
        (port.location, port.cause) = (update.location, update.cause)
        var observations = Observations(
            socketPath: "/run/sextant/io.sextant", socket: .replied(version: "1.0.0"), service: .installed,
            user: "alice", port: port)
        observations.configuration = .valid(files: [])
        observations.uptime = (now - start).seconds
        observations.isPositionNeeded = chance.chance(0.2) ? nil : isNeeded
        return observations
    }
}
