import Geodesy

extension FenceShape {
    /// Below this a distance from a circle's centre is taken from the plane: wrong by less than 3 mm.
    private static let nearby = (distance: 3_000.0, latitude: 80.0, degrees: 1.0)

    /// Metres from a point to the boundary along the ground, positive inside.
    ///
    /// Wrong by less than 3 mm for a circle; for rings and corridors see ``Outlook``: 1 mm within 1 km of the boundary, edges of any length,
    /// and never on the wrong side. Nothing is allocated. For a shape that ``validated()`` refuses it means nothing, but does no harm.
    public func signedDistance(from point: Coordinate) -> Double {
        switch self {
        case .circle(let center, let radius): return radius - FenceShape.distance(from: point, to: center)
        case .polygon(let polygon): return polygon.signedDistance(from: point)
        case .corridor(let path, let width):
            var outlook = Outlook(from: point)
            outlook.take(path: path)
            return width / 2 - outlook.distance
        }
    }

    /// Whether a point is inside; the boundary belongs to it.
    public func contains(_ point: Coordinate) -> Bool { signedDistance(from: point) >= 0 }

    /// Metres from a point to the centre of a circle; nil for other shapes, whose distance from the boundary says enough.
    public func distanceFromCenter(_ point: Coordinate) -> Double? {
        guard case .circle(let center, _) = self else { return nil }
        return FenceShape.distance(from: point, to: center)
    }

    private static func distance(from point: Coordinate, to center: Coordinate) -> Double {
        if abs(point.latitude) < nearby.latitude, abs(point.latitude - center.latitude) < nearby.degrees {
            let plain = point.nearbyDistance(to: center)
            if plain < nearby.distance { return plain }
        }
        return point.distance(to: center)
    }
}

extension Polygon {
    func signedDistance(from point: Coordinate) -> Double {
        var outlook = Outlook(from: point)
        var isInside = outlook.isInside(ring: ring)
        for hole in holes {
            // A hole is looked at even from outside: its edge may be the nearest where it touches the ring.
            if outlook.isInside(ring: hole) { isInside = false }
        }
        return isInside ? outlook.distance : -outlook.distance
    }
}
