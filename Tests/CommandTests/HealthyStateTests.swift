import Chronology
import Locator
import Receivers
import SerialPorts
import SextantAPI
import TestSupport
import Testing

@testable import sextant

/// A doctor that calls a healthy system sick cannot be used by cron or a monitoring system.
@Suite("The doctor and a healthy system")
struct HealthyStateTests {
    /// A receiver that starts, reads, sleeps, wakes and is reloaded, with the core of the daemon,
    /// sampled at random instants.
    @Test
    func `no state of a simulated receiver that the core reports is a problem`() throws {
        var chance = SeededChance.ofTests()
        var seen: [String: Int] = [:]
        for _ in 0..<300 {
            var system = SimulatedSystem(&chance)
            let seconds = chance.number(in: 0.1...[2.0, 20, 400, 4000].randomElement(using: &chance)!)
            system.run(for: seconds, &chance)
            let observations = watch(&system, &chance)
            seen["\(observations.port?.receiver?.state.rawValue ?? "-")", default: 0] += 1
            try expectHealthy(observations, seed: chance.seed)
        }
        print("states by the core, seed \(chance.seed): \(seen.sorted { $0.key < $1.key })")
        #expect(seen.count >= 3, "the states are not varied: \(seen)")
    }

    /// Returns what the doctor sees: damaged lines make it watch the receiver.
    private func watch(_ system: inout SimulatedSystem, _ chance: inout SeededChance) -> Observations {
        var observations = system.observations(&chance)
        let first = observations.port?.receiver?.counts
        var seconds = 0.0
        while let port = observations.port, let first, seconds < observations.watchLimit,
            ReceivedLines.needsRecent(port, phase: ReceiverPhase(of: port, in: observations))
        {
            system.run(for: 0.5, &chance)
            seconds += 0.5
            observations = system.observations(&chance)
            observations.port?.watchedSeconds = seconds
            if let counts = observations.port?.receiver?.counts {
                observations.port?.recentLines = ReceivedLines(from: first, to: counts)
            }
        }
        return observations
    }

    /// Combinations that the core and the driver can report, drawn from all of their values.
    @Test
    func `no drawn state of a healthy system is a problem`() throws {
        var chance = SeededChance.ofTests()
        for _ in 0..<250 {
            let kind = try #require(HealthyState.allCases.randomElement(using: &chance))
            let observations = try kind.draw(&chance)
            try expectHealthy(observations, seed: chance.seed, "\(kind)")
        }
        for kind in HealthyState.allCases { try expectHealthy(try kind.draw(&chance), seed: chance.seed, "\(kind)") }
        print("drawn states, seed \(chance.seed)")
    }

    private func summary(of observations: Observations) -> String {
        let (port, receiver) = (observations.port, observations.port?.receiver)
        return """
            state \(receiver?.state.rawValue ?? "-"), detail \(receiver?.detail ?? "-"), driver \
            \(receiver?.driver.map { "\($0.activity)" } ?? "-"), cause \(port?.cause.map { "\($0)" } ?? "-"), \
            position \(port?.location != nil), needed \(observations.isPositionNeeded.map { "\($0)" } ?? "-"), \
            up \(observations.uptime ?? -1) s, watched \(port?.watchedSeconds ?? -1) s
            """
    }

    private func expectHealthy(_ observations: Observations, seed: UInt64, _ kind: String = "core") throws {
        let diagnosis = Diagnosis(observations)
        let wrong = diagnosis.checks.first { $0.state == .wrong }
        #expect(
            wrong == nil && diagnosis.checks.isHealthy,
            "\(kind), seed \(seed): \(wrong.map { "\($0.check): \($0.finding)" } ?? "") of \(summary(of: observations))"
        )
    }
}

