/// A spatial index: an R-tree of boxes (A. Guttman, "R-trees", 1984), bulk-loaded if many boxes are
/// added at once.
///
/// It stores slot numbers with their boxes. Nodes are in flat arrays: 34 bytes per bulk-loaded box,
/// about 60 per box added singly. Adding or removing one box takes a microsecond. A removal leaves
/// the boxes of the parent nodes unchanged; once half of the boxes are removed, the tree is
/// rebuilt.
struct BoxTree: Sendable {
    /// The number of entries of a node. A split leaves at least eight in each half.
    static let fanOut = 16
    /// The divisor for rebuilding: a batch larger than the current count divided by this rebuilds
    /// the tree.
    private static let rebuildDivisor = 4

    /// A box with its target: a slot in a leaf, a child node otherwise. 32 bytes.
    struct Entry: Sendable {
        var low: SIMD4<Float>
        var high: SIMD4<Float>

        init(_ box: ECEFBox, target: Int32) {
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

        /// Returns whether a line intersects the box expanded by `distance`; never false if a
        /// point of the line is within `distance`.
        func meets(_ line: ECEFSegment, within distance: Float) -> Bool {
            var (from, to): (Float, Float) = (0, 1)
            for axis in 0..<3 {
                let (start, length) = (line.start[axis], line.vector[axis])
                let (minimum, maximum) = (low[axis] - distance, high[axis] + distance)
                if abs(length) < 1e-3 {
                    if start < minimum || start > maximum { return false }
                    continue
                }
                let (a, b) = ((minimum - start) / length, (maximum - start) / length)
                from = max(from, min(a, b))
                to = min(to, max(a, b))
            }
            return from <= to
        }
    }

    /// The entries of all nodes, ``fanOut`` per node.
    var entries: [Entry] = []
    /// The number of used entries per node.
    var counts: [UInt8] = []
    /// The height of each node above the leaves.
    var heights: [UInt8] = []
    /// The leaf that holds each slot; -1 if none.
    private(set) var leaves: [Int32] = []
    var root: Int32 = -1
    private(set) var count = 0
    private var removals = 0

    var isEmpty: Bool { count == 0 }

    mutating func insert(_ batch: [(slot: Int32, box: ECEFBox)]) {
        guard batch.count > 1, batch.count > count / BoxTree.rebuildDivisor else {
            for (slot, box) in batch { insert(slot, box: box) }
            return
        }
        for (slot, _) in batch { removeEntry(slot) }
        var all: [Entry] = []
        all.reserveCapacity(count + batch.count)
        collect(&all)
        for (slot, box) in batch { all.append(Entry(box, target: slot)) }
        pack(&all)
    }

    mutating func insert(_ slot: Int32, box: ECEFBox) {
        removeEntry(slot)
        count += 1
        let entry = Entry(box, target: slot)
        guard root >= 0 else {
            root = node(height: 0)
            return append(entry, to: root)
        }
        guard let sibling = insert(entry, under: root) else { return }
        let old = root
        root = node(height: heights[Int(old)] + 1)
        append(Entry(bounds(of: old), target: old), to: root)
        append(Entry(bounds(of: sibling), target: sibling), to: root)
    }

    /// Removes a slot; does nothing if the slot is not in the tree.
    mutating func remove(_ slot: Int32) {
        removeEntry(slot)
        if removals > 64, removals > count { rebuild() }
    }

    private mutating func removeEntry(_ slot: Int32) {
        guard leaves.indices.contains(Int(slot)), leaves[Int(slot)] >= 0 else { return }
        let leaf = Int(leaves[Int(slot)])
        leaves[Int(slot)] = -1
        let (first, last) = (leaf * BoxTree.fanOut, leaf * BoxTree.fanOut + Int(counts[leaf]) - 1)
        guard first <= last, let index = (first...last).first(where: { entries[$0].target == slot }) else { return }
        entries[index] = entries[last]
        counts[leaf] -= 1
        (count, removals) = (count - 1, removals + 1)
    }

    private mutating func rebuild() {
        var all: [Entry] = []
        all.reserveCapacity(count)
        collect(&all)
        pack(&all)
    }

    /// Appends all entries of the leaves.
    private func collect(_ all: inout [Entry]) {
        for node in counts.indices where heights[node] == 0 {
            all += entries[node * BoxTree.fanOut..<node * BoxTree.fanOut + Int(counts[node])]
        }
    }

    mutating func clear(expecting boxes: Int) {
        let nodes = boxes / (BoxTree.fanOut - 1) + 8
        entries = []
        counts = []
        heights = []
        entries.reserveCapacity(nodes * BoxTree.fanOut)
        counts.reserveCapacity(nodes)
        heights.reserveCapacity(nodes)
        for index in leaves.indices { leaves[index] = -1 }
        root = -1
        count = boxes
        removals = 0
    }

    mutating func node(height: UInt8) -> Int32 {
        let new = Int32(truncatingIfNeeded: counts.count)
        let none = Entry(ECEFBox(SIMD4(), SIMD4()), target: -1)
        for _ in 0..<BoxTree.fanOut { entries.append(none) }
        counts.append(0)
        heights.append(height)
        return new
    }

    mutating func append(_ entry: Entry, to node: Int32) {
        let index = Int(node)
        entries[index * BoxTree.fanOut + Int(counts[index])] = entry
        counts[index] += 1
        guard heights[index] == 0 else { return }
        let slot = Int(entry.target)
        if slot >= leaves.count { leaves += [Int32](repeating: -1, count: slot + 1 - leaves.count) }
        leaves[slot] = node
    }

