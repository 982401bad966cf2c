/// Rows of cells in columns as wide as they must be.
struct TextTable {
    private let heading: [String]
    private let rightAligned: Set<Int>
    private var rows: [[String]] = []

    /// A table under these headings.
    ///
    /// - Parameter rightAligned: columns of numbers.
    init(_ heading: [String], rightAligned: Set<Int> = []) {
        (self.heading, self.rightAligned) = (heading, rightAligned)
    }

    /// Adds a row; it has a cell for each heading.
    mutating func add(_ cells: [String]) { rows.append(cells.map(Columns.harmless)) }

    /// The table as lines without blanks at their ends.
    var lines: [String] {
        let all = [heading] + rows
        let widths = heading.indices.map { column in all.map { column < $0.count ? Columns.width(of: $0[column]) : 0 }.max() ?? 0 }
        return all.map { row in
            let cells = row.indices.map { Columns.fit(row[$0], to: widths[$0], alignRight: rightAligned.contains($0)) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
