import Testing

@testable import sextant

@Suite("The terminal")
struct TerminalTests {
    @Test("Width of text", arguments: [("abc", 3), ("°′″", 3), ("位置", 4), ("e\u{301}", 1), ("⣿", 1), ("", 0)])
    func width(_ text: String, _ columns: Int) {
        #expect(Columns.width(of: text) == columns)
    }

    @Test("Cutting and filling")
    func fit() {
        #expect(Columns.cut("abcdef", to: 4) == "abc…")
        #expect(Columns.cut("位置位置", to: 4) == "位…")
        #expect(Columns.cut("abc", to: 0) == "")
        #expect(Columns.fit("ab", to: 4) == "ab  ")
        #expect(Columns.fit("ab", to: 4, alignRight: true) == "  ab")
    }

    @Test("Lines are broken at blanks, and a long word is left whole")
    func wrap() {
        #expect(Columns.wrap("one two three", to: 7) == ["one two", "three"])
        #expect(Columns.wrap("/dev/serial/by-id/x is busy", to: 8) == ["/dev/serial/by-id/x", "is busy"])
        #expect(Columns.wrap("", to: 8) == [])
    }

    @Test("What a device says cannot move the cursor")
    func harmless() {
        #expect(Columns.harmless("u-blox\u{1B}[2J\r\n\u{202E}") == "u-blox?[2J???")
        #expect(Columns.harmless("naïve 位置") == "naïve 位置")
    }

    @Test("A canvas clips, and a wide character takes two columns")
    func canvas() {
        var canvas = Canvas(width: 6, height: 2)
        canvas.put("位a", 0, 0)
        canvas.put("xyz", 4, 1)
        canvas.put("away", 0, 7)
        canvas.put("ab", -1, 1)
        #expect(canvas.lines(.plain) == ["位a", "b   x…"])
        #expect(canvas.lines(.plain, keepsBlanks: true).first == "位a   ")
    }

    @Test("Styles are set where they change, and ended")
    func styles() {
        var canvas = Canvas(width: 8, height: 1)
        canvas.put("ok", 0, 0, .good)
        canvas.put("go", 2, 0, .bold)
        let colours = Look(isTerminal: true) { _ in nil }
        #expect(canvas.lines(colours) == ["\u{1B}[0;32mok\u{1B}[0;1mgo\u{1B}[0m"])
        let noColours = Look(isTerminal: true) { $0 == "NO_COLOR" ? "1" : nil }
        #expect(canvas.lines(noColours) == ["\u{1B}[0mok\u{1B}[0;1mgo\u{1B}[0m"])
        #expect(canvas.lines(.plain) == ["okgo"])
    }

    @Test("What the environment says of a terminal")
    func look() {
        func look(_ variables: [String: String], isTerminal: Bool = true) -> Look { Look(isTerminal: isTerminal) { variables[$0] } }
        #expect(look([:]).hasColours && look([:]).hasUnicode)
        #expect(!look([:], isTerminal: false).hasStyles)
        #expect(!look(["TERM": "dumb"]).hasStyles)
        #expect(!look(["NO_COLOR": "1"]).hasColours && look(["NO_COLOR": "1"]).hasStyles)
        #expect(look(["NO_COLOR": ""]).hasColours)
        #expect(!look(["LANG": "C"]).hasUnicode)
        #expect(look(["LC_ALL": "en_GB.UTF-8", "LANG": "C"]).hasUnicode)
        #expect(look(["LC_ALL": "", "LANG": "de_DE.utf8"]).hasUnicode)
    }

    @Test("Without UTF-8 every drawing becomes ASCII of the same width")
    func ascii() {
        var canvas = Canvas(width: 12, height: 1)
        canvas.put("±2 ├─●┤⣿█°′″", 0, 0)
        let text = canvas.lines(Look(isTerminal: false) { $0 == "LANG" ? "C" : nil })[0]
        #expect(text.allSatisfy(\.isASCII) && text.count == 12)
    }

    @Test("Only rows that changed are written; a new size writes all")
    func update() {
        #expect(TerminalScreen.update(from: ["a", "b"], to: ["a", "c"]) == "\u{1B}[2;1Hc")
        #expect(TerminalScreen.update(from: ["a", "b"], to: ["a", "b"]) == "")
        #expect(TerminalScreen.update(from: nil, to: ["a"]) == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1Ha")
        #expect(TerminalScreen.update(from: ["a", "b"], to: ["a"]).hasPrefix("\u{1B}[0m\u{1B}[2J"))
    }

    @Test("Dots of a Braille pattern")
    func dots() {
        var canvas = Canvas(width: 2, height: 1)
        var field = DotField(columns: 2, rows: 1)
        for (x, y) in [(0, 0), (1, 3), (2, 1), (9, 9), (-1, 0)] { field.dot(x, y) }
        field.draw(on: &canvas, 0, 0, .plain)
        #expect(canvas.lines(.plain) == ["⢁⠂"])
    }
}
