import ArgumentParser
import Geodesy
import Places
import SextantAPI

/// `sextant where [LAT,LON]`: prints the name of a position.
struct WhereCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "where",
        abstract: "Print the name of a position.",
        discussion: """
            Without a position, that of the device. A position that is in no place is described by a place near it. \
            Exit with status 2 if nothing is known about the position.
            """)

    @Argument(
        help: ArgumentHelp("Latitude and longitude in degrees.", valueName: "lat,lon"),
        transform: PositionArgument.parse)
    var position: PositionArgument?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let point: Coordinate
        var isReduced = false
        if let position {
            point = position.coordinate
        } else {
            (point, isReduced) = try daemon.devicePosition()
        }
        let placemark = try PlacesFolder.ofProcess.withFile { file in
            try Geocoder(file).placemark(at: point, language: UserLanguage.code)
        }.map { isReduced ? $0.reduced : $0 }
        if output.isJSON {
            try JSONLineWriter.print([PlacemarksReply(placemarks: placemark.map { [Placemark($0)] } ?? [])])
        } else if let placemark {
            try StandardOutput.write(lines: [placemark.text])
        }
        guard placemark != nil else {
            throw CommandError("nothing is known about this position", exitStatus: .noResult)
        }
    }
}
