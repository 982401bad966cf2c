import ArgumentParser
import Chronology
import Geodesy
import ReceiverSimulator

/// `sextant simulate`: a virtual receiver on a pseudo-terminal, or in a file.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Be a receiver on a pseudo-terminal.",
        discussion: """
            Plays FILE with its own timing if it is a capture, drives along it if it is GPX, and drives a built-in circuit without one. \
            The path of the port is printed first, with --json as {"event":"plugged","port":"/dev/pts/3"}; give it to \
            sextantd --device.

            Faults are KIND@START[+DURATION][:RATE], and there may be several:
              dropout@30s+20s           no satellites, as in a tunnel
              corruption@0s+60s:0.01    one byte in a hundred is damaged
              silence@10s+5s            nothing is sent
              unplug@20s+5s             the port is gone, and comes back
            """)

    @Argument(help: "A capture or a GPX track.")
    var file: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Stand still.", valueName: "lat,lon[,metres]"))
    var stationary: String?

    @Option(help: "Make of the receiver (default: ublox8).")
    var receiver: ReceiverKind?

    @Option(help: ArgumentHelp("Sentences in their order, /N for every N-th epoch: RMC,GGA,GSV/5.", valueName: "list"))
    var sentences: String?

    @Option(help: ArgumentHelp("Fixes a second; for a capture, how many times faster than recorded.", valueName: "hz"))
    var rate: Double?

    @Option(help: "Bits a second. A reader at another speed sees garbage.")
    var baud: Int?

    @Option(help: ArgumentHelp("Bits a second the port is found at (default: those of the receiver).", valueName: "baud"))
    var portSpeed: Int?

    @Option(help: ArgumentHelp("Standard deviation of the position along each axis.", valueName: "metres"))
    var noise = 1.5

    @Option(help: "Chance: the same seed gives the same bytes.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Let something go wrong; see above.", valueName: "fault"))
    var fault: [String] = []

    @Option(help: ArgumentHelp("End after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: String?

    @Flag(help: "Begin the file again at its end.")
    var loop = false

    @Option(help: ArgumentHelp("UTC at the start (now; for --output that of the track, or 2026-06-01).", valueName: "rfc3339"))
    var start: String?

    @Flag(help: "Know neither time nor orbits at first.")
    var cold = false

    @Option(help: ArgumentHelp("Rollovers of the GPS week the receiver has missed: dates 1024 weeks low each.", valueName: "count"))
    var rollovers = 0

    @Option(help: ArgumentHelp("Speed along a GPX track without times.", valueName: "m/s"))
    var speed = 14.0

    @Option(help: "What the receiver does with commands: obey, ignore, or obey without answering (mute).")
    var commands = CommandManner.obey

    @Option(help: ArgumentHelp("Keep a symbolic link to the port here.", valueName: "path"))
    var link: String?

    @Option(help: ArgumentHelp("Write a capture here, in simulated time, in place of a port.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Name in the header of the capture.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Note in the header of the capture.", valueName: "text"))
    var note = ""

    @Flag(name: .customLong("json"), help: "Tell the port and what happens to it as JSON on standard output, one object a line.")
    var isJSON = false

    func validate() throws {
        _ = try options()
    }

    func run() throws {
        let options = try options()
        do {
            if let output { try writeCapture(options, to: output) } else { try simulate(options) }
        } catch let failure as SystemFailure {
            throw CommandError.system(failure.action, failure.code)
        } catch let flaw as SimulatorOptions.Flaw {
            throw CommandError("\(flaw)", flaw.isOfFile ? .noInput : .usage)
        }
    }

    private func writeCapture(_ options: SimulatorOptions, to path: String) throws {
        let header = try SimulatedCapture.header(options, name: name ?? String(path.split(separator: "/").last ?? ""), note: note)
        try SimulatedCapture.write(options, header: header, to: path)
    }

    private func simulate(_ options: SimulatorOptions) throws {
        let signals = try TerminationSignals()
        let report = SimulateReport(isJSON: isJSON)
        var session = try SimulatorSession(options, now: SimulatorClock.now, utc: SimulatorClock.utc, report: report.tell)
        try session.run(stop: signals.descriptor)
    }
}

extension SimulateCommand {
    /// The arguments in the simulator's terms.
    func options() throws -> SimulatorOptions {
        var options = SimulatorOptions()
        options.programme = try programme()
        (options.receiver, options.rate, options.baud, options.lineSpeed) = (receiver, rate, baud, portSpeed)
        (options.noise, options.seed, options.loops, options.coldStart) = (noise, seed, loop, cold)
        (options.missedRollovers, options.speed, options.link) = (rollovers, speed, link)
        options.manner = commands
        guard noise >= 0, noise.isFinite else { throw ValidationError("--noise is a length in metres, 0 or more.") }
        guard (0...4).contains(rollovers) else { throw ValidationError("--rollovers goes from 0 to 4.") }
        do {
            options.sentences = try sentences.map { text throws(SentencePlan.Flaw) in try SentencePlan(text) }
            options.faults = FaultSchedule(try fault.map { text throws(Fault.Flaw) in try Fault(parsing: text) })
        } catch {
            throw ValidationError("\(error)")
        }
        if let duration {
            guard let span = Instant.Span(parsing: Double(duration) == nil ? duration : duration + "s") else {
                throw ValidationError("--duration \"\(duration)\" is not a length of time such as 10, 90s or 5m.")
            }
            options.duration = span
        }
        if let start {
            guard let time = UTCTime(rfc3339: start) else {
                throw ValidationError("--start \"\(start)\" is not a time such as 2026-06-01T12:00:00Z.")
            }
            options.startTime = time
        }
        return options
    }

    private func programme() throws -> SimulatorOptions.Programme {
        guard let stationary else { return file.map { .file($0) } ?? .circuit }
        guard file == nil else { throw ValidationError("A receiver either stands still or follows a file.") }
        let numbers = stationary.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1],
            let place = Coordinate(latitude: latitude, longitude: longitude), let altitude = numbers.count == 3 ? numbers[2] : 0
        else { throw ValidationError("--stationary \"\(stationary)\" is not a place such as 51.4779,-0.0015 or 51.4779,-0.0015,45.") }
        return .stationary(place, altitude: altitude)
    }
}

extension ReceiverKind: ExpressibleByArgument {}
extension CommandManner: ExpressibleByArgument {}
