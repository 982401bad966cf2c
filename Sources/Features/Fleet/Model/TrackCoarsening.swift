import Chronology
import Geodesy

/// Makes space in a full outbox: selects points of the track that can be deleted.
package enum TrackCoarsening {
    /// Returns the numbers of the points that a track does not need with this tolerance.
    ///
    /// - Parameter points: The points with their numbers, oldest first.
    package static func superfluous(_ points: [(sequence: Int64, point: FleetPoint)], tolerance: Double) -> [Int64] {
        guard var simplifier = TrackSimplifier<Int64>(tolerance: tolerance) else { return [] }
        var needed: Set<Int64> = []
        for (sequence, point) in points {
            let entry = TrackPoint(point.coordinate, at: point.time, sequence)
            needed.formUnion(simplifier.add(entry, at: .zero).map(\.payload))
        }
        needed.formUnion(simplifier.finish().map(\.payload))
        return points.map(\.sequence).filter { !needed.contains($0) }
    }
}
