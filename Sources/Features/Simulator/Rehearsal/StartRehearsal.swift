import Chronology
import Geodesy
import Locator
import Positioning
import Receivers

/// Rehearses the first fix of a receiver after eight hours of sleep, or an hour without power,
/// under an open sky, with the daemon's own driver in simulated time.
package struct StartRehearsal {
    /// What the receiver is given.
    package enum Assistance: String, Sendable, CaseIterable {
        case none
        case timeAndPlace = "time and place"
        /// Its own prediction of orbits, with time and place.
        case prediction
        /// A time that is a day ahead of the true one, which the daemon never gives. For
        /// comparison.
        case wrongTime = "time wrong by a day"
        /// Time and place after a loss of power, which ends all that the receiver knew.
        case afterPowerLoss = "1 h without power"
        /// The same, with the receiver's own database, which it dumped before.
        case database = "and its database"

        /// Whether the receiver is without power instead of asleep.
        var losesPower: Bool { self == .afterPowerLoss || self == .database }
    }

    private static let receiverID = ReceiverID(0)
    /// The time to track before the sleep, and the length of the sleep.
    private static let (tracking, sleep) = (Instant.Span.seconds(120), Instant.Span.seconds(8 * 3600))
    private static let powerLoss = Instant.Span.seconds(3600)
    /// Greenwich.
    private static let place = Coordinate(latitude: 51.4779, longitude: -0.0015)

    private let assistance: Assistance
    private var options = SimulatorOptions()
    private var receiver: VirtualReceiver
    /// What the receiver dumped.
    private var database: SatelliteData.Database?
    private var driver: ReceiverDriver
    private var locator = Locator()
    private var input = MessageCollector()
    private var start: ReceiverStart?
    private var now = Instant.zero

    private init(_ kind: ReceiverKind, _ assistance: Assistance, seed: UInt64) throws {
        self.assistance = assistance
        options.receiver = kind
        options.seed = seed
        if let place = StartRehearsal.place { options.source = .stationary(place, altitude: 45) }
        // At 9,600 baud no database is transferred.
        let baud = max(ReceiverProfile(for: kind).baud, assistance.losesPower ? 38_400 : 0)
        options.baud = baud
        receiver = try options.receiver(origin: .zero)
        var settings = DriverSettings()
        settings.baud = baud
        settings.keepsDatabase = assistance == .database
        settings.predictsOrbits = assistance == .prediction
        driver = ReceiverDriver(settings)
        locator.setReference(SimulatedCapture.defaultStart, guessesDay: true)
        locator.attach(StartRehearsal.receiverID, name: "rehearsed", port: "rehearsed", status: .open, at: now)
    }

    /// Returns the median of the times to the first fix of some receivers, in seconds; nil if one
    /// has none within ten minutes.
    package static func median(
        of kind: ReceiverKind, with assistance: Assistance, count: Int = 20
    ) throws -> Double? {
        var times: [Double] = []
        for seed in 1...max(count, 1) {
            guard let start = try start(of: kind, with: assistance, seed: UInt64(seed)) else { return nil }
            times.append(start.duration.seconds)
        }
        times.sort()
        return (times[(times.count - 1) / 2] + times[times.count / 2]) / 2
    }

    /// Returns the start of one receiver; nil if it has no fix within ten minutes.
    package static func start(
        of kind: ReceiverKind, with assistance: Assistance, seed: UInt64
    ) throws -> ReceiverStart? {
        var rehearsal = try StartRehearsal(kind, assistance, seed: seed)
        return try rehearsal.run()
    }

    private mutating func run() throws -> ReceiverStart? {
        driver.portOpened(at: now)
        driver.setPlan(.run(RunPlan()), at: now)
        advance(by: StartRehearsal.tracking)
        let lastPlace = StartRehearsal.place.map { LastPlace($0, altitude: 45, accuracy: 4, at: now) }
        driver.setPlan(.sleep(until: now + StartRehearsal.sleep), at: now)
        advance(by: (assistance.losesPower ? StartRehearsal.powerLoss : StartRehearsal.sleep) - .seconds(1))
        start = nil
        if assistance.losesPower { driver.portLost(at: now) }
        if assistance != .none {
            let error = Instant.Span.seconds(assistance == .wrongTime ? 86_400 : 0)
            let utc = SimulatedCapture.defaultStart.advanced(by: now - .zero + error)
            driver.starts.assistance = StartAssistance(
                clock: BelievedClock(utc, at: now, error: .milliseconds(500)), place: lastPlace)
        }
        if assistance.losesPower {
            options.coldStart = true
            options.startTime = SimulatedCapture.defaultStart.advanced(by: now - .zero)
            receiver = try options.receiver(origin: now)
            driver.starts.data = database.map { SatelliteData(database: $0) }
            driver.portOpened(at: now)
        }
        driver.setPlan(.run(RunPlan()), at: now)
        advance(by: .seconds(600))
        return start
    }

    private mutating func advance(by span: Instant.Span) {
        let end = now + span
        perform()
        while let next = earliest(earliest(receiver.deadline, driver.deadline), locator.deadline()), next <= end,
            start == nil
        {
            now = max(now, next)
            for chunk in receiver.bytes(until: now) { receive(chunk.bytes) }
            _ = locator.tick(at: now)
            recordEpochs()
            driver.advance(to: now)
            perform()
        }
        now = max(now, start == nil ? end : now)
    }

    private mutating func receive(_ bytes: [UInt8]) {
        var input = input
        if driver.usesInput { input.addFrames(in: bytes.span.bytes) }
        _ = locator.receive(
            bytes.span.bytes, from: StartRehearsal.receiverID, at: now,
            onFrame: driver.usesInput ? { input.addSentence($0) } : nil)
        driver.receive(&input, at: now)
        self.input = input
        recordEpochs()
    }

    private mutating func recordEpochs() {
        for case .receiver(.epoch(_, let fix)) in locator.takeEffects() {
            driver.recordEpoch(hasFix: fix.coordinate != nil, at: now)
        }
    }

    private mutating func perform() {
        for action in driver.takeActions() {
            switch action {
            case .write(let bytes): receiver.process(bytes, at: now)
            case .report(.started(let start)): self.start = start
            case .report(.databaseDumped(let bytes, let firmware)):
                let utc = SimulatedCapture.defaultStart.advanced(by: now - .zero)
                database = SatelliteData.Database(time: utc, firmware: firmware, bytes: bytes)
            case .report, .saveState, .closePort, .openPort: break
            }
        }
    }
}
