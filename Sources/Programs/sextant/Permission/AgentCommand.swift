import ArgumentParser
import SextantAPI

/// `sextant agent`: asks the user which programs may know the location.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Ask the user whether programs may know the location.",
        discussion: """
            The service asks its agents where the configuration has permissions.default = "ask". An agent is asked \
            about the programs of its own user; one of user 0 about all. The first answer of several agents counts. \
            Flatpaks, snaps and programs with a desktop entry cannot be agents. Reconnect when the daemon was \
            unavailable.

            Without --exec, ask on the terminal. Answer with a letter: a (always), u (while in use) or d \
            (deny). Add to it r (reduced to an area) and t (only this time): ur, dt. An answer only for this time \
            ends with the last session of the program; any other outlives restarts, and "sextant grants" lists it.

            With --exec, a shell runs the command for each program, one at a time. Its standard input has the program \
            as JSON, with the fields of io.sextant.Agent. Environment variables hold them too: SEXTANT_PROGRAM, \
            SEXTANT_APPLICATION, SEXTANT_REQUIREMENT (whenInUse or always), SEXTANT_PURPOSE, \
            SEXTANT_USAGE_DESCRIPTION and SEXTANT_NUMBER; an absent field is empty. The purpose and the description \
            are not verified: the program chooses them.

            The first line of its standard output is the answer: always, whenInUse or denied, then optionally \
            ",reduced" and ",temporary", such as whenInUse,reduced. It counts only if the command exits with status 0. \
            Any other line or status is no answer: the program gets no location, other agents may answer, and the user \
            is asked again a minute later. The command gets SIGTERM when no answer is needed any more, and SIGKILL 5 \
            seconds later.

            Example:
              sextant agent --exec 'zenity --question --no-markup \\
                --text "Location for $SEXTANT_PROGRAM ($SEXTANT_REQUIREMENT)?"; \\
                case $? in 0) echo $SEXTANT_REQUIREMENT;; 1) echo denied,temporary;; \\
                *) exit 1;; esac'
            """)

    @Option(
        help: ArgumentHelp(
            "Run this command for each program, instead of asking on the terminal.", valueName: "command"),
        completion: .shellCommand("compgen -c"))
    var exec: String?

    @Option(help: ArgumentHelp("Exit after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let feed = try DaemonFeed(daemon, subscribingTo: .init(agent: true))
        let session = LiveSession(duration: duration?.span)
        let replier = AgentReplier(daemon: daemon)
        if let exec {
            try session.run(feed, on: AgentHandler(command: exec, replier: replier))
        } else {
            try session.run(feed, on: AgentTerminal(replier: replier))
        }
    }
}
