/// A straight line in space between two points of the Earth's surface, in metres.
struct ECEFSegment: Sendable {
    let start: SIMD4<Float>
    let vector: SIMD4<Float>

    init(from start: SIMD4<Float>, to end: SIMD4<Float>) {
        self.start = start
        vector = end - start
    }
}

extension BoxTree {
    /// Calls `body` with every slot whose box is within `distance` metres of a point, and with its
    /// distance.
    func forEachBox(within distance: Float, of point: SIMD4<Float>, _ body: (Int32, Float) -> Void) {
        guard root >= 0 else { return }
        let limit = distance * distance
        descend(
            root, where: { $0.squaredDistance(to: point) <= limit },
            body: {
                body($0.target, $0.squaredDistance(to: point).squareRoot())
            })
    }

    /// Calls `body` with every slot whose box is within `distance` metres of a line, and possibly
    /// with some slightly farther away.
    func forEachBox(within distance: Float, of line: ECEFSegment, _ body: (Int32) -> Void) {
        guard root >= 0 else { return }
        descend(root, where: { $0.meets(line, within: distance) }, body: { body($0.target) })
    }

    /// Returns the box of a slot; nil if the slot is not in the tree.
    func box(of slot: Int32) -> ECEFBox? {
        guard leaves.indices.contains(Int(slot)), leaves[Int(slot)] >= 0 else { return nil }
        let leaf = Int(leaves[Int(slot)])
        let first = leaf * BoxTree.fanOut
        return entries[first..<first + Int(counts[leaf])].first { $0.target == slot }?.box
    }

    /// Returns the distance in metres from a point to the nearest box for which `isCounted` is
    /// true; `limit` if none is nearer.
    func nearest(to point: SIMD4<Float>, limit: Float = .infinity, where isCounted: (Int32) -> Bool) -> Float {
        guard root >= 0 else { return limit }
        var best = limit * limit
        searchNearest(below: root, to: point, best: &best, where: isCounted)
        return best.squareRoot()
    }

    private func descend(_ node: Int32, where isWanted: (Entry) -> Bool, body: (Entry) -> Void) {
        let first = Int(node) * BoxTree.fanOut
        let isLeaf = heights[Int(node)] == 0
        for index in first..<first + Int(counts[Int(node)]) where isWanted(entries[index]) {
            if isLeaf { body(entries[index]) } else { descend(entries[index].target, where: isWanted, body: body) }
        }
    }

    /// Descends into the nearest branch first, which excludes most of the others.
    private func searchNearest(
        below node: Int32, to point: SIMD4<Float>, best: inout Float, where isCounted: (Int32) -> Bool
    ) {
        let first = Int(node) * BoxTree.fanOut
        let range = first..<first + Int(counts[Int(node)])
        if heights[Int(node)] == 0 {
            for index in range {
                let distance = entries[index].squaredDistance(to: point)
                if distance < best, isCounted(entries[index].target) { best = distance }
            }
            return
        }
        guard
            let nearest = range.min(by: {
                entries[$0].squaredDistance(to: point) < entries[$1].squaredDistance(to: point)
            })
        else {
            return
        }
        if entries[nearest].squaredDistance(to: point) < best {
            searchNearest(below: entries[nearest].target, to: point, best: &best, where: isCounted)
        }
        for index in range where index != nearest && entries[index].squaredDistance(to: point) < best {
            searchNearest(below: entries[index].target, to: point, best: &best, where: isCounted)
        }
    }
}
