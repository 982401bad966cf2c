/// A rectangle of styled characters, drawn upon and then turned into lines. What lies outside is not drawn.
struct Canvas: Equatable, Sendable {
    private struct Cell: Equatable, Sendable {
        /// Nil: covered by the wide character to the left.
        var character: Character? = " "
        var style = Style.plain
    }

    let width: Int
    let height: Int
    private var cells: [Cell]

    /// An empty canvas.
    init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    /// The whole of it.
    var area: Area { Area(column: 0, row: 0, width: width, height: height) }

    /// Writes text from a place rightwards, and returns the column after it. `limit` is the first column not to be written.
    @discardableResult
    mutating func put(_ text: String, _ column: Int, _ row: Int, _ style: Style = .plain, limit: Int = .max) -> Int {
        var at = column
        let end = min(limit, width)
        for character in Columns.cut(text, to: max(0, end - column)) {
            let wide = Columns.width(of: character)
            guard wide > 0, row >= 0, row < height, at + wide <= end else { continue }
            if at >= 0 { set(character, wide, at, row, style) }
            at += wide
        }
        return at
    }

    /// Writes text so that it ends before a column.
    mutating func put(_ text: String, before column: Int, _ row: Int, _ style: Style = .plain) {
        put(text, column - Columns.width(of: text), row, style, limit: column)
    }

    /// Writes text with its middle at a column.
    mutating func put(_ text: String, around column: Int, _ row: Int, _ style: Style = .plain) {
        put(text, column - Columns.width(of: text) / 2, row, style)
    }

    /// Whether nothing is drawn in these columns of a row.
    func isBlank(_ columns: Range<Int>, _ row: Int) -> Bool {
        guard row >= 0, row < height, columns.lowerBound >= 0, columns.upperBound <= width else { return false }
        return columns.allSatisfy { cells[row * width + $0].character == " " }
    }

    private mutating func set(_ character: Character, _ wide: Int, _ column: Int, _ row: Int, _ style: Style) {
        // A blank shows no style but its background.
        let style = character == " " && !style.isReversed ? .plain : style
        cells[row * width + column] = Cell(character: character, style: style)
        if wide == 2 { cells[row * width + column + 1] = Cell(character: nil, style: style) }
    }

    /// The rows as text, with control sequences where the look has any; blanks at their ends are left out unless they have to cover what
    /// was there before.
    func lines(_ look: Look, keepsBlanks: Bool = false) -> [String] {
        (0..<height).map { line($0, look, keepsBlanks) }
    }

    private func line(_ row: Int, _ look: Look, _ keepsBlanks: Bool) -> String {
        let cells = cells[row * width..<(row + 1) * width]
        let end = keepsBlanks ? cells.endIndex : cells.lastIndex { $0 != Cell() }.map { $0 + 1 } ?? cells.startIndex
        var text = ""
        var style = Style.plain
        for cell in cells[..<end] {
            // A blank is the same in every style but a reversed one.
            let isSeen = cell.character != " " || cell.style.isReversed || style.isReversed
            if look.hasStyles, cell.style != style, isSeen {
                text += cell.style.sequence(colours: look.hasColours)
                style = cell.style
            }
            if let character = cell.character { text.append(look.hasUnicode ? character : ASCIIFallback.character(for: character)) }
        }
        return style == .plain ? text : text + Style.plain.sequence(colours: false)
    }
}

/// A part of a canvas, in its columns and rows.
struct Area: Equatable, Sendable {
    var column: Int
    var row: Int
    var width: Int
    var height: Int

    /// The first column to the right of it.
    var endColumn: Int { column + width }
    /// The first row below it.
    var endRow: Int { row + height }
}
