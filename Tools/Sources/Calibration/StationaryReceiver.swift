import Geodesy
import Positioning

/// A stationary receiver: the median of its fixes serves as the true position, and the true speed
/// is 0.
///
/// An error common to all fixes, mainly of the ionosphere, also shifts the median and stays hidden.
/// The shares are therefore higher than the true ones.
enum StationaryReceiver {
    static func compare(_ fixes: [Fix]) -> ClaimComparison {
        var comparison = ClaimComparison()
        guard let origin = fixes.first?.coordinate else { return comparison }
        let plane = LocalPlane(origin: origin)
        let places = fixes.compactMap { fix in fix.coordinate.map { plane.offset(of: $0) } }
        guard let east = places.map(\.east).quantile(0.5), let north = places.map(\.north).quantile(0.5) else {
            return comparison
        }
        for (fix, place) in zip(fixes, places) {
            comparison.count(fix, east: place.east - east, north: place.north - north, trueSpeed: 0)
        }
        return comparison
    }
}
