/// A straight line in space, between two points of the surface; metres.
struct SpaceLine: Sendable {
    var start: SIMD4<Float>
    var way: SIMD4<Float>

    init(from start: SIMD4<Float>, to end: SIMD4<Float>) {
        (self.start, way) = (start, end - start)
    }
}

extension BoxTree {
    /// Calls `visit` with every slot whose box is within `reach` metres of a point, and with how far away it is.
    func visit(within reach: Float, of point: SIMD4<Float>, _ visit: (Int32, Float) -> Void) {
        guard root >= 0 else { return }
        let most = reach * reach
        descend(root, where: { $0.squaredDistance(to: point) <= most }) {
            visit($0.target, $0.squaredDistance(to: point).squareRoot())
        }
    }

    /// Calls `visit` with every slot whose box is within `reach` metres of a line, and perhaps with some that are a little farther.
    func visit(within reach: Float, of line: SpaceLine, _ visit: (Int32) -> Void) {
        guard root >= 0 else { return }
        descend(root, where: { $0.meets(line, reach: reach) }) { visit($0.target) }
    }

    /// The box of a slot; nil where it is not there.
    func box(of slot: Int32) -> SpaceBox? {
        guard leaves.indices.contains(Int(slot)), leaves[Int(slot)] >= 0 else { return nil }
        let leaf = Int(leaves[Int(slot)])
        let first = leaf * BoxTree.fanOut
        return entries[first..<first + Int(counts[leaf])].first { $0.target == slot }?.box
    }

    /// Metres from a point to the nearest box of those slots that count, `limit` where none is nearer.
    func nearest(to point: SIMD4<Float>, limit: Float = .infinity, where counts: (Int32) -> Bool) -> Float {
        guard root >= 0 else { return limit }
        var best = limit * limit
        approach(root, point, &best, counts)
        return best.squareRoot()
    }

    private func descend(_ node: Int32, where isWanted: (Entry) -> Bool, _ visit: (Entry) -> Void) {
        let first = Int(node) * BoxTree.fanOut
        let isLeaf = heights[Int(node)] == 0
        for at in first..<first + Int(counts[Int(node)]) where isWanted(entries[at]) {
            if isLeaf { visit(entries[at]) } else { descend(entries[at].target, where: isWanted, visit) }
        }
    }

    /// Goes down the nearest branch first, so that most others need no look.
    private func approach(_ node: Int32, _ point: SIMD4<Float>, _ best: inout Float, _ isCounted: (Int32) -> Bool) {
        let first = Int(node) * BoxTree.fanOut
        let range = first..<first + Int(counts[Int(node)])
        if heights[Int(node)] == 0 {
            for at in range {
                let distance = entries[at].squaredDistance(to: point)
                if distance < best, isCounted(entries[at].target) { best = distance }
            }
            return
        }
        guard let nearest = range.min(by: { entries[$0].squaredDistance(to: point) < entries[$1].squaredDistance(to: point) }) else {
            return
        }
        if entries[nearest].squaredDistance(to: point) < best { approach(entries[nearest].target, point, &best, isCounted) }
        for at in range where at != nearest && entries[at].squaredDistance(to: point) < best {
            approach(entries[at].target, point, &best, isCounted)
        }
    }
}
