import Chronology
import Geodesy
import Glibc

/// The grid of a device, which maps a position to the point that is reported instead of it.
///
/// A program with reduced accuracy must not find a home, however long it collects answers. The grid
/// is a function of a secret of the device, the UTC day and the position, without other state:
///
/// - **Areas.** Rows of 5 km, in each row cells of 4.6 to 5 km. All positions of an area have the
///   same reported point, so noise and time reveal nothing within it. The phase of the rows, and
///   the phase and width of the cells of each row, depend on the secret.
/// - **The areas never move.** A boundary that moves crosses homes, and the day on which the answer
///   changes locates such a home along a line. Two crossings locate it within metres.
/// - **Displacement.** The reported point lies 4 km north, east, south or west of the center of its
///   area. The direction depends on the secret, and is the same for all areas. Therefore each
///   answer lies at least 1 km farther in this direction than any position of its area. The same
///   holds for every mean of answers, with any weights, compared with the same mean of the
///   positions: not even a home on a boundary, which has two answers, is near their mean.
/// - **Drift.** The reported points move on a circle with a radius of 100 m, about 5 m a day, and
///   are rounded to 0.001 degrees. The drift is independent of the direction and phase of the grid,
///   so it reveals neither.
///
/// A point in the area itself would be simpler, and fails. A center lies within 1 km of 13 % of
/// homes. A point in the other half of the area reveals the half, where a guess finds 25 % of
/// homes; and a home close to the line between both halves is near the mean of its two answers.
///
/// What remains: a program that knows this file finds about 4 % of homes within 1 km by guessing.
/// One that also knows the direction, from an exact position at the same time, finds about 13 %:
/// the share of an area that a circle with a radius of 1 km covers. A map of buildings improves a
/// guess.
///
/// Within 22 km of a pole there is one area, because rows have no width there.
public struct ReducedGrid: Sendable, Hashable {
    /// The height of a row in degrees of latitude: 4,976 m at the equator, 5,026 m at the poles.
    static let rowHeight = 0.045
    /// The largest width of a cell in metres.
    static let maxWidth = 5000.0
    /// How much narrower than ``maxWidth`` the cells of a row may be, as a share. The width varies
    /// so that it does not reveal the latitude of the row.
    static let widthVariation = 0.08
    /// Degrees. North of it, and south of its negative, the area is the polar cap.
    static let capLatitude = 89.8
    /// Metres from the center of an area to its reported point, before drift and rounding.
    ///
    /// 1,000 m, plus half a row (2,513 m), the sagitta of a cell next to the polar cap (143 m), the
    /// largest margin of ``ReducedLocation`` (100 m), ``driftRadius`` and rounding (56 m): 3,912 m.
    /// The rest is for the error of the receiver.
    static let displacement = 4000.0
    /// Metres from the edge of the polar cap to its reported point, before drift and rounding.
    static let capDisplacement = 1400.0
    /// Metres.
    static let driftRadius = 100.0
    /// Metres.
    static let dailyDrift = 5.0
    /// The steps of reported coordinates per degree.
    private static let stepsPerDegree = 1000.0

    private let secret: ReducedSecret
    /// Degrees, 0 ..< ``rowHeight``.
    private let rowPhase: Double
    /// The direction of the displacement: 0, 90, 180 or 270 degrees clockwise from north.
    let bearing: Double
    /// The phase of the drift, as a part of its circle.
    private let driftPhase: Double

    /// Creates the grid of a secret. The same secret always makes the same grid.
    public init(secret: ReducedSecret) {
        self.secret = secret
        rowPhase = secret.fraction(for: .rowPhase) * ReducedGrid.rowHeight
        bearing = (secret.fraction(for: .direction) * 4).rounded(.down) * 90
        driftPhase = secret.fraction(for: .driftPhase)
    }

    /// Returns the area that contains a position; nil if the position is not a valid coordinate.
    public func area(of position: Coordinate) -> ReducedArea? {
        guard let position = Coordinate(latitude: position.latitude, longitude: position.longitude) else { return nil }
        guard abs(position.latitude) < ReducedGrid.capLatitude else { return cap(isNorth: position.latitude > 0) }
        let row = ((position.latitude + 90 - rowPhase) / ReducedGrid.rowHeight).rounded(.down)
        let south = row * ReducedGrid.rowHeight + rowPhase - 90
        let north = south + ReducedGrid.rowHeight
        let count = columnCount(row: Int64(row), south: south, north: north)
        let phase = secret.fraction(for: .columnPhase, index: Int64(row))
        // The cell at the antimeridian is both the first and the last one.
        let eastward = ((position.longitude + 180) / 360 * count + phase).rounded(.down)
        let column = eastward < count ? eastward : 0
        let west = (column - phase) * 360 / count - 180
        let center = Coordinate(
            latitude: (south + north) / 2, longitude: (west + 180 / count).remainder(dividingBy: 360))
        guard let center else { return nil }
        return ReducedArea(
            box: GeoBox(south: south, north: north, west: west, width: 360 / count),
            anchor: center, bearing: bearing, displacement: ReducedGrid.displacement,
            horizontalAccuracy: ReducedArea.cellRadius)
    }

