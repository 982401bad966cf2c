import ArgumentParser
import Bridges
import Chronology
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// `sextant time`: compares this machine's clock with the receiver's.
struct TimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time",
        abstract: "Compare this machine's clock with the time of the receiver.",
        discussion: """
            The offset is the time of the receiver minus that of this machine, as "sextant-bridge time" gives it to \
            chrony. The time of an epoch is compared with the arrival of the first byte of its sentences, 0.05 to \
            0.7 s later. If that is not known, as for receivers on a network, it is compared with their end. The \
            delay is corrected: by what the bridge has learned with this receiver, else by that of its family. Four \
            locations confirm the date before the first sample. Exit with status 2 without samples. If something ends \
            the command early, it prints the samples until then, and exits with the status of the reason.
            """)

    @Option(help: ArgumentHelp("Number of samples, 1 to 100.", valueName: "count"))
    var samples = 8

    @Option(help: ArgumentHelp("Use only this receiver, by name or port.", valueName: "name"))
    var receiver: String?

    @Option(help: ArgumentHelp("Directory of the learned delays.", valueName: "dir"))
    var state = LearnedDelays.directory

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// The time to wait for one location, in seconds.
    private static let timeout = 30.0
    /// The number of locations in a row that may be unusable.
    private static let maxUnused = 8
    /// The number of locations besides the samples, if the kind of measurement changes.
    private static let maxExtra = 100

    func validate() throws {
        guard (1...100).contains(samples) else { throw ValidationError("--samples must be 1 to 100") }
    }

    func run() throws {
        try daemon.declareSession()
        let client = try daemon.connect()
        var sampler = TimeSampler()
        var found: [TimeSample] = []
        var (unused, requested) = (0, 0)
        var (isDated, end) = (true, CommandError?.none)
        var name = ""
        while found.count < samples, requested < samples + TimeCommand.maxExtra {
            requested += 1
            let reply: RecentLocation
            do throws(ClientError) {
                reply = try client.call(
                    LocationMethods.getLocation,
                    with: GetLocationParameters(
                        maximumAge: 0, timeout: TimeCommand.timeout, receiver: receiver, timesBurst: true),
                    timeout: .seconds(TimeCommand.timeout + 5))
            } catch {
                end = CommandError(daemon: error)
                break
            }
            let clock = HostClock.time
            if let obstacle = TimeCommand.obstacle(reply.location) {
                end = TimeCommand.error(obstacle)
                break
            }
            isDated = reply.location.timestamp != nil
            let sample = sampler.sample(
                reply.location, age: reply.age, burstAge: reply.burstAge, seconds: clock.seconds,
                nanoseconds: clock.nanoseconds)
            // Another kind of measurement is not comparable.
            if let sample {
                if sample.moment != found.last?.moment || reply.location.receiver != name { found = [] }
                name = reply.location.receiver
                found.append(sample)
            }
            unused = sample == nil ? unused + 1 : 0
            guard unused < TimeCommand.maxUnused else { break }
        }
        if let moment = found.last?.moment,
            let summary = TimeSummary(found, delay: delay(of: name, for: moment, from: client))
        {
            if output.isJSON {
                try JSONLineWriter.print([summary])
            } else {
                let lines = summary.displayText.split(separator: "\n").map(String.init)
                try StandardOutput.write(lines: lines + summary.obstacle(clockError: HostClock.settledError))
            }
        } else if end == nil {
            end = TimeCommand.error(
                isDated
                    ? "the locations are estimated, or the receiver's date changes" : "the receiver sends no date")
        }
        if let end { throw end }
    }

    /// The delay that the bridge uses too. Without its file, that of the family, and of any
    /// receiver if the daemon has ended.
    private func delay(of name: String, for moment: TimeSample.Moment, from client: BlockingClient) -> ByteDelay {
        let reply = try? client.call(ReceiverMethods.list, with: NoParameters(), timeout: .seconds(5))
        let receiver = reply?.receivers.first { $0.name == name }
        let kept = try? AtomicFile(path: "\(state)/\(LearnedDelays.fileName)").contents()
        let delays = kept.flatMap { LearnedDelays(text: $0) } ?? LearnedDelays()
        return delays.delay(of: receiver.map(TimedReceiver.init), for: moment)
    }

    private static func error(_ reason: String) -> CommandError {
        CommandError("there is no time to compare with: \(reason)", exitStatus: .noResult)
    }

    /// Returns why no later location will have a time to compare with either; nil if one may. The
    /// date may come with a later sentence.
    static func obstacle(_ location: Location) -> String? {
        if location.simulated == true || location.quality == .simulated { return "the receiver is simulated" }
        if location.quality == .manual { return "the location is a fixed place, and no receiver is present" }
        if location.isReduced {
            return "this program gets a reduced location; find the cause with: sextant doctor program"
        }
        return nil
    }
}

