import Bridges
import Chronology
import Glibc
import ServiceRuntime
import Settings
import SystemCalls

/// `sextant-bridge time`
struct ChronyCommand: ProgramRole {
    private var isConfigured = false
    private var chrony: String?
    private var shm: Int?
    private var interval: Double?
    private var isStep = false
    private var state = getenv("STATE_DIRECTORY").map { String(cString: $0) }
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "configured": isConfigured = true
        case "chrony": chrony = try OptionValue.path(value, of: option)
        case "shm": shm = try OptionValue.integer(value, 0...255, of: option)
        case "step": isStep = true
        case "state": state = try OptionValue.path(value, of: option)
        case "interval": interval = try OptionValue.number(value, 1...1024, "seconds", of: option)
        default: try options.set(option, to: value)
        }
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "time",
        usage: "[--configured] [--chrony PATH] [--shm UNIT] [--interval SECONDS] [--step] [--state DIR] "
            + "[--config FILE] [--socket PATH]",
        abstract: "Give the time of the receiver to chrony or ntpd, or set the clock once.",
        discussion: """
            chrony needs a reference clock of the type SOCK with the same path. The first byte of the sentences \
            arrives with a delay, which is learned while another source disciplines the clock, and is corrected.
            """,
        entries: [
            .init("configured", "Use the options in the section [time] of sextant.toml, besides those given here."),
            .init("chrony", "PATH", .files, "Send measurements to this socket of chrony (default: \(standardPath))."),
            .init("shm", "UNIT", "Write measurements to this unit of ntpd's shared memory; 0 and 1 are root's."),
            .init("interval", "SECONDS", "Measure once in this many seconds (default: 64)."),
            .init("step", "Set the clock once, unless it is synchronised, and end. This needs CAP_SYS_TIME."),
            .init("state", "DIR", .folders, "Keep the learned delays in this directory (default: $STATE_DIRECTORY)."),
            BridgeOptions.configEntry,
        ] + BridgeOptions.entries)

    private static let standardPath = "/run/chrony.sextant.sock"
    private static let (standardInterval, stepInterval) = (64.0, 30.0)

    func run() throws -> CInt {
        let log = ProgramLog(name: SextantBridge.name)
        if isStep, HostClock.synchronizedError != nil {
            log.write(ClockStep.synchronizedText)
            return 0
        }
        let section = isConfigured ? try options.load().time : nil
        let unit = isStep ? nil : shm ?? section?.shm
        let path = isStep ? nil : chrony ?? section?.chrony ?? (unit == nil ? ChronyCommand.standardPath : nil)
        // For the step, a request is always open, so that the receiver does not sleep before its
        // first fix.
        let standard = isStep ? ChronyCommand.stepInterval : ChronyCommand.standardInterval
        let interval = interval ?? section?.interval ?? standard
        return try options.run { loop, log in
            try TimeBridge(
                socket: options.daemon,
                outputs: .init(chrony: path, memoryUnit: unit, step: isStep ? ClockStep() : nil),
                store: DelayStore(directory: state, log: log), interval: .seconds(interval), loop: loop, log: log)
        }
    }
}

/// The one step of the clock of a device without a battery-backed clock and without a network.
struct ClockStep {
    /// Why the clock was not set.
    enum Failure: Error, CustomStringConvertible {
        /// The receiver reports a date before the release of this program, or long after it.
        case implausible(UTCTime)
        /// The kernel refused.
        case setting(SystemError)

        /// The reason and how to fix it.
        var description: String {
            switch self {
            case .implausible(let time):
                "the clock is not set: the receiver's date \(time) is before the release of this program, or "
                    + "\(ClockStep.maxYears) years after it; restart the receiver, or wait until it has the date of "
                    + "the satellites"
            case .setting(let error) where error.code == EPERM:
                "\(error): the program needs CAP_SYS_TIME; start it with \"systemctl start sextant-time-step\""
            case .setting(let error): "\(error)"
            }
        }
    }

    static let synchronizedText = "the clock is synchronised and is not set"
    /// A smaller error is not set: the family's delay is known to 0.3 s, and chrony corrects it.
    private static let minOffset = 1.0
    /// A date later than this after the release is not set. A rollover that was added wrongly makes
    /// a date 19.6 years later.
    fileprivate static let maxYears = 15

    /// The maximum error of the clock; nil: nothing disciplines it.
    var synchronizedError: () -> Instant.Span? = { HostClock.synchronizedError }
    /// The time of the clock, in seconds and nanoseconds since 1970.
    var time: () -> (seconds: Int64, nanoseconds: Int64) = { HostClock.time }
    /// Sets the clock; -1 with `errno` on failure.
    var set: (timespec) -> Int32 = { time in
        var time = time
        return clock_settime(CLOCK_REALTIME, &time)
    }

    /// Sets the clock by a measurement, unless something has disciplined it since. Returns what was
    /// done.
    func perform(by sample: TimeSample, _ delay: ByteDelay) throws(Failure) -> String {
        guard synchronizedError() == nil else { return ClockStep.synchronizedText }
        guard sample.offset.magnitude >= ClockStep.minOffset else {
            return "the clock is within \(ClockStep.minOffset) s of the receiver and is not set"
        }
        let now = time()
        let clock = TimeSample(
            moment: sample.moment, seconds: now.seconds, nanoseconds: now.nanoseconds, offset: sample.offset
        ).clock
        let new = UTCTime(milliseconds: 0).advanced(by: .seconds(Double(clock.seconds)))
        guard let release = UTCTime(rfc3339: SextantVersion.releaseDate), new >= release,
            new.span(since: release) < .seconds(Double(ClockStep.maxYears) * 365.25 * 86_400)
        else {
            throw .implausible(new)
        }
        let old = UTCTime(milliseconds: 0).advanced(by: .seconds(Double(now.seconds)))
        do throws(SystemError) {
            try systemCall("setting the clock to \(new)") {
                set(timespec(tv_sec: Int(clamping: clock.seconds), tv_nsec: Int(clamping: clock.nanoseconds)))
            }
        } catch {
            throw .setting(error)
        }
        return "set the clock from \(old) to \(new), which is right to \((delay.uncertainty * 1000).rounded() / 1000) s"
    }
}
