import ArgumentParser
import Wire

/// Where a fence is: just one shape.
struct FenceShapeArguments: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A circle: degrees north and east of its centre, and its radius in metres.", valueName: "lat,lon,radius"))
    var circle: NumbersArgument?

    @Option(help: ArgumentHelp("A circle of that radius around where the device is now.", valueName: "metres"))
    var here: Double?

    @Option(parsing: .unconditional, help: ArgumentHelp("An area: the corners of its outer ring.", valueName: "lat,lon lat,lon …"))
    var polygon: PointsArgument?

    @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("A hole in the area; once for each.", valueName: "lat,lon lat,lon …"))
    var hole: [PointsArgument] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("A way: the points of its line; needs --width.", valueName: "lat,lon lat,lon …"))
    var corridor: PointsArgument?

    @Option(help: ArgumentHelp("Metres from edge to edge of a corridor.", valueName: "metres"))
    var width: Double?

    func validate() throws {
        let shapes = [circle != nil, here != nil, polygon != nil, corridor != nil].count { $0 }
        guard shapes == 1 else { throw ValidationError("say where it is with one of --circle, --here, --polygon and --corridor") }
        guard circle.map({ $0.numbers.count == 3 }) ?? true else {
            throw ValidationError("--circle takes three numbers: degrees north, degrees east, radius in metres")
        }
        guard (corridor == nil) == (width == nil) else { throw ValidationError("--corridor and --width go together") }
        guard hole.isEmpty || polygon != nil else { throw ValidationError("--hole goes with --polygon") }
    }

    /// Puts the shape into a condition; `here` asks where that is.
    func place(_ condition: inout ConditionMessage, here position: () throws(CommandError) -> LocationMessage) throws(CommandError) {
        if let circle {
            let center = PointMessage(latitude: circle.numbers[0], longitude: circle.numbers[1])
            condition.circle = CircleMessage(center: center, radius: circle.numbers[2])
        } else if let here {
            let position = try position()
            let center = PointMessage(latitude: position.latitude, longitude: position.longitude)
            condition.circle = CircleMessage(center: center, radius: here)
        } else if let polygon {
            condition.polygon = PolygonMessage(ring: polygon.points, holes: hole.isEmpty ? nil : hole.map(\.points))
        } else if let corridor, let width {
            condition.corridor = CorridorMessage(path: corridor.points, width: width)
        }
    }
}

/// Numbers with commas between them.
struct NumbersArgument: ExpressibleByArgument, Equatable {
    let numbers: [Double]

    init?(argument: String) {
        var numbers: [Double] = []
        for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = Double(word), number.isFinite else { return nil }
            numbers.append(number)
        }
        self.numbers = numbers
    }
}

/// Points with blanks between them.
struct PointsArgument: ExpressibleByArgument, Equatable {
    let points: [PointMessage]

    init?(argument: String) {
        var points: [PointMessage] = []
        for word in argument.split(separator: " ") {
            guard let pair = NumbersArgument(argument: String(word))?.numbers, pair.count == 2 else { return nil }
            points.append(PointMessage(latitude: pair[0], longitude: pair[1]))
        }
        guard points.count > 1 else { return nil }
        self.points = points
    }
}
