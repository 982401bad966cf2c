import ArgumentParser
import Geodesy
import PlaceIndex
import Places

/// `sextant where LAT,LON`: prints the name of a position.
struct WhereCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "where",
        abstract: "Print the name of a position, without the daemon.",
        discussion: """
            A position that is in no place is described by a place near it. Country, division and time zone are those \
            of the place; borders are not known. Exit with status 2 if there is no place within 100 km. Write a \
            position with negative latitude after two hyphens: sextant where -- -33.9,18.4
            """)

    @Argument(help: ArgumentHelp("Latitude and longitude in degrees.", valueName: "lat,lon"))
    var position: PositionArgument

    @OptionGroup var output: OutputOptions

    func run() throws {
        let point = position.coordinate
        let placemark: PlacemarkOutput? = try PlacesCommand.withFile { file in
            let description = PointDescription(point, places: try file.nearest(to: point))
            guard let nearby = description.nearby else { return nil }
            return PlacemarkOutput(
                description, nearby: nearby, point: point, division: try file.divisionName(of: nearby.place))
        }
        if output.isJSON {
            try JSONLineWriter.print([PlacemarksOutput(placemarks: placemark.map { [$0] } ?? [])])
        } else if let placemark {
            try StandardOutput.write(lines: [placemark.text])
        }
        guard placemark != nil else {
            throw CommandError("there is no place within 100 km of this position", exitStatus: .noResult)
        }
    }
}

/// A latitude and a longitude, separated by a comma.
struct PositionArgument: ExpressibleByArgument {
    let coordinate: Coordinate

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1].drop { $0 == " " }),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        self.coordinate = coordinate
    }
}
