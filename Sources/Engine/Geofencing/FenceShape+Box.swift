import Geodesy

extension FenceShape {
    /// Returns a box that contains everything within `margin` metres of the shape. It includes
    /// edges that bulge towards a pole. If the shape contains a pole, or the margin reaches one,
    /// the box spans all longitudes.
    public func box(margin: Double = 0) -> GeoBox {
        switch self {
        case .circle(let center, let radius): GeoBox(center).expanded(by: radius + margin)
        case .polygon(let polygon): polygon.box.expanded(by: margin)
        case .corridor(let path, let width): LineExtent(path, isClosed: false).box.expanded(by: width / 2 + margin)
        }
    }
}

extension Polygon {
    fileprivate var box: GeoBox {
        let extent = LineExtent(ring, isClosed: true)
        guard extent.enclosesPole, var pole = ring.first else { return extent.box }
        pole.latitude = 90
        let isNorth = signedDistance(from: pole) > 0
        return GeoBox(south: isNorth ? extent.south : -90, north: isNorth ? 90 : extent.north, west: -180, width: 360)
    }
}

/// The extent of a line of geodesics, accumulated from point to point so that the antimeridian
/// needs no special case.
struct LineExtent {
    private(set) var south: Double
    private(set) var north: Double
    private let start: Double
    /// The minimum, maximum and current longitude in degrees east of the first point, not wrapped.
    private var minEast = 0.0
    private var maxEast = 0.0
    private var east = 0.0

    init(_ line: [Coordinate], isClosed: Bool) {
        start = line.first?.longitude ?? 0
        (south, north) = (line.first?.latitude ?? 0, line.first?.latitude ?? 0)
        for (from, to) in zip(line, line.dropFirst()) { include(GeodesicEdge(from: from, to: to)) }
        if isClosed, let last = line.last, let first = line.first { include(GeodesicEdge(from: last, to: first)) }
    }

    /// Whether the line is a ring that ends 360 degrees away from its start.
    var enclosesPole: Bool { abs(east) > 180 }

    var box: GeoBox { GeoBox(south: south, north: north, west: start + minEast, width: maxEast - minEast) }

    private mutating func include(_ edge: GeodesicEdge) {
        let latitudes = edge.latitudes
        (south, north) = (min(south, latitudes.south), max(north, latitudes.north))
        east += (edge.end.longitude - edge.start.longitude).remainder(dividingBy: 360)
        minEast = min(minEast, east)
        maxEast = max(maxEast, east)
    }
}
