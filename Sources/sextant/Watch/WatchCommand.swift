import ArgumentParser
import Delivery
import Wire

/// `sextant watch`: the position as it changes.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow the position, live.",
        discussion: """
            On a terminal a full screen, ended by q or Ctrl-C; into a pipe or file one line for each update. When the daemon goes \
            away it is waited for.
            """)

    @Option(help: ArgumentHelp("What the position is for; sets how often it comes.", valueName: "name"))
    var configuration = LiveConfiguration.automotiveNavigation

    @Option(help: ArgumentHelp("This receiver alone, by its name or port.", valueName: "name"))
    var receiver: String?

    @Option(help: ArgumentHelp("End by itself after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @Option(help: "Unit of speeds.")
    var speed = SpeedUnit.kmh

    @Flag(help: "Follow the places where the device stays instead, and nothing between.")
    var visits = false

    @OptionGroup var wish: StreamArguments
    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        if visits { return try followVisits() }
        let look = Look.ofStandardOutput
        let isScreen = look.hasStyles && !output.isJSON
        var wishes = DaemonFeed.Wishes(updates: wish.parameters(configuration, receiver: receiver))
        if isScreen { wishes.receivers = WatchParameters(receiver: receiver) }
        let feed = try DaemonFeed(daemon, wishes)
        let session = LiveSession(duration: duration?.span)
        if isScreen {
            try session.run(feed, on: try ScreenSurface(WatchPicture(configuration: configuration, speedUnit: speed), look))
        } else {
            try session.run(feed, on: lines())
        }
    }

    private func followVisits() throws {
        let feed = try DaemonFeed(daemon, .init(visits: true))
        let surface = LineSurface { event throws(CommandError) in
            guard case .visit(let visit) = event else { return }
            if output.isJSON {
                try LineOutput.print([WatchVisitsReply(visit)])
            } else {
                try StandardOutput.write(lines: [PositionLine.text(visit)])
            }
        }
        try LiveSession(duration: duration?.span).run(feed, on: surface)
    }

    private func lines() -> LineSurface {
        LineSurface { event throws(CommandError) in
            guard case .update(let update) = event else { return }
            if output.isJSON {
                try LineOutput.print([WithMagneticNorth(update, update.location)])
            } else {
                try StandardOutput.write(lines: [PositionLine.text(update, speed)])
            }
        }
    }
}