    /// Returns the point that is reported for every position of an area.
    ///
    /// - Parameter time: Determines the drift; nil counts as 1970-01-01.
    public func reportedPoint(of area: ReducedArea, at time: UTCTime?) -> Coordinate {
        let milliseconds = Double(time?.milliseconds ?? 0)
        let day = (milliseconds / Double(UTCTime.millisecondsPerDay)).rounded(.down)
        let angle = 2 * Double.pi * driftPhase + day * ReducedGrid.dailyDrift / ReducedGrid.driftRadius
        let displacement = LocalPlane.Offset(distance: area.displacement, bearing: area.bearing)
        let offset = LocalPlane.Offset(
            east: displacement.east + ReducedGrid.driftRadius * sin(angle),
            north: displacement.north + ReducedGrid.driftRadius * cos(angle))
        let point = area.anchor.moved(by: offset.length, bearing: offset.bearing)
        let steps = ReducedGrid.stepsPerDegree
        let rounded = Coordinate(
            latitude: (point.latitude * steps).rounded() / steps,
            longitude: (point.longitude * steps).rounded() / steps)
        return rounded ?? point
    }

    /// Returns the number of cells in a row, so that none is wider than ``maxWidth``.
    private func columnCount(row: Int64, south: Double, north: Double) -> Double {
        // The parallel nearest to the equator is the longest one.
        let latitude = south < 0 && north > 0 ? 0 : min(abs(south), abs(north))
        let (sine, cosine) = (sin(latitude * .pi / 180), cos(latitude * .pi / 180))
        let eccentricitySquared = Ellipsoid.flattening * (2 - Ellipsoid.flattening)
        let radius = Ellipsoid.equatorialRadius * cosine / (1 - eccentricitySquared * sine * sine).squareRoot()
        let variation = 1 + ReducedGrid.widthVariation * secret.fraction(for: .columnCount, index: row)
        return (2 * .pi * radius / ReducedGrid.maxWidth * variation).rounded(.up)
    }

    /// Returns the area of a pole. Its point lies beyond its edge, on a meridian that depends on
    /// the secret.
    private func cap(isNorth: Bool) -> ReducedArea? {
        let latitude = isNorth ? ReducedGrid.capLatitude : -ReducedGrid.capLatitude
        let longitude = secret.fraction(for: .poleMeridian, index: isNorth ? 1 : 0) * 360 - 180
        guard let anchor = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        return ReducedArea(
            box: GeoBox(south: min(latitude, latitude * 2), north: max(latitude, latitude * 2), west: -180, width: 360),
            anchor: anchor, bearing: isNorth ? 180 : 0, displacement: ReducedGrid.capDisplacement,
            horizontalAccuracy: ReducedArea.capRadius)
    }
}

/// An area of a ``ReducedGrid``: all positions in it have the same reported point.
public struct ReducedArea: Sendable, Hashable {
    /// The positions of the area.
    let box: GeoBox
    /// The point from which the displacement is measured.
    let anchor: Coordinate
    /// The direction of the displacement, degrees clockwise from north.
    let bearing: Double
    /// Metres from the anchor to the reported point, before drift and rounding.
    let displacement: Double
    /// The radius around the reported point that contains the true position with a probability of
    /// 68 %, in metres, if every position of the area is equally probable.
    public let horizontalAccuracy: Double

    /// ``horizontalAccuracy`` of a cell: the 68th percentile of the distance from the reported
    /// point to uniform positions, 5,080 to 5,100 m. With the drift it contains 65 to 71 % of them,
    /// on average 68 % (`ReducedAccuracyTests`).
    static let cellRadius = 5100.0
    /// ``horizontalAccuracy`` of a polar cap, determined in the same way.
    static let capRadius = 32_800.0

    /// Returns whether a position is in the area or at most about `margin` metres outside.
    public func contains(_ position: Coordinate, margin: Double = 0) -> Bool {
        box.expanded(by: margin).contains(position)
    }
}