/// Measurements of this machine's clock, as `sextant time` prints them.
struct TimeSummary: Encodable, Equatable {
    /// The time of the receiver minus that of this machine, in seconds: the median, with the delay.
    var offset: Double
    /// The standard deviation of the measurements in seconds.
    var jitter: Double
    /// The number of measurements.
    var samples: Int
    /// With what the time of an epoch was compared.
    var moment: TimeSample.Moment
    /// The delay of that moment in seconds, which ``offset`` has corrected.
    var delay: Double
    /// How far the true delay may be from ``delay``, in seconds.
    var delayUncertainty: Double
    var delaySource: ByteDelay.Source

    /// Creates the summary; nil without measurements. All have the same ``TimeSample/moment``.
    init?(_ samples: [TimeSample], delay: ByteDelay) {
        guard let last = samples.last else { return nil }
        let offsets = samples.map(\.offset)
        let sorted = offsets.sorted()
        let middle = sorted.count / 2
        let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        let mean = offsets.reduce(0, +) / Double(offsets.count)
        let variance =
            offsets.count < 2
            ? 0 : offsets.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(offsets.count - 1)
        offset = TimeSummary.microseconds(median + delay.seconds)
        jitter = TimeSummary.microseconds(variance.squareRoot())
        self.samples = offsets.count
        moment = last.moment
        self.delay = TimeSummary.microseconds(delay.seconds)
        delayUncertainty = TimeSummary.microseconds(delay.uncertainty)
        delaySource = delay.source
    }

    var displayText: String {
        let relation = offset < 0 ? "ahead of" : "behind"
        return
            "this machine is \(TimeSummary.text(offset.magnitude)) \(relation) the receiver, "
            + "±\(TimeSummary.text(delayUncertainty)); jitter \(TimeSummary.text(jitter)), \(samples) samples.\n"
            + "\(delayed) arrives \(TimeSummary.text(delay)) after the second, \(known)"
    }

    /// Why nothing can be learned now, as a line; empty if something can, or is known.
    ///
    /// - Parameter clockError: The maximum error of the clock; nil: nothing disciplines it.
    func obstacle(clockError: Instant.Span?) -> [String] {
        guard delaySource == .family, clockError == nil else { return [] }
        return [
            "It cannot be learned: the kernel does not call the clock synchronised; chrony needs the line \"rtcsync\""
        ]
    }

    private var delayed: String {
        switch moment {
        case .firstByte: "The first byte of its sentences"
        case .endOfSentences: "The end of its sentences"
        }
    }

    private var known: String {
        switch delaySource {
        case .learned: "as sextant-time has learned"
        case .family: "as is typical of its family: nothing is learned yet"
        }
    }

    private static func microseconds(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }

    private static func text(_ seconds: Double) -> String {
        seconds < 10
            ? "\(DecimalText.text(seconds * 1000, decimals: 1)) ms" : "\(DecimalText.text(seconds, decimals: 1)) s"
    }
}
