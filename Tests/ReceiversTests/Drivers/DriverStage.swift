import Chronology
import Locator
import NMEA
import Simulator
import Testing

@testable import Receivers

/// A driver and a simulated, commandable receiver at the two ends of a line, in simulated time.
struct DriverStage {
    var driver: ReceiverDriver
    var receiver: VirtualReceiver
    var now = Instant.zero
    var isOpen = false
    /// Whether the port cannot be opened.
    var isBusy = false
    /// Returns what arrives at the receiver of a written command; nil if it is lost.
    var transmission: ([UInt8]) -> [UInt8]? = { $0 }
    /// The receiver state that the state directory would contain.
    var memory: ReceiverStateRecord?
    /// The written commands with their times.
    var written: [(at: Instant, bytes: [UInt8])] = []
    /// The navigation databases that were dumped.
    var dumps: [(bytes: [UInt8], firmware: String)] = []
    /// The number of commands that put the receiver to sleep.
    var sleepCommands = 0
    /// The number of those that were written before the state directory had the record of them.
    var unsavedSleepCommands = 0
    /// The lines received while the port was open.
    var lines: [(at: Instant, text: String)] = []
    /// What the driver requested and when.
    var timeline = Timeline()
    private var partial: [UInt8] = []
    private var line = DriverLine()

    /// - Parameter opening: seconds between switching on the receiver and opening the port; 10
    ///   hides the boot messages.
    init(
        _ kind: ReceiverKind, manner: CommandBehavior = .normal, isNativeUSB: Bool = false, isPassive: Bool = false,
        baud: Int = 115_200,
        opening: Double = 10, faults: [Fault] = [], keepsDatabase: Bool = false
    ) throws {
        var options = SimulatorOptions()
        options.receiver = kind
        options.commandBehavior = manner
        options.isNativeUSB = isNativeUSB
        options.baud = baud
        options.faults = FaultSchedule(faults)
        receiver = try options.receiver(origin: .zero)
        var settings = DriverSettings()
        settings.isPassive = isPassive
        settings.isNativeUSB = isNativeUSB
        settings.baud = baud
        settings.keepsDatabase = keepsDatabase
        driver = ReceiverDriver(settings)
        wait(opening)
        open()
    }

    mutating func open() {
        isOpen = true
        partial.removeAll()
        line = DriverLine()
        driver.portOpened(at: now)
        carryOut()
    }

    /// Simulates a crash: a new program starts with the contents of the state directory.
    mutating func crash(isNativeUSB: Bool = false) {
        var settings = DriverSettings()
        settings.savedState = memory
        settings.isNativeUSB = isNativeUSB
        settings.baud = 115_200
        driver = ReceiverDriver(settings)
        open()
    }

    mutating func follow(_ plan: ReceiverPlan) {
        driver.setPlan(plan, at: now)
        carryOut()
    }

    mutating func finish() {
        driver.finish(at: now)
        carryOut()
        wait(3)
    }

    /// Advances the time event by event.
    mutating func wait(_ seconds: Double) {
        let end = now + .seconds(seconds)
        while let next = earliest(receiver.deadline, driver.deadline), next <= end {
            now = max(now, next)
            turn()
        }
        now = end
        turn()
    }

    /// Suspends the host: what came just before is read after it, in each of these seconds.
    mutating func suspend(_ seconds: Double, late lag: ClosedRange<Int>) {
        let late = Array(lines.suffix(10).map { "\($0.text)\n" }.joined().utf8)
        now = now + .seconds(seconds)
        for second in 0...lag.upperBound {
            if second > 0 { wait(1) }
            if lag.contains(second) { line.receive(late, at: now, by: &driver) }
            driver.advance(to: now)
            carryOut()
        }
    }

    private mutating func turn() {
        for chunk in receiver.bytes(until: now) where isOpen {
            note(chunk.bytes)
            line.receive(chunk.bytes, at: now, by: &driver)
        }
        driver.advance(to: now)
        carryOut()
    }

    private mutating func carryOut() {
        let actions = driver.takeActions()
        timeline.note(actions.map(Timeline.text), at: now, next: driver.deadline)
        for action in actions {
            switch action {
            case .saveState(let memory): self.memory = memory
            case .write(let bytes):
                guard isOpen else { Issue.record("written to a closed port"); continue }
                written.append((now, bytes))
                let wasAsleep = isReceiverAsleep
                if let bytes = transmission(bytes) { receiver.process(bytes, at: now) }
                guard !wasAsleep, isReceiverAsleep else { continue }
                sleepCommands += 1
                if memory?.isAsleep != true { unsavedSleepCommands += 1 }
            case .report(.databaseDumped(let bytes, let firmware)): dumps.append((bytes, firmware))
            case .report: break
            case .closePort: isOpen = false
            case .openPort: if isBusy { driver.portLost(at: now) } else { open() }
            }
        }
    }

    private mutating func note(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte == 10 {
                lines.append((now, String(decoding: partial, as: UTF8.self)))
                partial.removeAll()
            } else {
                partial.append(byte)
            }
        }
    }

    /// Returns the number of epochs in the next `seconds`.
    mutating func epochs(_ seconds: Double) -> Int { count("GGA,", seconds) }

    /// Returns the number of lines in the next `seconds` that contain a text.
    mutating func count(_ text: String, _ seconds: Double) -> Int {
        let before = lines.count
        wait(seconds)
        return lines.dropFirst(before).count { $0.text.contains(text) }
    }

    var power: ReceiverPowerState? { receiver.meter?.state }

    var isReceiverAsleep: Bool { power == .standby || power == .stopped }

    /// All written commands, with binary ones as hexadecimal.
    var writtenText: [String] {
        written.map {
            $0.bytes.first == UInt8(ascii: "$")
                ? String(decoding: $0.bytes.dropLast(2), as: UTF8.self) : hexadecimal($0.bytes)
        }
    }
}

/// The line of a driver: frames bytes as the core and the port do.
struct DriverLine {
    private var stream = SentenceStream()
    private var input = MessageCollector()

    mutating func receive(_ bytes: [UInt8], at now: Instant, by driver: inout ReceiverDriver) {
        var input = input
        if driver.usesInput { input.addFrames(in: bytes.span.bytes) }
        stream.push(bytes.span.bytes, onFrame: driver.usesInput ? { input.addSentence($0) } : nil) { _, _ in }
        driver.receive(&input, at: now)
        self.input = input
    }
}

/// Formats bytes like the manuals.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}
