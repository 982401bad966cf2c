import Geodesy

/// The places nearest to a point. Each is read from the file when it is needed: most of them are
/// too small and too far to matter.
final class PlaceReading {
    /// The candidates, the nearest first.
    let candidates: [PlaceCandidate]

    private let file: PlacesFile
    private var places: [Int: Place] = [:]

    /// Finds the places near a point, as many as describe it.
    init(_ file: PlacesFile, near point: Coordinate) throws(PlacesError) {
        self.file = file
        candidates = try file.candidates(near: point)
    }

    /// Returns a place by its index in ``candidates``; nil if the file has no such row.
    func place(_ index: Int) throws(PlacesError) -> Place? {
        if let known = places[index] { return known }
        let place = try file.place(candidates[index].number)
        places[index] = place
        return place
    }
}
