import ArgumentParser
import Delivery
import GeoJSON
import ReceiverSimulator
import Rehearsal

/// `sextant rehearse`: a day of the daemon and a virtual receiver, in simulated time.
struct RehearseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Live through a recorded way in seconds: what clients would get, and what the receiver would draw.",
        discussion: """
            The daemon's own core plans, a virtual receiver obeys, and neither waits: a day takes seconds. The times in the GPX file \
            are the truth; where the track pauses, the device rests. Energy is reckoned by the data sheet of the receiver's chip and is \
            no measurement.

            Prints each update that a client would have got, then the day in stretches and what it came to. The same file, options \
            and seed print the same bytes everywhere. With --json the last line is the summary:
              energyJoules alwaysOnEnergyJoules   drawn, and what a receiver left to itself would have drawn
              receiverOnSeconds fixes             time its engine ran, and positions it made
              hostWakeups hostWakeupsAtRest       times the daemon was woken, and those of them while every stream was silent
              stationarySeconds                   time in which every stream was silent at rest
              resumeDelays                        seconds from each true departure to the update that told of it
              missedDepartures falseResumes       departures never told, and silences ended for nothing
              events                              what was told of the fences, with the true crossing and the delay in seconds
              crossingDelays                      these delays
              missedCrossings falseCrossings      true crossings never told, and events that were not so

            \(FencesFile.help)
            A crossing is held to be missed where the device then got 25 m away from the boundary.

            Faults are those of simulate: --fault dropout@2h+3h is a garage without sky.
            """)

    @Option(help: ArgumentHelp("GPX file with the times of its points.", valueName: "file"), completion: .file(extensions: ["gpx"]))
    var route: String

    @Option(help: "Make of the receiver.")
    var receiver = ReceiverKind.ublox8

    @Option(
        help: ArgumentHelp("What a client asks for; once for each of several clients, not at all for none.", valueName: "configuration"))
    var stream: [LiveConfiguration] = []

    @Option(
        help: ArgumentHelp("Conditions to be watched, as GeoJSON.", valueName: "file"), completion: .file(extensions: FencesFile.endings))
    var fences: String?

    @Option(help: "Chance: the same seed gives the same day.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Let something go wrong; see simulate.", valueName: "fault"))
    var fault: [String] = []

    @Flag(name: .customLong("summary"), help: "Leave the updates out.")
    var isBrief = false

    @Flag(name: .customLong("json"), help: "One JSON object a line: the updates, then the summary.")
    var isJSON = false

    func validate() throws {
        _ = try options()
    }

    func run() throws {
        let way = try way()
        var options = try options()
        if let fences {
            options.fences = try FencesFile.read(fences).map { RehearsedFence(identifier: $0.identifier, condition: $0.condition) }
        }
        var rehearsal: Rehearsal
        do {
            rehearsal = try Rehearsal(way, options)
        } catch let flaw as SimulatorOptions.Flaw {
            throw CommandError("\(flaw)")
        }
        var printer = RehearsalPrinter(
            start: way.start, streams: stream.map(\.rawValue), fences: options.fences.map(\.identifier), isJSON: isJSON, isBrief: isBrief)
        var failure: CommandError?
        let summary = rehearsal.run { event in
            do throws(CommandError) { try printer.print(event) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        try printer.finish(summary, until: way.duration)
    }

    private func options() throws -> Rehearsal.Options {
        var options = Rehearsal.Options(receiver: receiver, streams: stream)
        options.seed = seed
        do {
            options.faults = FaultSchedule(try fault.map { text throws(Fault.Flaw) in try Fault(parsing: text) })
        } catch {
            throw ValidationError("--fault \(error)")
        }
        if options.faults.faults.contains(where: { $0.kind == .unplug }) {
            throw ValidationError("a rehearsal has no plug to pull: unplug goes with sextant simulate; here there is silence")
        }
        return options
    }

    private func way() throws -> TrueWay {
        let bytes = try CaptureFile.read(route, as: "track")
        let points: [Route.Point]
        do throws(GPXReader.Flaw) {
            points = try GPXReader.points(of: bytes)
        } catch {
            throw CommandError("\(route) is not a GPX track, \(error)", .noInput)
        }
        do throws(TrueWay.Flaw) {
            return try TrueWay(points)
        } catch {
            throw CommandError("\(route) cannot be rehearsed: \(error)", .noInput)
        }
    }
}
