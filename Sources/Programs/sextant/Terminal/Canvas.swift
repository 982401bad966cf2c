import SystemCalls

/// A rectangle of styled characters that is drawn on and then converted to lines. Drawing outside
/// has no effect.
struct Canvas: Equatable, Sendable {
    private struct Cell: Equatable, Sendable {
        /// The character; nil for a cell that the wide character to the left covers.
        var character: Character? = " "
        var style = Style.plain
    }

    let width: Int
    let height: Int
    private var cells: [Cell]

    init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    /// The area of the whole canvas.
    var area: Area { Area(column: 0, row: 0, width: width, height: height) }

    /// Writes text from a column to the right and returns the column after it. `limit` is the first
    /// column that must not be written. Characters that are harmful to a terminal are replaced.
    @discardableResult
    mutating func put(
        _ text: String, column: Int, row: Int, style: Style = .plain, limit: Int = .max
    ) -> Int {
        var index = column
        let end = min(limit, width)
        for character in DisplayWidth.cut(TerminalText.sanitized(text), to: max(0, end - column)) {
            let wide = DisplayWidth.width(of: character)
            guard wide > 0, row >= 0, row < height, index + wide <= end else { continue }
            if index >= 0 { set(character, width: wide, column: index, row: row, style: style) }
            index += wide
        }
        return index
    }

    /// Writes text that ends before a column.
    mutating func put(_ text: String, before column: Int, row: Int, style: Style = .plain) {
        put(text, column: column - DisplayWidth.width(of: text), row: row, style: style, limit: column)
    }

    mutating func put(_ text: String, around column: Int, row: Int, style: Style = .plain) {
        put(text, column: column - DisplayWidth.width(of: text) / 2, row: row, style: style)
    }

    func isBlank(_ columns: Range<Int>, row: Int) -> Bool {
        guard row >= 0, row < height, columns.lowerBound >= 0, columns.upperBound <= width else { return false }
        return columns.allSatisfy { cells[row * width + $0].character == " " }
    }

    private mutating func set(_ character: Character, width wide: Int, column: Int, row: Int, style: Style) {
        // A blank shows no style but reverse video.
        let style = character == " " && !style.isReversed ? .plain : style
        cells[row * width + column] = Cell(character: character, style: style)
        if wide == 2 { cells[row * width + column + 1] = Cell(character: nil, style: style) }
    }

    /// Returns the rows as text, with control sequences if the terminal supports them. Drops
    /// trailing blanks unless `keepsBlanks` is set to overwrite earlier content.
    func lines(_ capabilities: TerminalCapabilities, keepsBlanks: Bool = false) -> [String] {
        (0..<height).map { line($0, capabilities: capabilities, keepsBlanks: keepsBlanks) }
    }

    private func line(_ row: Int, capabilities: TerminalCapabilities, keepsBlanks: Bool) -> String {
        let cells = cells[row * width..<(row + 1) * width]
        let end = keepsBlanks ? cells.endIndex : cells.lastIndex { $0 != Cell() }.map { $0 + 1 } ?? cells.startIndex
        var text = ""
        var style = Style.plain
        for cell in cells[..<end] {
            // A blank looks the same in every style except reverse video.
            let isSeen = cell.character != " " || cell.style.isReversed || style.isReversed
            if capabilities.hasStyles, cell.style != style, isSeen {
                text += cell.style.sequence(colours: capabilities.hasColours)
                style = cell.style
            }
            if let character = cell.character {
                text.append(capabilities.hasUnicode ? character : ASCIIFallback.character(for: character))
            }
        }
        return style == .plain ? text : text + Style.plain.sequence(colours: false)
    }
}

/// A part of a canvas, in columns and rows.
struct Area: Equatable, Sendable {
    var column: Int
    var row: Int
    var width: Int
    var height: Int

    /// The first column to the right of the area.
    var endColumn: Int { column + width }
    /// The first row below the area.
    var endRow: Int { row + height }
}
