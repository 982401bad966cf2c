import Chronology
import Geodesy
import Glibc
import SQLite
import Varlink

/// A search of the index: which items, in which order, and how many.
///
/// With words, those with all of them in the title come first. Then the newest come first. One
/// search reads a limited number of rows and bytes, and says where the next one continues.
package struct IndexSearch: Sendable {
    /// An item that was found.
    package struct Found: Sendable {
        /// The item, without its thumbnail unless it was asked for.
        package let item: IndexedItem
        /// The name of its index.
        package let space: String
        package let program: String
        /// The distance in metres from ``IndexSearch/near``; nil without a position.
        package let distance: Double?
    }

    /// The result of a search.
    package struct Result: Sendable {
        package var items: [Found] = []
        /// Where to continue; nil if there are no more.
        package var next: Cursor?
    }

    /// Where a search continues.
    package struct Cursor: Sendable, Equatable, CustomStringConvertible {
        fileprivate var isTitle: Bool
        fileprivate var row: Int64

        /// The text form.
        package var description: String { "\(isTitle ? "t" : "w")\(row)" }

        /// The beginning.
        fileprivate static let start = Cursor(isTitle: true, row: Int64.max)
    }

    /// Each is the beginning of a word of the item; empty for all items.
    package var words: [String] = []
    /// A condition; nil for none.
    package var query: IndexQuery?
    /// The name of the only index that is searched; nil for all.
    package var space: String?
    /// The nearest items to this position come first.
    package var near: Coordinate?
    /// The distance from ``near`` in metres within which items are; nil for any.
    package var radius: Double?
    /// The number of items, at most.
    package var limit = 20
    /// Where it continues; nil for the beginning.
    package var after: Cursor?
    /// Whether the thumbnails are read too.
    package var hasThumbnails = false

    /// The number of rows, and of bytes of their attributes, that one search reads.
    private static let maxRows = 2000
    private static let maxBytes = 1 << 19
    /// The size of a result in bytes from which the rest is for the next search.
    private static let maxResult = 1 << 18

    /// Creates a search for all items.
    package init() {}

    /// The word of the items of a program in the index.
    static func word(of owner: Int64) -> String { "p\(owner)" }

    func run(in database: Database, owner: Int64?, at now: UTCTime) throws(StoreError) -> Result {
        var cursor = after ?? .start
        var reader = Reader(self)
        let words = words.isEmpty ? query?.words ?? [] : words
        // The words of a condition say nothing about the order.
        if self.words.isEmpty { cursor.isTitle = false }
        for isTitle in [true, false] where cursor.isTitle == isTitle {
            let found = try rows(words, owner, in: database)
            try found.bind(
                [
                    .integer(cursor.row), .integer(now.milliseconds), .text(space), .integer(owner),
                    .text(expression(words, owner, isTitle: isTitle)),
                ] + position)
            while try found.step() {
                cursor.row = found.integer(0)
                try reader.take(found, thumbnails: hasThumbnails ? database : nil)
                if reader.isFull { return reader.result(continuing: cursor) }
            }
            cursor = Cursor(isTitle: false, row: Int64.max)
        }
        return reader.result(continuing: nil)
    }

    private func rows(_ words: [String], _ owner: Int64?, in database: Database) throws(StoreError) -> Statement {
        let source =
            switch (words.isEmpty, owner) {
            case (false, _):
                "words AS w JOIN item AS i ON i.id = w.rowid WHERE words MATCH ?5 AND w.rowid < ?1"
                    + " AND (?4 IS NULL OR i.owner = ?4)"
            case (true, nil): "item AS i WHERE i.id < ?1 AND ?5 IS NOT NULL"
            case (true, _): "item AS i WHERE i.owner = ?4 AND i.id < ?1 AND ?5 IS NOT NULL"
            }
        let all =
            "\(source) AND (i.expiry IS NULL OR i.expiry > ?2) AND (?3 IS NULL OR i.space = ?3)"
            + " AND \(IndexStore.isPresent)"
        // Only the numbers are sorted, without the attributes.
        let rows =
            near == nil
            ? "\(all) ORDER BY \(words.isEmpty ? "i.id" : "w.rowid") DESC"
            : """
            (SELECT i.id AS number, \(IndexSearch.distance) AS distance FROM \(all)
                ORDER BY distance IS NULL, distance LIMIT \(IndexSearch.maxRows)) AS n
                CROSS JOIN item AS i ON i.id = n.number ORDER BY n.distance IS NULL, n.distance
            """
        return try database.prepare(
            """
            SELECT i.id, i.identifier, i.domain, i.attributes, i.expiry, i.space,
                (SELECT program FROM owner WHERE id = i.owner)
            FROM \(rows)
            """, for: "reading")
    }

    /// The order of distances from a position, good enough to select the nearest items.
    private static let distance = """
        (i.latitude - ?6) * (i.latitude - ?6) + ?8 * min(abs(i.longitude - ?7), 360 - abs(i.longitude - ?7))
            * min(abs(i.longitude - ?7), 360 - abs(i.longitude - ?7))
        """

    /// The values of ``distance``.
    private var position: [SQLValue] {
        guard let near else { return [] }
        let scale = cos(near.latitude * .pi / 180)
        return [.real(near.latitude), .real(near.longitude), .real(scale * scale)]
    }

    /// The expression of FTS5. Words have no quotation marks.
    private func expression(_ words: [String], _ owner: Int64?, isTitle: Bool) -> String {
        let all = words.map { "\"\($0)\"*" }.joined(separator: " AND ")
        let owned = owner.map { "(owner : \"\(IndexSearch.word(of: $0))\") AND " } ?? ""
        if isTitle { return "\(owned)(title : (\(all)))" }
        let found = "\(owned)({title text} : (\(all)))"
        return self.words.isEmpty ? found : "(\(found)) NOT (title : (\(all)))"
    }

    /// Collects the items of rows.
    private struct Reader {
        let search: IndexSearch
        var items: [Found] = []
        var rows = 0
        var bytes = 0
        var size = 0

        init(_ search: IndexSearch) { self.search = search }

        /// Whether no more rows may be read. With a position, all items that agree are compared.
        var isFull: Bool {
            rows >= IndexSearch.maxRows || bytes >= IndexSearch.maxBytes
                || search.near == nil && (items.count >= search.limit || size >= IndexSearch.maxResult)
        }

        mutating func take(_ row: borrowing Statement, thumbnails: Database?) throws(StoreError) {
            rows += 1
            let json = row.withBytes(3) { Array($0) }
            // A condition reads the attributes several times.
            bytes += json.count * max(1, search.query?.cost ?? 1)
            guard let attributes = (try? JSONValue(parsing: json))?.object else { return }
            var item = try? IndexedItem(
                identifier: row.text(1), domain: row.text(2),
                expiry: row.integerIfAny(4).map { UTCTime(milliseconds: $0) }, attributes: attributes)
            guard let found = item, search.query?.matches(found) ?? true else { return }
            let near = search.near
            let distance = near.flatMap { near in found.coordinate.map { near.distance(to: $0) } }
            if let radius = search.radius, distance.map({ $0 > radius }) ?? true { return }
            if let thumbnails {
                let image = try thumbnails.prepare("SELECT bytes FROM thumbnail WHERE item = ?1", for: "reading")
                    .first(.integer(row.integer(0))) { row in row.withBytes(0) { Array($0) } }
                if let image { item = try? found.with(thumbnail: image) }
                bytes += image?.count ?? 0
            }
            size += json.count + (item?.thumbnail.count ?? 0)
            items.append(
                Found(item: item ?? found, space: row.text(5), program: row.text(6), distance: distance))
        }

        func result(continuing cursor: Cursor?) -> Result {
            guard search.near != nil else { return Result(items: items, next: cursor) }
            let nearest = items.sorted { $0.distance ?? .infinity < $1.distance ?? .infinity }
            var size = 0
            let fitting = nearest.prefix(search.limit).prefix { found in
                size += found.item.byteCount
                return size <= IndexSearch.maxResult
            }
            return Result(items: Array(fitting))
        }
    }
}

extension IndexSearch.Cursor {
    /// Reads the text form; nil for any other text.
    package init?(_ text: String) {
        guard let first = text.first, first == "t" || first == "w", let row = Int64(text.dropFirst()) else {
            return nil
        }
        self.init(isTitle: first == "t", row: row)
    }
}

extension IndexedItem {
    func with(thumbnail: [UInt8]) throws(Invalid) -> IndexedItem {
        try IndexedItem(
            identifier: identifier, domain: domain, expiry: expiry, attributes: attributes, thumbnail: thumbnail)
    }
}
