/// Which boxes are near: an R-tree over boxes in space (A. Guttman, "R-trees", 1984), packed in one go where many come at once.
///
/// What it holds are numbers, those of slots, each with its box. Nodes lie one after the other in flat arrays: 34 bytes for each box that
/// was packed, some 60 for one that came alone. One box comes or goes in a microsecond; what goes leaves the boxes above it as they
/// are until half of them have gone, and then the tree is packed anew.
struct BoxTree: Sendable {
    /// Entries of a node. Its halves have eight.
    static let fanOut = 16
    /// With more coming at once than this part of those that are there, everything is packed anew.
    private static let repack = 4

    /// A box with what is in it: a slot in a leaf, a node above. 32 bytes.
    struct Entry: Sendable {
        var low: SIMD4<Float>
        var high: SIMD4<Float>

        init(_ box: SpaceBox, _ target: Int32) {
            (low, high) = (box.low, box.high)
            low.w = Float(bitPattern: UInt32(bitPattern: target))
        }

        var target: Int32 {
            get { Int32(bitPattern: low.w.bitPattern) }
            set { low.w = Float(bitPattern: UInt32(bitPattern: newValue)) }
        }

        @inline(__always)
        func squaredDistance(to point: SIMD4<Float>) -> Float {
            let (before, after) = (low - point, point - high)
            let x = max(before.x, after.x, 0)
            let y = max(before.y, after.y, 0)
            let z = max(before.z, after.z, 0)
            return x * x + y * y + z * z
        }

        /// Whether the box, grown by `reach` on all sides, and a line meet; never false where a point of the line is that near.
        func meets(_ line: SpaceLine, reach: Float) -> Bool {
            var (from, to): (Float, Float) = (0, 1)
            for axis in 0..<3 {
                let (start, way) = (line.start[axis], line.way[axis])
                let (least, most) = (low[axis] - reach, high[axis] + reach)
                if abs(way) < 1e-3 {
                    if start < least || start > most { return false }
                    continue
                }
                let (a, b) = ((least - start) / way, (most - start) / way)
                from = max(from, min(a, b))
                to = min(to, max(a, b))
            }
            return from <= to
        }
    }

    /// Entries of all nodes, ``fanOut`` for each.
    var entries: [Entry] = []
    /// How many of them a node has.
    var counts: [UInt8] = []
    /// How far above the leaves it is.
    var heights: [UInt8] = []
    /// In which leaf a slot is; -1 for none.
    private(set) var leaves: [Int32] = []
    var root: Int32 = -1
    /// Boxes in it.
    private(set) var count = 0
    private var removals = 0

    var isEmpty: Bool { count == 0 }

    /// Puts in many at once.
    mutating func insert(_ batch: [(slot: Int32, box: SpaceBox)]) {
        guard batch.count > 1, batch.count > count / BoxTree.repack else {
            for (slot, box) in batch { insert(slot, box) }
            return
        }
        for (slot, _) in batch { takeOut(slot) }
        var all: [Entry] = []
        all.reserveCapacity(count + batch.count)
        collect(&all)
        for (slot, box) in batch { all.append(Entry(box, slot)) }
        pack(&all)
    }

    /// Puts one in.
    mutating func insert(_ slot: Int32, _ box: SpaceBox) {
        takeOut(slot)
        count += 1
        let entry = Entry(box, slot)
        guard root >= 0 else {
            root = node(height: 0)
            return append(entry, to: root)
        }
        guard let sibling = insert(entry, under: root) else { return }
        let old = root
        root = node(height: heights[Int(old)] + 1)
        append(Entry(bounds(of: old), old), to: root)
        append(Entry(bounds(of: sibling), sibling), to: root)
    }

    /// Takes one out; nothing happens where it is not there.
    mutating func remove(_ slot: Int32) {
        takeOut(slot)
        if removals > 64, removals > count { packAnew() }
    }

    private mutating func takeOut(_ slot: Int32) {
        guard leaves.indices.contains(Int(slot)), leaves[Int(slot)] >= 0 else { return }
        let leaf = Int(leaves[Int(slot)])
        leaves[Int(slot)] = -1
        let (first, last) = (leaf * BoxTree.fanOut, leaf * BoxTree.fanOut + Int(counts[leaf]) - 1)
        guard first <= last, let at = (first...last).first(where: { entries[$0].target == slot }) else { return }
        entries[at] = entries[last]
        counts[leaf] -= 1
        (count, removals) = (count - 1, removals + 1)
    }

    private mutating func packAnew() {
        var all: [Entry] = []
        all.reserveCapacity(count)
        collect(&all)
        pack(&all)
    }

    /// All that is in the leaves.
    private func collect(_ all: inout [Entry]) {
        for node in counts.indices where heights[node] == 0 {
            all += entries[node * BoxTree.fanOut..<node * BoxTree.fanOut + Int(counts[node])]
        }
    }

