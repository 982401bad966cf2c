/// The reason why a shape is not a valid fence.
public enum FenceShapeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A circle's radius is not a number, not above 0 m, or above 10,000 km.
    case radius(Double)
    /// A corridor's width is not a number, not above 0 m, or above 10,000 km.
    case width(Double)
    /// A latitude or longitude is not a number or is out of range. `line` is the ring or path (0:
    /// the outer ring), `point` the index in it.
    case position(line: Int, point: Int)
    /// A ring or path has too few different points: a ring needs three, a path two.
    case tooFewPoints(line: Int, Int, needed: Int)
    /// The shape has more points than allowed.
    case tooManyPoints(Int, limit: Int)
    /// The ring reaches farther than 10,000 km from its first point, so its inside is ambiguous.
    case tooWide(line: Int)
    /// Two consecutive points are antipodal, or the ring encloses no area.
    case noArea(line: Int)
    /// A hole lies at least partly outside the outer ring.
    case holeOutside(line: Int)

    /// The problem, as a sentence without a full stop.
    public var description: String {
        switch self {
        case .radius(let metres): "the radius is \(metres) m; it must be above 0 and at most 10,000 km"
        case .width(let metres): "the width is \(metres) m; it must be above 0 and at most 10,000 km"
        case .position(let line, let point):
            "point \(point + 1) of \(FenceShapeError.name(line)) is not a position on Earth"
        case .tooFewPoints(let line, let count, let needed):
            "\(FenceShapeError.name(line)) has \(count) different point\(count == 1 ? "" : "s"); "
                + "it needs at least \(needed)"
        case .tooManyPoints(let count, let limit): "there are \(count) points; a fence may have at most \(limit)"
        case .tooWide(let line): "\(FenceShapeError.name(line)) reaches farther than 10,000 km from its first point"
        case .noArea(let line): "\(FenceShapeError.name(line)) encloses no area"
        case .holeOutside(let line): "\(FenceShapeError.name(line)) lies at least partly outside the outer ring"
        }
    }

    private static func name(_ line: Int) -> String { line == 0 ? "the line" : "hole \(line)" }
}
