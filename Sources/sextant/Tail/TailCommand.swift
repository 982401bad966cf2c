import ArgumentParser
import Varlink
import Wire

/// `sextant tail`: prints the sentences of the receivers.
struct TailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Print the sentences of the receivers as they arrive.",
        discussion: """
            Only sentences with a correct checksum are printed. The command needs the permission for the full \
            location and keeps no receiver on: without another program that uses the location, a receiver may sleep. \
            Ctrl-C ends it. Sentences that this command reads too slowly are lost; --json shows how many replies were.
            """)

    @Argument(help: "Print only these sentences: RMC for all talkers, GNRMC for one.")
    var types: [String] = []

    @Option(help: ArgumentHelp("Use only this receiver, by name or port.", valueName: "name"))
    var receiver: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// How long to wait for sentences before waiting again.
    private static let waitTime = Duration.seconds(3600)

    private var parameters: SentencesParameters {
        SentencesParameters(receiver: receiver, types: types.isEmpty ? nil : types.map { $0.uppercased() })
    }

    func validate() throws {
        guard parameters.hasValidTypes else {
            throw ValidationError("A type of sentences has letters and digits, such as RMC or GNRMC; 64 types at most.")
        }
    }

    func run() throws {
        daemon.declareSession()
        let client = try daemon.connect()
        do {
            var replies = try client.stream(ReceiverMethods.sentences, with: parameters)
            while let reply = try TailCommand.next(of: &replies) {
                let message: SentencesReply
                do { message = try reply.parameters(of: ReceiverMethods.sentences) } catch {
                    throw ClientError.unexpectedReply(method: ReceiverMethods.sentences.name, error)
                }
                try print(message)
            }
        } catch let error as ClientError {
            throw CommandError(daemon: error)
        }
    }

    /// Waits for the next reply for any time.
    private static func next(of replies: inout ReplyStream) throws(ClientError) -> Reply? {
        while true {
            do throws(ClientError) { return try replies.next(timeout: waitTime) } catch {
                guard case .timedOut = error else { throw error }
            }
        }
    }

    private func print(_ message: SentencesReply) throws {
        if output.isJSON { return try JSONLineWriter.print([message]) }
        try StandardOutput.write(lines: message.sentences)
    }
}