    mutating func clear(expecting boxes: Int) {
        let nodes = boxes / (BoxTree.fanOut - 1) + 8
        (entries, counts, heights) = ([], [], [])
        entries.reserveCapacity(nodes * BoxTree.fanOut)
        counts.reserveCapacity(nodes)
        heights.reserveCapacity(nodes)
        for at in leaves.indices { leaves[at] = -1 }
        (root, count, removals) = (-1, boxes, 0)
    }

    mutating func node(height: UInt8) -> Int32 {
        let new = Int32(truncatingIfNeeded: counts.count)
        let none = Entry(SpaceBox(SIMD4(), SIMD4()), -1)
        for _ in 0..<BoxTree.fanOut { entries.append(none) }
        counts.append(0)
        heights.append(height)
        return new
    }

    mutating func append(_ entry: Entry, to node: Int32) {
        let at = Int(node)
        entries[at * BoxTree.fanOut + Int(counts[at])] = entry
        counts[at] += 1
        guard heights[at] == 0 else { return }
        let slot = Int(entry.target)
        if slot >= leaves.count { leaves += [Int32](repeating: -1, count: slot + 1 - leaves.count) }
        leaves[slot] = node
    }

    /// The box of all that a node holds.
    func bounds(of node: Int32) -> SpaceBox {
        let first = Int(node) * BoxTree.fanOut
        var all = entries[first]
        for at in first..<first + Int(counts[Int(node)]) { all.join(entries[at]) }
        return all.box
    }
}

extension BoxTree.Entry {
    var box: SpaceBox {
        var box = SpaceBox(SIMD4(), SIMD4())
        (box.low, box.high) = (low, high)
        (box.low.w, box.high.w) = (0, 0)
        return box
    }

    /// Makes room for another; what it is for stays.
    mutating func join(_ other: BoxTree.Entry) {
        let target = target
        low = pointwiseMin(low, other.low)
        high = pointwiseMax(high, other.high)
        self.target = target
    }

    /// The sum of its sides, metres.
    var girth: Float {
        let sides = high - low
        return sides.x + sides.y + sides.z
    }

    /// By how much that sum would grow.
    func growth(by other: BoxTree.Entry) -> Float {
        let sides = pointwiseMax(high, other.high) - pointwiseMin(low, other.low)
        return sides.x + sides.y + sides.z - girth
    }
}

extension BoxTree {
    /// Puts an entry into a leaf below a node; returns the node's new sibling, where it had to be parted.
    private mutating func insert(_ entry: Entry, under node: Int32) -> Int32? {
        guard heights[Int(node)] > 0 else { return add(entry, to: node) }
        let at = branch(of: node, for: entry)
        entries[at].join(entry)
        let child = entries[at].target
        guard let sibling = insert(entry, under: child) else { return nil }
        entries[at] = Entry(bounds(of: child), child)
        return add(Entry(bounds(of: sibling), sibling), to: node)
    }

    /// Which branch grows least by an entry.
    private func branch(of node: Int32, for entry: Entry) -> Int {
        let first = Int(node) * BoxTree.fanOut
        var best = (at: first, growth: Float.infinity, girth: Float.infinity)
        for at in first..<first + Int(counts[Int(node)]) {
            let (growth, girth) = (entries[at].growth(by: entry), entries[at].girth)
            if growth < best.growth || growth == best.growth && girth < best.girth { best = (at, growth, girth) }
        }
        return best.at
    }

    /// Puts an entry into a node; returns the sibling that takes half of them where it was full.
    private mutating func add(_ entry: Entry, to node: Int32) -> Int32? {
        guard Int(counts[Int(node)]) == BoxTree.fanOut else {
            append(entry, to: node)
            return nil
        }
        let first = Int(node) * BoxTree.fanOut
        var all = Array(entries[first..<first + BoxTree.fanOut])
        all.append(entry)
        let axis = BoxTree.longestAxis(all[...])
        all.sort { $0.low[axis] + $0.high[axis] < $1.low[axis] + $1.high[axis] }
        let sibling = self.node(height: heights[Int(node)])
        counts[Int(node)] = 0
        for half in all[..<(all.count / 2)] { append(half, to: node) }
        for half in all[(all.count / 2)...] { append(half, to: sibling) }
        return sibling
    }

    /// Along which axis the middles of boxes lie farthest apart.
    static func longestAxis(_ all: ArraySlice<Entry>) -> Int {
        guard let one = all.first else { return 0 }
        var (low, high) = (one.low + one.high, one.low + one.high)
        for entry in all {
            let middle = entry.low + entry.high
            low = pointwiseMin(low, middle)
            high = pointwiseMax(high, middle)
        }
        let sides = high - low
        if sides.x >= sides.y, sides.x >= sides.z { return 0 }
        return sides.y >= sides.z ? 1 : 2
    }
}
