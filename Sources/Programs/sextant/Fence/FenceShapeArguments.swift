import ArgumentParser
import SextantAPI

/// The options for the shape of a fence.
struct FenceShapeArguments: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A circle: latitude and longitude of its centre in degrees, radius in metres or km.",
            valueName: "lat,lon,radius")
    )
    var circle: NumbersArgument?

    @Option(
        help: ArgumentHelp(
            "A circle of this radius around the current position of the device: 150, 0.2km.", valueName: "metres"))
    var here: MetresArgument?

    @Option(
        help: ArgumentHelp(
            "A circle of --radius around the place of this name, such as \"Nijmegen, NL\".", valueName: "text"))
    var place: String?

    @Option(help: ArgumentHelp("Radius around the place of --place, in metres.", valueName: "metres"))
    var radius: MetresArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A polygon: the corners of its outer ring.", valueName: "lat,lon lat,lon …"))
    var polygon: PointsArgument?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A hole in the polygon. May be repeated.", valueName: "lat,lon lat,lon …"))
    var hole: [PointsArgument] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A corridor: the points of its centre line; requires --width.", valueName: "lat,lon lat,lon …"))
    var corridor: PointsArgument?

    @Option(help: ArgumentHelp("Width of a corridor from edge to edge, in metres.", valueName: "metres"))
    var width: MetresArgument?

    var count: Int { [circle != nil, here != nil, place != nil, polygon != nil, corridor != nil].count { $0 } }

    func validate() throws {
        guard circle.map({ $0.numbers.count == 3 }) ?? true else {
            throw ValidationError(
                "--circle requires three numbers: latitude and longitude in degrees, radius in metres")
        }
        guard (corridor == nil) == (width == nil) else {
            throw ValidationError("--corridor and --width require each other")
        }
        guard (place == nil) == (radius == nil) else {
            throw ValidationError("--place and --radius require each other")
        }
        guard hole.isEmpty || polygon != nil else { throw ValidationError("--hole requires --polygon") }
    }

    /// Puts the shape into a condition; `here` returns the current position.
    func apply(to condition: inout Condition, here position: () throws(CommandError) -> Location)
        throws(CommandError)
    {
        if let circle {
            let center = Point(latitude: circle.numbers[0], longitude: circle.numbers[1])
            condition.circle = ConditionCircle(center: center, radius: circle.numbers[2])
        } else if let here {
            let position = try position()
            let center = Point(latitude: position.latitude, longitude: position.longitude)
            condition.circle = ConditionCircle(center: center, radius: here.metres)
        } else if let place, let radius {
            let center = try FoundPlace(named: place).point
            condition.circle = ConditionCircle(center: center, radius: radius.metres)
        } else if let polygon {
            condition.polygon = ConditionPolygon(ring: polygon.points, holes: hole.isEmpty ? nil : hole.map(\.points))
        } else if let corridor, let width {
            condition.corridor = ConditionCorridor(path: corridor.points, width: width.metres)
        }
    }
}

/// Numbers separated by commas. The third is a length, whose unit may follow.
struct NumbersArgument: ExpressibleByArgument, Equatable {
    let numbers: [Double]

    init?(argument: String) {
        var numbers: [Double] = []
        for text in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let number = numbers.count == 2 ? MetresArgument(argument: String(text))?.metres : Double(text)
            guard let number, number.isFinite else { return nil }
            numbers.append(number)
        }
        self.numbers = numbers
    }
}

/// Points separated by spaces.
struct PointsArgument: ExpressibleByArgument, Equatable {
    let points: [Point]

    init?(argument: String) {
        var points: [Point] = []
        for text in argument.split(separator: " ") {
            guard let pair = NumbersArgument(argument: String(text))?.numbers, pair.count == 2 else { return nil }
            points.append(Point(latitude: pair[0], longitude: pair[1]))
        }
        guard points.count > 1 else { return nil }
        self.points = points
    }
}
