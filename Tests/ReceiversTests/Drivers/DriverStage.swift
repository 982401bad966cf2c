import Chronology
import Delivery
import NMEA
import ReceiverSimulator
import Testing

@testable import Receivers

/// A driver and an obedient receiver at the two ends of a line, in simulated time.
struct DriverStage {
    var driver: ReceiverDriver
    var receiver: VirtualReceiver
    var now = Instant.zero
    var isOpen = false
    /// What the state directory would hold.
    var memory: ReceiverMemory?
    /// What was written, and when.
    var written: [(at: Instant, bytes: [UInt8])] = []
    /// Lines that came while the port was open.
    var lines: [(at: Instant, text: String)] = []
    private var partial: [UInt8] = []

    /// - Parameter opening: Seconds after switching on at which the port is opened; 10 hides the boot messages.
    init(
        _ kind: ReceiverKind, manner: CommandManner = .obey, isNativeUSB: Bool = false, isPassive: Bool = false, baud: Int = 115_200,
        opening: Double = 10, faults: [Fault] = []
    ) throws {
        var options = SimulatorOptions()
        (options.receiver, options.manner, options.isNativeUSB, options.baud) = (kind, manner, isNativeUSB, baud)
        options.faults = FaultSchedule(faults)
        receiver = try options.receiver(origin: .zero)
        var settings = ReceiverDriver.Settings()
        (settings.isPassive, settings.isNativeUSB, settings.baud) = (isPassive, isNativeUSB, baud)
        driver = ReceiverDriver(settings)
        wait(opening)
        open()
    }

    mutating func open() {
        isOpen = true
        partial.removeAll()
        driver.opened(at: now)
        carryOut()
    }

    /// The program dies, and another begins with what the state directory holds.
    mutating func crash(isNativeUSB: Bool = false) {
        var settings = ReceiverDriver.Settings()
        (settings.memory, settings.isNativeUSB, settings.baud) = (memory, isNativeUSB, 115_200)
        driver = ReceiverDriver(settings)
        open()
    }

    mutating func follow(_ plan: ReceiverPlan) {
        driver.follow(plan, at: now)
        carryOut()
    }

    mutating func finish() {
        driver.finish(at: now)
        carryOut()
        wait(3)
    }

    /// Lets time pass, event by event.
    mutating func wait(_ seconds: Double) {
        let end = now + .seconds(seconds)
        while let next = earliest(receiver.deadline, driver.deadline), next <= end {
            now = max(now, next)
            turn()
        }
        now = end
        turn()
    }

    private mutating func turn() {
        for chunk in receiver.bytes(until: now) where isOpen {
            note(chunk.bytes)
            driver.heard(chunk.bytes.span.bytes, at: now)
        }
        driver.advance(to: now)
        carryOut()
    }

    private mutating func carryOut() {
        for action in driver.takeActions() {
            switch action {
            case .remember(let memory): self.memory = memory
            case .write(let bytes):
                guard isOpen else { Issue.record("written to a closed port"); continue }
                written.append((now, bytes))
                receiver.hear(bytes, at: now)
            case .closePort: isOpen = false
            case .openPort: open()
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

    /// Epochs that come in the next `seconds`.
    mutating func epochs(_ seconds: Double) -> Int { count("GGA,", seconds) }

    /// Lines that hold a text and come in the next `seconds`.
    mutating func count(_ text: String, _ seconds: Double) -> Int {
        let before = lines.count
        wait(seconds)
        return lines.dropFirst(before).count { $0.text.contains(text) }
    }

    /// What the receiver draws now.
    var power: PowerState? { receiver.meter?.state }

    /// Everything written, with binary as hexadecimal.
    var writtenText: [String] {
        written.map { $0.bytes.first == UInt8(ascii: "$") ? String(decoding: $0.bytes.dropLast(2), as: UTF8.self) : hexadecimal($0.bytes) }
    }
}

/// Bytes as the reference prints them.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}