/// A random source with a seed that a failed test prints.
struct SeededChance: RandomNumberGenerator {
    let seed: UInt64
    private var generator: SeededGenerator

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    /// The seed in SEXTANT_SEED, else a fixed one.
    static func ofTests() -> SeededChance {
        SeededChance(seed: Environment.value("SEXTANT_SEED").flatMap { UInt64($0) } ?? 20_261_122)
    }

    mutating func next() -> UInt64 { generator.next() }
    mutating func number(in range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }
    mutating func count(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func chance(_ share: Double) -> Bool { number(in: 0...1) < share }
}

/// A kind of healthy state, which is drawn with random figures.
enum HealthyState: CaseIterable {
    case reading, asleep, fallingAsleep, justStarted, coldStart, firstFixes, waking, reloading, justConnected
    case checkedConverter, damagedBefore

    func draw(_ chance: inout SeededChance) throws -> Observations {
        var observations = try DiagnosisTests.healthy()
        observations.uptime = chance.number(in: 100...1e6)
        observations.isPositionNeeded = chance.chance(0.5)
        observations.port?.secondsPresent = chance.chance(0.5) ? chance.number(in: 100...1e6) : nil
        observations.port?.watchedSeconds = chance.chance(0.5) ? chance.number(in: 0...14) : 0
        observations.port?.receiver?.counts = counts(&chance)
        observations.port?.receiver?.driver = DriverState(activity: .running, isUnresponsive: false)
        try change(&observations, &chance)
        return observations
    }

    private func change(_ observations: inout Observations, _ chance: inout SeededChance) throws {
        let resting = [DriverActivity.asleep, .portClosed]
        switch self {
        case .reading:
            observations.port?.location?.horizontalAccuracy = chance.number(in: 0.02...100)
            observations.port?.receiver?.driver = DriverActivity.allCases.filter { !resting.contains($0) }
                .randomElement(using: &chance).map { DriverState(activity: $0, isUnresponsive: false) }
        case .asleep:
            // The plan is to sleep; the driver has not acted yet, or has.
            let activity = DriverActivity.allCases.randomElement(using: &chance)
            observations.loseFix(state: .asleep, cause: chance.chance(0.5) ? .starting : nil, driver: activity)
        case .fallingAsleep:
            observations.isPositionNeeded = false
            let state = [ReceiverHealth.hasFix, .sendingWithoutFix, .silent, .detectingBaudRate]
            let cause = [Cause.starting, .noFix, .receiverSilent].randomElement(using: &chance)
            observations.loseFix(
                state: state.randomElement(using: &chance) ?? .silent, cause: cause,
                driver: resting.randomElement(using: &chance))
        case .justStarted:
            observations.uptime = chance.number(in: 0...2)
            observations.loseFix(
                state: chance.chance(0.5) ? .detectingBaudRate : .sendingWithoutFix, cause: .starting, driver: .unknown)
            observations.port?.receiver?.counts.sentences = 0
            observations.port?.receiver?.counts.bytes = chance.chance(0.5) ? 0 : chance.count(in: 1...900)
        case .coldStart:
            observations.loseFix(state: .sendingWithoutFix, cause: .noFix, driver: .running)
            observations.makeYoung(&chance)
        case .firstFixes:
            observations.port?.location?.horizontalAccuracy = chance.number(in: 100...500)
            observations.makeYoung(&chance)
        case .waking:
            let state = [ReceiverHealth.sendingWithoutFix, .silent, .detectingBaudRate].randomElement(using: &chance)
            // The daemon has no cause either while the last position is still the current one.
            observations.loseFix(
                state: state ?? .silent, cause: state != .sendingWithoutFix && chance.chance(0.5) ? nil : .starting,
                driver: chance.chance(0.5) ? .configuring : .running)
            if chance.chance(0.3) { observations.port?.receiver?.counts.sentences = 0 }
        case .reloading:
            let state = [ReceiverHealth.absent, .busy, .detectingBaudRate].randomElement(using: &chance) ?? .absent
            observations.loseFix(
                state: state,
                cause: state == .absent ? .noReceiver : state == .busy ? .portBusy : .notUnderstood, driver: .unknown)
            observations.port?.receiver?.counts = ReceiverCounts.none
            observations.port?.receiver?.counts.bytes = chance.count(in: 0...20_000)
        case .justConnected:
            observations.loseFix(state: .denied, cause: .permissionDenied, driver: nil)
            observations.port?.access = .denied(group: chance.chance(0.5) ? "root" : nil)
            observations.port?.secondsPresent = chance.number(in: 0...9)
        case .checkedConverter: try checkConverter(&observations, &chance)
        case .damagedBefore:
            // Damage of earlier wakes and detections; none, or those of one wake, since then.
            observations.port?.receiver?.counts.checksumErrors += chance.count(in: 100...100_000)
            observations.port?.recentLines = ReceivedLines(
                total: chance.count(in: 20...400), damaged: chance.count(in: 0...2))
            observations.port?.watchedSeconds = chance.number(in: 3...15)
        }
    }

