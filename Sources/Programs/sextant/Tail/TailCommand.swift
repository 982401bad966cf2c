import ArgumentParser
import NMEA
import SextantAPI
import SystemCalls

/// `sextant tail`: prints the sentences of the receivers.
struct TailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Print the sentences of the receivers as they arrive.",
        discussion: """
            Only sentences with a correct checksum are printed. The command needs the permission for the full \
            location and keeps no receiver on: without another program that uses the location, a receiver may sleep. \
            Ctrl-C ends it. Reconnect when the daemon was unavailable. Sentences that this command reads too slowly \
            are lost; --json shows how many replies were.
            """)

    @Argument(help: "Print only these sentences: RMC for all talkers, GNRMC for one.")
    var types: [String] = []

    @Option(help: ArgumentHelp("Use only this receiver, by name or port.", valueName: "name"))
    var receiver: String?

    @Option(help: ArgumentHelp("Exit after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    private var parameters: SentencesParameters {
        SentencesParameters(receiver: receiver, types: types.isEmpty ? nil : types.map { $0.uppercased() })
    }

    func validate() throws {
        guard parameters.hasValidTypes else {
            throw ValidationError("A type of sentences has letters and digits, such as RMC or GNRMC; 64 types at most.")
        }
    }

    /// The requested types that no receiver is known to send. The daemon passes them on, too.
    var unknownTypes: [String] {
        (parameters.types ?? []).filter { type in
            // Those of manufacturers are unlimited.
            guard !type.hasPrefix("P") else { return false }
            let body = Array("\(type.count == 3 ? "GP" : "")\(type),".utf8)
            let (address, sentence) = Sentence.decode(body.span.bytes)
            switch sentence {
            case .unknown: return !address.isAIS
            // A text that is no type at all has an empty address.
            default: return address.formatter == 0
            }
        }
    }

    func run() throws {
        let feed = try DaemonFeed(daemon, subscribingTo: .init(sentences: parameters))
        for type in unknownTypes {
            StandardError.line("sextant: \(type) is no type of sentence that sextantd reads; is it mistyped?")
        }
        reportSleep()
        let lines = PlainOutput { event throws(CommandError) in
            guard case .sentences(let reply) = event else { return }
            if output.isJSON { return try JSONLineWriter.print([reply]) }
            // Without replacements for a locale: the checksum is that of what the receiver sent.
            let lines = reply.sentences.map { TerminalText.sanitized($0) + "\n" }
            try StandardOutput.write(trusted: Array(lines.joined().utf8))
        }
        try LiveSession(duration: duration?.span).run(feed, on: lines)
    }

    /// Reports why no sentence arrives while all receivers sleep.
    private func reportSleep() {
        let all = (try? daemon.call(ReceiverMethods.list).receivers) ?? []
        let followed = all.filter { candidate in receiver.map { [candidate.name, candidate.port].contains($0) } ?? true
        }
        guard !followed.isEmpty, followed.allSatisfy({ $0.state == .asleep }) else { return }
        let subject = followed.count == 1 ? "\(followed[0].name) is asleep" : "all receivers are asleep"
        StandardError.line("sextant: \(subject) because no client needs a position; wake it with: sextant watch")
    }
}
