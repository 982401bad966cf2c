import ArgumentParser
import Glibc
import Places
import SextantAPI
import Varlink

/// `sextant places`: imports, shows, checks and removes the data of places.
struct PlacesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places",
        abstract: "Import, check and remove the data for names of places.",
        discussion: """
            The data is in /var/lib/sextant-places, or in the folder that SEXTANT_PLACES names. Everything works \
            without the daemon and without a network.
            """,
        subcommands: [
            PlacesListCommand.self, PlacesImportCommand.self, PlacesCheckCommand.self, PlacesRemoveCommand.self,
        ],
        defaultSubcommand: PlacesListCommand.self)
}

/// `sextant places list`.
struct PlacesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the sources of the data.")

    @OptionGroup var output: OutputOptions

    func run() throws {
        let sources = try PlacesFolder.ofProcess.withFile { try $0.sources() }
        if output.isJSON {
            try JSONLineWriter.print([SourcesReply(sources: sources)])
        } else {
            var lines = sources.map { source in
                let invalid = source.errors == 0 ? nil : DecimalText.count(Int(source.errors), "invalid line")
                let rows = "\(source.contents): \(DecimalText.grouped(source.rows))"
                return [source.name, rows, source.date, invalid, source.licence].compactMap { $0 }
                    .joined(separator: " · ")
            }
            for source in sources where !lines.contains(source.attribution) { lines.append(source.attribution) }
            try StandardOutput.write(lines: lines.wrapped(to: StandardOutput.columns))
        }
    }
}

/// `sextant places check`.
struct PlacesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify the whole file.",
        discussion: "Exit with status 66 if it is damaged or missing.")

    @OptionGroup var output: OutputOptions

    func run() throws {
        let folder = PlacesFolder.ofProcess
        do {
            try folder.withFile { try $0.check() }
        } catch let error as CommandError where output.isJSON {
            try JSONLineWriter.print([
                "file": .string(folder.file), "intact": false, "reason": .string(error.description),
            ])
            throw error
        }
        if output.isJSON {
            try JSONLineWriter.print(["file": .string(folder.file), "intact": true])
        } else {
            try StandardOutput.write(lines: ["\(folder.file) is intact"])
        }
    }
}

/// `sextant places remove`.
struct PlacesRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove the data.")

    func run() throws {
        let path = PlacesFolder.ofProcess.file
        guard unlink(path) != 0 else { return }
        switch errno {
        case ENOENT: throw CommandError("there is no data to remove: no file \(path)", exitStatus: .noResult)
        case EACCES: throw CommandError("removing \(path): Permission denied; use sudo", exitStatus: .noInput)
        case let code: throw CommandError.system("removing \(path)", code: code)
        }
    }
}
