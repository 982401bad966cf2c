import Geodesy

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
