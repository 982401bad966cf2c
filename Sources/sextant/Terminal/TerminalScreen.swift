import Glibc

/// The terminal as a full screen: a second page beside the one with the shell's history, drawn without flicker and given back as it was.
///
/// Only the rows that changed are written, all in one write, between the marks of a synchronised update, which terminals that do not know
/// them pass over.
final class TerminalScreen {
    private enum Sequence {
        /// Alternate page, no cursor, no wrapping at the last column.
        static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
        static let leave = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
        static let beginUpdate = "\u{1B}[?2026h"
        static let endUpdate = "\u{1B}[?2026l"
        static let clear = "\u{1B}[0m\u{1B}[2J"
    }

    private let look: Look
    private var shown: [String]?
    private var keyboard: Keyboard?
    private var isEntered = false

    /// The screen, not taken yet.
    init(_ look: Look) {
        self.look = look
    }

    deinit { leave() }

    /// Where keys arrive; nil when standard input is no terminal.
    var keys: Int32? { keyboard?.descriptor }

    /// Takes the screen.
    func enter() throws(CommandError) {
        isEntered = true
        keyboard = Keyboard()
        shown = nil
        try StandardOutput.write(Array(Sequence.enter.utf8))
    }

    /// Gives the screen back as it was.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        keyboard = nil
        // A terminal that is gone needs no restoring.
        try? StandardOutput.write(Array(Sequence.leave.utf8))
    }

    /// Forgets what is shown: the next drawing writes everything.
    func invalidate() {
        shown = nil
    }

    /// Shows a canvas.
    func show(_ canvas: Canvas) throws(CommandError) {
        let lines = canvas.lines(look, keepsBlanks: true)
        let update = TerminalScreen.update(from: shown, to: lines)
        shown = lines
        if !update.isEmpty { try StandardOutput.write(Array((Sequence.beginUpdate + update + Sequence.endUpdate).utf8)) }
    }

    /// The rows that differ, each at its place; everything where nothing is known of what is shown.
    static func update(from shown: [String]?, to lines: [String]) -> String {
        let isFresh = shown?.count != lines.count
        var text = isFresh ? Sequence.clear : ""
        for (row, line) in lines.enumerated() where isFresh || shown?[row] != line {
            text += "\u{1B}[\(row + 1);1H" + line
        }
        return text
    }

    /// The pressed keys.
    func pressed() -> [UInt8] { keyboard?.read() ?? [] }
}

/// Keys as they are pressed, without waiting for a line and without showing them; the terminal's own way is restored at the end.
private final class Keyboard {
    let descriptor = STDIN_FILENO
    private var before = termios()

    init?() {
        guard isatty(descriptor) == 1, tcgetattr(descriptor, &before) == 0 else { return nil }
        var now = before
        now.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(descriptor, TCSANOW, &now) == 0 else { return nil }
    }

    /// What is there; call when the descriptor is readable.
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    deinit { tcsetattr(descriptor, TCSANOW, &before) }
}
