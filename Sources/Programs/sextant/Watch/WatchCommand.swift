import ArgumentParser
import SextantAPI

/// `sextant watch`: follows the position.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow the position live.",
        discussion: """
            On a terminal, show a full screen until q or Ctrl-C; to a pipe or file, and with --visits or \
            --heading, write one line per update. \
            Reconnect when the daemon was unavailable. While the program may not know the location, show the reason; \
            continue when the permission changes.
            """)

    @Option(help: ArgumentHelp("Intended use of the position; determines the update rate.", valueName: "name"))
    var configuration = Configuration.automotiveNavigation

    @Option(help: ArgumentHelp("Use only this receiver, by name or port.", valueName: "name"))
    var receiver: String?

    @Option(help: ArgumentHelp("Exit after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @Flag(help: "Follow visits instead: only the places where the device stays.")
    var visits = false

    @Flag(help: "Follow the heading instead: the direction in which the device points.")
    var heading = false

    @OptionGroup var streamOptions: StreamArguments
    @OptionGroup var unitOptions: UnitOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if visits && heading { throw ValidationError("--visits and --heading cannot be combined") }
        guard visits || heading else { return }
        let option = visits ? "--visits" : "--heading"
        guard !streamOptions.selectsLocations, receiver == nil, !(visits && streamOptions.passive) else {
            throw ValidationError("\(option) cannot be combined with an option that selects positions or a receiver")
        }
    }

    func run() throws {
        if visits { return try followVisits() }
        if heading { return try followHeading() }
        let capabilities = TerminalCapabilities.ofStandardOutput
        let isScreen = capabilities.hasStyles && !output.isJSON
        var subscriptions = DaemonFeed.Subscriptions(
            updates: streamOptions.parameters(configuration, receiver: receiver))
        if isScreen {
            subscriptions.receivers = WatchParameters(receiver: receiver)
            // The heading is shown if there is one; the stream of locations sets the demand.
            subscriptions.heading = WatchHeadingParameters(passive: true)
            subscriptions.isHeadingOptional = true
        }
        let feed = try DaemonFeed(daemon, subscribingTo: subscriptions)
        let session = LiveSession(duration: duration?.span)
        if isScreen {
            try session.run(
                feed,
                on: try ScreenOutput(
                    WatchView(configuration: configuration, units: unitOptions.display, placeName: PlaceNames().text),
                    capabilities: capabilities))
        } else {
            try session.run(feed, on: lines())
        }
    }

    private func followVisits() throws {
        let feed = try DaemonFeed(daemon, subscribingTo: .init(visits: true))
        let visitOutput = PlainOutput { event throws(CommandError) in
            guard case .visit(let reply) = event else { return }
            try output.print([reply], or: [PositionLine.text(reply, units: unitOptions.display)])
        }
        try LiveSession(duration: duration?.span).run(feed, on: visitOutput)
    }

    private func followHeading() throws {
        let parameters = WatchHeadingParameters(passive: streamOptions.passive ? true : nil)
        let feed = try DaemonFeed(daemon, subscribingTo: .init(heading: parameters))
        let headingOutput = PlainOutput { event throws(CommandError) in
            guard case .heading(let reply) = event else { return }
            try output.print([reply], or: [HeadingLine.text(reply)])
        }
        try LiveSession(duration: duration?.span).run(feed, on: headingOutput)
    }

    private func lines() -> PlainOutput {
        PlainOutput { event throws(CommandError) in
            guard case .update(let update) = event else { return }
            if output.isJSON {
                try JSONLineWriter.print(update.withMagneticNorth(of: update.location))
            } else {
                try StandardOutput.write(lines: [PositionLine.text(update, units: unitOptions.display)])
            }
        }
    }
}