    /// A converter is not listed until its data has been confirmed.
    private func checkConverter(_ observations: inout Observations, _ chance: inout SeededChance) throws {
        let device = DeviceDescription(
            name: "ttyUSB0", path: "/dev/ttyUSB0", subsystem: "tty", driver: "ftdi_sio",
            usb: USBIdentity(vendor: 0x0403, product: 0x6001))
        #expect(device.kind.opensAutomatically && device.kind.requiresDetection)
        var port = Observations.Port(device: device, exists: true, isOpenInDaemon: false, access: .allowed)
        if chance.chance(0.5) {
            observations.uptime = chance.number(in: 0...60)
        } else {
            port.secondsPresent = chance.number(in: 0...60)
        }
        switch chance.count(in: 0...3) {
        case 0: port.holders = [PortHolder(process: 7, command: "sextantd")]
        case 1: port.isHeldInvisibly = true
        case 2: port.access = .denied(group: "dialout")
        default: break
        }
        observations.port = port
    }

    private func counts(_ chance: inout SeededChance) -> ReceiverCounts {
        var counts = ReceiverCounts.none
        counts.sentences = chance.count(in: 1...1_000_000)
        counts.bytes = counts.sentences * 70
        counts.epochs = max(counts.sentences / 8, 1)
        // A good line damages none, but each opening and each wake can damage one.
        counts.checksumErrors = counts.sentences < 200 ? chance.count(in: 0...1) : chance.count(in: 0...2)
        if self == .asleep { counts.truncated = counts.sentences / chance.count(in: 4...100) }
        return counts
    }
}

extension ReceiverCounts {
    static var none: ReceiverCounts { ReceiverCounts(Locator.emptyReport) }
}

extension Locator {
    /// The report of a receiver that has just been attached.
    fileprivate static var emptyReport: ReceiverReport {
        var locator = Locator()
        locator.attach(ReceiverID(0), name: "gps", port: "/dev/gps", status: .open, at: .zero)
        return locator.reports(at: .zero)[0]
    }
}

extension Observations {
    /// Puts the receiver into a state without a position.
    fileprivate mutating func loseFix(
        state: ReceiverHealth, cause: Cause?, driver: DriverActivity?
    ) {
        port?.receiver?.state = state
        port?.receiver?.detail = cause.map { "\($0)" }
        port?.location = nil
        port?.cause = cause
        port?.receiver?.driver = driver.map { DriverState(activity: $0, isUnresponsive: false) }
        if driver == .portClosed { port?.receiver?.baud = nil }
    }

    /// Limits the time in which the receiver can have searched for satellites.
    fileprivate mutating func makeYoung(_ chance: inout SeededChance) {
        switch chance.count(in: 0...2) {
        case 0: uptime = chance.number(in: 0...80)
        case 1: port?.secondsPresent = chance.number(in: 0...80)
        default: port?.receiver?.counts.epochs = chance.count(in: 0...80)
        }
    }
}
