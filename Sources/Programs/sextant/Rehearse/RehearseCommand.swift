import ArgumentParser
import Geofencing
import Locator
import SextantAPI
import Simulator
import Varlink

/// `sextant rehearse`: simulates the daemon and a virtual receiver in simulated time.
struct RehearseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Simulate a recorded track faster than real time and report updates and energy use.",
        discussion: """
            Runs the daemon's own core with a virtual receiver that executes its commands, without waiting: a day \
            takes seconds. The times in the GPX file are the ground truth; where the track pauses, the device is \
            stationary. Energy is estimated from the data sheet of the receiver's chip, not measured.

            Prints each update that a client would have received, then the sections of the day and a summary. The \
            same file, options and seed give identical output on every machine. With --json the last line is the \
            summary:
              energyJoules          energy used
              alwaysOnEnergyJoules  energy of a receiver that is always on
              receiverOnSeconds     time for which the receiver was on
              fixes                 fixes of the receiver
              hostWakeups           wakeups of the daemon
              hostWakeupsAtRest     wakeups while every stream was silent
              stationarySeconds     time for which every stream was silent, because
                                    the device was stationary
              resumeDelays          seconds from each true departure to its update
              missedDepartures      departures never reported
              falseResumes          streams resumed without a departure
              events                events of the fences, each with the true
                                    crossing and the delay in seconds
              crossingDelays        the delays of these events
              missedCrossings       true crossings never reported
              falseCrossings        events without a true crossing
              motionSource          reports of the motion source, and what it has
                                    proven at the end: trusted, deaf or nervous

            \(FencesFile.help)
            A crossing counts as missed if the device then moved 25 m away from the boundary.

            Faults are those of simulate: --fault dropout@2h+3h is a garage without sky.

            A sample is in the source tree: --route captures/commute.gpx

            With --starts instead of --route, print the median times to the first fix after a sleep of 8 h, of 20 \
            receivers each; and after an hour without power. A wrong time is there for comparison: the service never \
            gives it.
            """)

    @Option(
        help: ArgumentHelp("GPX file with a time for each point.", valueName: "file"),
        completion: .file(extensions: ["gpx"]))
    var route: String?

    @Flag(help: "Rehearse first fixes instead of a track.")
    var starts = false

    @Option(help: "Receiver model to simulate.")
    var receiver = ReceiverKind.ublox8

    @Option(
        help: ArgumentHelp(
            "Configuration of a client's stream. May be repeated; omit it for no client.", valueName: "configuration"))
    var stream: [Configuration] = []

    @Option(
        help: ArgumentHelp(
            "Send only the positions that are needed to draw the track with this maximum error.", valueName: "metres"))
    var tolerance: MetresArgument?

    @Option(
        help: ArgumentHelp("GeoJSON file of conditions to monitor.", valueName: "file"),
        completion: .file(extensions: FencesFile.fileExtensions))
    var fences: String?

    @Option(help: "Random seed; equal seeds give identical output.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Inject a fault; see simulate.", valueName: "fault"))
    var fault: [String] = []

    @Option(help: "Behavior of a motion source that is trusted at the start; omit it for none.")
    var motion: RehearsedSensor.Behavior?

    @Flag(name: .customLong("summary"), help: "Omit the updates.")
    var isBrief = false

    @Flag(name: .customLong("json"), help: "Print one JSON object per line: the updates, then the summary.")
    var isJSON = false

    func validate() throws {
        guard starts != (route != nil) else { throw ValidationError("specify either --route or --starts") }
        _ = try options()
    }

    func run() throws {
        guard let route else { return try printStarts() }
        let track = try track(route)
        var options = try options()
        if let fences {
            options.fences = try FencesFile.read(fences).map {
                RehearsedFence(identifier: $0.identifier, condition: $0.condition)
            }
        }
        var rehearsal: Rehearsal
        do {
            rehearsal = try Rehearsal(along: track, options: options)
        } catch let error as SimulatorOptions.Error {
            throw CommandError("\(error)")
        }
        var printer = RehearsalPrinter(
            start: track.start, streams: stream.map(\.rawValue), fences: options.fences.map(\.identifier),
            isJSON: isJSON,
            isBrief: isBrief)
        var failure: CommandError?
        let summary = rehearsal.run { event in
            do throws(CommandError) { try printer.print(event) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        try printer.finish(summary, until: track.duration)
    }

    private func options() throws -> Rehearsal.Options {
        var options = Rehearsal.Options(receiver: receiver, streams: stream)
        options.seed = seed
        options.sensor = motion
        if let tolerance {
            guard SubscribeParameters.toleranceRange.contains(tolerance.metres) else {
                throw ValidationError("--tolerance must be 0 to 100000 metres")
            }
            options.streamOptions.tolerance = tolerance.metres > 0 ? tolerance.metres : nil
        }
        do {
            options.faults = FaultSchedule(
                try fault.map { text throws(Fault.ParsingError) in try Fault(parsing: text) })
        } catch {
            throw ValidationError("--fault \(error)")
        }
        if options.faults.faults.contains(where: { $0.kind == .unplug }) {
            throw ValidationError("a rehearsal has no port to unplug: use silence, or unplug with sextant simulate")
        }
        return options
    }

    private func printStarts() throws {
        for assistance in StartRehearsal.Assistance.allCases {
            let seconds = try StartRehearsal.median(of: receiver, with: assistance)
            if isJSON {
                try JSONLineWriter.print([
                    "given": .string(assistance.rawValue), "seconds": seconds.map(JSONValue.double) ?? .null,
                ])
            } else {
                let text = seconds.map { DecimalText.text($0, decimals: 1) + " s" } ?? "none within 10 min"
                try StandardOutput.write(lines: [DisplayWidth.fit(assistance.rawValue, to: 22) + text])
            }
        }
    }

    private func track(_ route: String) throws -> GroundTruthTrack {
        let bytes = try CaptureFile.read(route, as: "track")
        let points: [Route.Point]
        do throws(GPXReader.Error) {
            points = try GPXReader.points(of: bytes)
        } catch {
            throw CommandError("\(route) is not a GPX track: \(error)", exitStatus: .noInput)
        }
        do throws(GroundTruthTrack.Error) {
            return try GroundTruthTrack(points)
        } catch {
            throw CommandError("cannot rehearse \(route): \(error)", exitStatus: .noInput)
        }
    }
}

extension RehearsedSensor.Behavior: ExpressibleByArgument {}