    func bounds(of node: Int32) -> ECEFBox {
        let first = Int(node) * BoxTree.fanOut
        var all = entries[first]
        for index in first..<first + Int(counts[Int(node)]) { all.join(entries[index]) }
        return all.box
    }
}

extension BoxTree.Entry {
    var box: ECEFBox {
        var box = ECEFBox(SIMD4(), SIMD4())
        (box.low, box.high) = (low, high)
        (box.low.w, box.high.w) = (0, 0)
        return box
    }

    /// Expands the box to include another entry; the target stays unchanged.
    mutating func join(_ other: BoxTree.Entry) {
        let target = target
        low = pointwiseMin(low, other.low)
        high = pointwiseMax(high, other.high)
        self.target = target
    }

    /// The sum of the side lengths, in metres.
    var sideSum: Float {
        let sides = high - low
        return sides.x + sides.y + sides.z
    }

    /// Returns the increase of ``sideSum`` if the box included another entry.
    func growth(by other: BoxTree.Entry) -> Float {
        let sides = pointwiseMax(high, other.high) - pointwiseMin(low, other.low)
        return sides.x + sides.y + sides.z - sideSum
    }
}

extension BoxTree {
    /// Inserts an entry into a leaf below a node. Returns the new sibling if the node was split.
    private mutating func insert(_ entry: Entry, under node: Int32) -> Int32? {
        guard heights[Int(node)] > 0 else { return add(entry, to: node) }
        let index = branch(of: node, for: entry)
        entries[index].join(entry)
        let child = entries[index].target
        guard let sibling = insert(entry, under: child) else { return nil }
        entries[index] = Entry(bounds(of: child), target: child)
        return add(Entry(bounds(of: sibling), target: sibling), to: node)
    }

    /// Returns the branch that needs the smallest growth for an entry.
    private func branch(of node: Int32, for entry: Entry) -> Int {
        let first = Int(node) * BoxTree.fanOut
        var best = (index: first, growth: Float.infinity, sideSum: Float.infinity)
        for index in first..<first + Int(counts[Int(node)]) {
            let (growth, sideSum) = (entries[index].growth(by: entry), entries[index].sideSum)
            if growth < best.growth || growth == best.growth && sideSum < best.sideSum {
                best = (index, growth, sideSum)
            }
        }
        return best.index
    }

    /// Adds an entry to a node. If the node is full, splits it and returns the new sibling.
    private mutating func add(_ entry: Entry, to node: Int32) -> Int32? {
        guard Int(counts[Int(node)]) == BoxTree.fanOut else {
            append(entry, to: node)
            return nil
        }
        let first = Int(node) * BoxTree.fanOut
        var all = Array(entries[first..<first + BoxTree.fanOut])
        all.append(entry)
        let axis = BoxTree.maxAxis(all[...])
        all.sort { $0.low[axis] + $0.high[axis] < $1.low[axis] + $1.high[axis] }
        let sibling = self.node(height: heights[Int(node)])
        counts[Int(node)] = 0
        for half in all[..<(all.count / 2)] { append(half, to: node) }
        for half in all[(all.count / 2)...] { append(half, to: sibling) }
        return sibling
    }

    /// Returns the axis along which the centres of the boxes spread most.
    static func maxAxis(_ all: ArraySlice<Entry>) -> Int {
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

/// Bulk loading: splits the entries along the longest axis until each part fits in a leaf (T. Lee
/// and S. Lee, "OMT: Overlap Minimizing Top-down Bulk Loading", 2003). 100,000 boxes take about ten
/// milliseconds.
extension BoxTree {
    /// Rebuilds the tree from these entries.
    mutating func pack(_ all: inout [Entry]) {
        clear(expecting: all.count)
        guard !all.isEmpty else { return }
        partition(&all, in: 0..<all.count)
        var level = level(of: all, height: 0)
        var height: UInt8 = 0
        while level.count > 1 {
            height += 1
            level = self.level(of: level, height: height)
        }
        root = level[0].target
    }

    /// Returns the nodes of one level, filled in order.
    private mutating func level(of children: [Entry], height: UInt8) -> [Entry] {
        var nodes: [Entry] = []
        nodes.reserveCapacity(children.count / BoxTree.fanOut + 1)
        for start in stride(from: 0, to: children.count, by: BoxTree.fanOut) {
            let new = node(height: height)
            for index in start..<min(start + BoxTree.fanOut, children.count) { append(children[index], to: new) }
            nodes.append(Entry(bounds(of: new), target: new))
        }
        return nodes
    }

    /// Orders the entries so that those of one leaf, and those of one node, are adjacent. The first
    /// part gets the largest power of two of full leaves that does not hold all entries.
    private func partition(_ all: inout [Entry], in range: Range<Int>) {
        guard range.count > BoxTree.fanOut else { return }
        var half = BoxTree.fanOut
        while half * 2 < range.count { half *= 2 }
        let middle = range.lowerBound + half
        BoxTree.select(&all, in: range, middle: middle, axis: BoxTree.maxAxis(all[range]))
        partition(&all, in: range.lowerBound..<middle)
        partition(&all, in: middle..<range.upperBound)
    }

    /// Partitions the entries by Hoare's selection: along an axis, entries before `middle` do not
    /// exceed those after it.
    private static func select(_ all: inout [Entry], in range: Range<Int>, middle: Int, axis: Int) {
        var (low, high) = (range.lowerBound, range.upperBound - 1)
        while low < high {
            let half = all[(low + high) / 2]
            let pivot = half.low[axis] + half.high[axis]
            var (left, right) = (low, high)
            while left <= right {
                while all[left].low[axis] + all[left].high[axis] < pivot { left += 1 }
                while all[right].low[axis] + all[right].high[axis] > pivot { right -= 1 }
                guard left <= right else { break }
                all.swapAt(left, right)
                left += 1
                right -= 1
            }
            if middle <= right { high = right } else if middle >= left { low = left } else { return }
        }
    }
}
