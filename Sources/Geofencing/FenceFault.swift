/// Why a shape cannot be a fence.
public enum FenceFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// A circle's radius is no number, not above 0 m, or above 10,000 km.
    case radius(Double)
    /// A corridor's width is no number, not above 0 m, or above 10,000 km.
    case width(Double)
    /// A latitude or longitude is no number or out of range. Of the `line`-th ring or path (0: the outer ring), the `point`-th point.
    case position(line: Int, point: Int)
    /// A ring needs three points that differ, a path two.
    case tooFewPoints(line: Int, Int, needed: Int)
    /// More points than one shape may have.
    case tooManyPoints(Int, most: Int)
    /// The ring reaches farther than 10,000 km from its first point: which side of it is meant cannot be told.
    case tooWide(line: Int)
    /// Two points in a row lie at opposite ends of the Earth, or the ring encloses nothing.
    case noArea(line: Int)
    /// A hole lies outside the outer ring, at least in part.
    case holeOutside(line: Int)

    /// What is wrong, as a sentence without its stop.
    public var description: String {
        switch self {
        case .radius(let metres): "the radius is \(metres) m; it must be above 0 and at most 10,000 km"
        case .width(let metres): "the width is \(metres) m; it must be above 0 and at most 10,000 km"
        case .position(let line, let point): "point \(point + 1) of \(FenceFault.name(line)) is not a position on Earth"
        case .tooFewPoints(let line, let count, let needed):
            "\(FenceFault.name(line)) has \(count) different point\(count == 1 ? "" : "s"); it needs \(needed)"
        case .tooManyPoints(let count, let most): "there are \(count) points; a fence may have \(most)"
        case .tooWide(let line): "\(FenceFault.name(line)) reaches farther than 10,000 km from its first point"
        case .noArea(let line): "\(FenceFault.name(line)) encloses nothing"
        case .holeOutside(let line): "\(FenceFault.name(line)) lies outside the outer ring"
        }
    }

    private static func name(_ line: Int) -> String { line == 0 ? "the line" : "hole \(line)" }
}
