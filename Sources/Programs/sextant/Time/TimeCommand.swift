import ArgumentParser
import Bridges
import Chronology
import Locator
import Positioning
import Varlink
import VarlinkClient
import Wire

/// `sextant time`: compares this machine's clock with the receiver's.
struct TimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time",
        abstract: "Compare this machine's clock with the time of the receiver.",
        discussion: """
            The offset is the time of the receiver minus that of this machine, as "sextant-bridge time" gives it to \
            chrony. The time of an epoch is compared with the arrival of the first byte of its sentences, 0.05 to \
            0.5 s later. If that is not known, as for receivers on a network, it is compared with their end. Four \
            locations confirm the date before the first sample. Exit with status 2 without samples. If something ends \
            the command early, it prints the samples until then, and exits with the status of the reason.
            """)

    @Option(help: ArgumentHelp("Number of samples, 1 to 100.", valueName: "count"))
    var samples = 8

    @Option(help: ArgumentHelp("Use only this receiver, by name or port.", valueName: "name"))
    var receiver: String?

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
        while found.count < samples, requested < samples + TimeCommand.maxExtra {
            requested += 1
            let reply: GetLocationReply
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
                if sample.moment != found.last?.moment { found = [] }
                found.append(sample)
            }
            unused = sample == nil ? unused + 1 : 0
            guard unused < TimeCommand.maxUnused else { break }
        }
        if let summary = TimeSummary(found) {
            if output.isJSON {
                try JSONLineWriter.print([summary])
            } else {
                try StandardOutput.write(lines: [summary.displayText])
            }
        } else if end == nil {
            end = TimeCommand.error(
                isDated
                    ? "the locations are estimated, or the receiver's date changes" : "the receiver sends no date")
        }
        if let end { throw end }
    }

    private static func error(_ reason: String) -> CommandError {
        CommandError("there is no time to compare with: \(reason)", exitStatus: .noResult)
    }

    /// Returns why no later location will have a time to compare with either; nil if one may. The
    /// date may come with a later sentence.
    static func obstacle(_ location: LocationMessage) -> String? {
        if location.simulated == true || location.quality == .simulated { return "the receiver is simulated" }
        if location.isReduced {
            return "this program gets a reduced location; find the cause with: sextant doctor program"
        }
        return nil
    }
}
