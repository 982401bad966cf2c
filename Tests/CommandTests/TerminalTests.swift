import SystemCalls
import Testing

@testable import sextant

@Suite("The terminal")
struct TerminalTests {
    @Test(arguments: [("abc", 3), ("°′″", 3), ("位置", 4), ("e\u{301}", 1), ("⣿", 1), ("", 0)])
    func `text width counts terminal columns`(text: String, columns: Int) {
        #expect(DisplayWidth.width(of: text) == columns)
    }

    @Test
    func `text is cut and padded to a width`() {
        #expect(DisplayWidth.cut("abcdef", to: 4) == "abc…")
        #expect(DisplayWidth.cut("位置位置", to: 4) == "位…")
        #expect(DisplayWidth.cut("abc", to: 0) == "")
        #expect(DisplayWidth.fit("ab", to: 4) == "ab  ")
        #expect(DisplayWidth.fit("ab", to: 4, alignRight: true) == "  ab")
    }

    @Test
    func `text wraps at spaces and long words stay whole`() {
        #expect(DisplayWidth.wrap("one two three", to: 7) == ["one two", "three"])
        #expect(DisplayWidth.wrap("/dev/serial/by-id/x is busy", to: 8) == ["/dev/serial/by-id/x", "is busy"])
        #expect(DisplayWidth.wrap("", to: 8) == [])
    }

    @Test
    func `control characters in device text are replaced`() {
        #expect(TerminalText.sanitized("u-blox\u{1B}[2J\r\n\u{202E}") == "u-blox?[2J???")
        #expect(TerminalText.sanitized("naïve 位置") == "naïve 位置")
    }

    @Test
    func `a canvas clips text and wide characters take two columns`() {
        var canvas = Canvas(width: 6, height: 2)
        canvas.put("位a", column: 0, row: 0)
        canvas.put("xyz", column: 4, row: 1)
        canvas.put("away", column: 0, row: 7)
        canvas.put("ab", column: -1, row: 1)
        #expect(canvas.lines(.plain) == ["位a", "b   x…"])
        #expect(canvas.lines(.plain, keepsBlanks: true).first == "位a   ")
    }

    @Test
    func `styles are written where they change and reset at the end`() {
        var canvas = Canvas(width: 8, height: 1)
        canvas.put("ok", column: 0, row: 0, style: .good)
        canvas.put("go", column: 2, row: 0, style: .bold)
        let colours = TerminalCapabilities(isTerminal: true) { _ in nil }
        #expect(canvas.lines(colours) == ["\u{1B}[0;32mok\u{1B}[0;1mgo\u{1B}[0m"])
        let noColours = TerminalCapabilities(isTerminal: true) { $0 == "NO_COLOR" ? "1" : nil }
        #expect(canvas.lines(noColours) == ["\u{1B}[0mok\u{1B}[0;1mgo\u{1B}[0m"])
        #expect(canvas.lines(.plain) == ["okgo"])
    }

    @Test
    func `terminal capabilities follow the environment`() {
        func capabilities(_ variables: [String: String], isTerminal: Bool = true)
            -> TerminalCapabilities
        {
            TerminalCapabilities(isTerminal: isTerminal) { variables[$0] }
        }
        #expect(
            capabilities([:]).hasColours
                && capabilities([:]).hasUnicode)
        #expect(!capabilities([:], isTerminal: false).hasStyles)
        #expect(!capabilities(["TERM": "dumb"]).hasStyles)
        #expect(
            !capabilities(["NO_COLOR": "1"]).hasColours
                && capabilities(["NO_COLOR": "1"]).hasStyles)
        #expect(capabilities(["NO_COLOR": ""]).hasColours)
        #expect(!capabilities(["LANG": "C"]).hasUnicode)
        #expect(capabilities(["LC_ALL": "en_GB.UTF-8", "LANG": "C"]).hasUnicode)
        #expect(capabilities(["LC_ALL": "", "LANG": "de_DE.utf8"]).hasUnicode)
    }

    @Test
    func `without UTF-8 a drawing becomes ASCII of equal width`() {
        var canvas = Canvas(width: 12, height: 1)
        canvas.put("±2 ├─●┤⣿█°′″", column: 0, row: 0)
        let text = canvas.lines(TerminalCapabilities(isTerminal: false) { $0 == "LANG" ? "C" : nil })[0]
        #expect(text.allSatisfy(\.isASCII) && text.count == 12)
    }

    @Test
    func `only changed rows are written unless the size changes`() {
        #expect(TerminalScreen.update(from: ["a", "b"], to: ["a", "c"]) == "\u{1B}[2;1Hc")
        #expect(TerminalScreen.update(from: ["a", "b"], to: ["a", "b"]) == "")
        // A repaint writes every row over what is there, without a flash.
        #expect(TerminalScreen.update(from: [""], to: ["a"]) == "\u{1B}[1;1Ha")
        #expect(TerminalScreen.update(from: nil, to: ["a"]) == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1Ha")
        #expect(TerminalScreen.update(from: ["a", "b"], to: ["a"]).hasPrefix("\u{1B}[0m\u{1B}[2J"))
    }

    @Test
    func `dots are drawn as Braille patterns`() {
        var canvas = Canvas(width: 2, height: 1)
        var field = BrailleBitmap(columns: 2, rows: 1)
        for (x, y) in [(0, 0), (1, 3), (2, 1), (9, 9), (-1, 0)] { field.setDot(x: x, y: y) }
        field.draw(on: &canvas, column: 0, row: 0, style: .plain)
        #expect(canvas.lines(.plain) == ["⢁⠂"])
    }
}
