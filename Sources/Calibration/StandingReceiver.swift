import Geodesy
import Positioning

/// A receiver at rest: its true place is taken to be the median of its fixes, and its true speed none.
///
/// What it has wrong all the while, the ionosphere above all, is in the median too and cannot be seen: shares are higher here than they
/// are in truth.
enum StandingReceiver {
    static func compare(_ fixes: [Fix]) -> Comparison {
        var comparison = Comparison()
        guard let origin = fixes.first?.coordinate else { return comparison }
        let plane = LocalPlane(origin: origin)
        let places = fixes.compactMap { fix in fix.coordinate.map { plane.offset(of: $0) } }
        guard let east = places.map(\.east).quantile(0.5), let north = places.map(\.north).quantile(0.5) else { return comparison }
        for (fix, place) in zip(fixes, places) {
            comparison.count(fix, east: place.east - east, north: place.north - north, trueSpeed: 0)
        }
        return comparison
    }
}
