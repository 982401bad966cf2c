import Glibc
import SQLite

/// Fills an empty R*Tree of positions with full nodes, in the format that SQLite documents for its
/// tables (https://www.sqlite.org/rtree.html#shadow_tables) and that its function `rtreecheck`
/// verifies.
///
/// Insertion one by one leaves a third of each node empty and writes neighbours to pages far apart.
/// Here the positions are split in half, north from south or east from west, whichever is longer,
/// until each part fits into a node. The nodes of one part are neighbours in the file.
final class PackedTree {
    /// A position, or a node and the box around it.
    private struct Entry {
        let number: Int64
        let box: PackedBox
    }

    /// The bytes of an entry, and of what precedes the entries of a node.
    private static let entrySize = 24
    private static let headerSize = 4
    private static let root: Int64 = 1

    private let table: String
    private let nodeSize: Int
    private let capacity: Int
    private let insertNode: Statement
    private let insertParent: Statement
    private let insertRow: Statement
    private var entries: [Entry] = []
    private var leaves: [(number: Int64, leaf: Int64)] = []
    private var lastNode = root

    init(_ table: String, in database: Database) throws {
        self.table = table
        nodeSize =
            try database.prepare(
                "SELECT length(data) FROM \(table)_node WHERE nodeno = \(PackedTree.root)", for: "reading"
            )
            .first { Int($0.integer(0)) } ?? 0
        capacity = (nodeSize - PackedTree.headerSize) / PackedTree.entrySize
        insertNode = try database.prepare("INSERT OR REPLACE INTO \(table)_node VALUES (?1, ?2)", for: "writing to")
        insertParent = try database.prepare("INSERT INTO \(table)_parent VALUES (?1, ?2)", for: "writing to")
        insertRow = try database.prepare("INSERT INTO \(table)_rowid VALUES (?1, ?2)", for: "writing to")
        guard capacity > 1 else { throw PlacesError.file("SQLite's index of \(table) has no known format") }
    }

    /// Adds a position with its row. The rows must be different.
    func add(_ row: Int64, latitude: Double, longitude: Double) {
        entries.append(Entry(number: row, box: PackedBox(latitude: latitude, longitude: longitude)))
    }

    func write() throws {
        var depth = 0
        while size(depth) < entries.count { depth += 1 }
        _ = try writeNode(PackedTree.root, entries.indices, depth: depth, isRoot: true)
        for (number, leaf) in leaves.sorted(by: { $0.number < $1.number }) {
            try insertRow.run(.integer(number), .integer(leaf))
        }
    }

    /// The number of positions below a node, at most.
    private func size(_ depth: Int) -> Int {
        var size = capacity
        for _ in 0..<depth { size *= capacity }
        return size
    }

    /// Writes a node for a part of the positions and all nodes below it. Returns its box.
    private func writeNode(
        _ number: Int64, _ range: Range<Int>, depth: Int, isRoot: Bool = false
    ) throws -> PackedBox? {
        var contents: [Entry] = []
        if depth == 0 {
            contents = Array(entries[range])
            leaves += contents.map { ($0.number, number) }
        } else {
            let count = (range.count + size(depth - 1) - 1) / size(depth - 1)
            for part in split(range, into: count) {
                lastNode += 1
                let child = lastNode
                guard let box = try writeNode(child, part, depth: depth - 1) else { continue }
                try insertParent.run(.integer(child), .integer(number))
                contents.append(Entry(number: child, box: box))
            }
        }
        try insertNode.run(.integer(number), .bytes(bytes(contents, depth: isRoot ? depth : 0)))
        return contents.first.map { first in contents.reduce(first.box) { $0.joined($1.box) } }
    }

    /// Sorts a part of the positions into parts of almost equal sizes. Returns these.
    private func split(_ range: Range<Int>, into count: Int) -> [Range<Int>] {
        guard count > 1, let first = entries[range].first else { return [range] }
        let box = entries[range].reduce(first.box) { $0.joined($1.box) }
        if box.isTall {
            entries[range].sort { ($0.box.south, $0.number) < ($1.box.south, $1.number) }
        } else {
            entries[range].sort { ($0.box.west, $0.number) < ($1.box.west, $1.number) }
        }
        let half = count / 2
        let middle = range.lowerBound + range.count * half / count
        return split(range.lowerBound..<middle, into: half) + split(middle..<range.upperBound, into: count - half)
    }

    /// The bytes of a node: the depth of the tree in its root, the number of entries, the entries.
    private func bytes(_ contents: [Entry], depth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(nodeSize)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        }
        append(UInt16(truncatingIfNeeded: depth))
        append(UInt16(truncatingIfNeeded: contents.count))
        for entry in contents {
            append(entry.number)
            for value in [entry.box.south, entry.box.north, entry.box.west, entry.box.east] {
                append(value.bitPattern)
            }
        }
        bytes.append(contentsOf: repeatElement(0, count: max(0, nodeSize - bytes.count)))
        return bytes
    }
}

/// A box of 32-bit numbers in degrees.
private struct PackedBox {
    var south: Float
    var north: Float
    var west: Float
    var east: Float

    /// The least box around a position.
    init(latitude: Double, longitude: Double) {
        (south, north) = PackedBox.around(latitude)
        (west, east) = PackedBox.around(longitude)
    }

    /// Whether it is longer from south to north than from west to east.
    var isTall: Bool {
        let middle = Double(south + north) / 2
        return Double(north - south) > Double(east - west) * cos(middle * .pi / 180)
    }

    /// The box around both.
    func joined(_ other: PackedBox) -> PackedBox {
        var box = self
        box.south = min(south, other.south)
        box.north = max(north, other.north)
        box.west = min(west, other.west)
        box.east = max(east, other.east)
        return box
    }

    private static func around(_ value: Double) -> (Float, Float) {
        let near = Float(value)
        return (Double(near) > value ? near.nextDown : near, Double(near) < value ? near.nextUp : near)
    }
}
