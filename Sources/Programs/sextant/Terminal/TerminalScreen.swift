import Glibc
import SystemCalls

/// The terminal in full-screen mode. It uses the alternate screen and restores the previous
/// contents at the end.
///
/// Only changed rows are written, in one write, between the marks of a synchronized update.
/// Terminals without support ignore the marks.
final class TerminalScreen {
    private enum Sequence {
        /// Alternate screen, hidden cursor, no wrapping at the last column.
        static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
        static let leave = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
        static let beginUpdate = "\u{1B}[?2026h"
        static let endUpdate = "\u{1B}[?2026l"
        static let clear = "\u{1B}[0m\u{1B}[2J"
    }

    private let capabilities: TerminalCapabilities
    private var shown: [String]?
    private var keyboard: Keyboard?
    private var isEntered = false

    /// Creates the screen without entering it.
    init(_ capabilities: TerminalCapabilities) {
        self.capabilities = capabilities
    }

    deinit { leave() }

    /// The file descriptor of the keyboard; nil if standard input is not a terminal.
    var keys: Int32? { keyboard?.descriptor }

    /// Enters full-screen mode.
    func enter() throws(CommandError) {
        isEntered = true
        keyboard = Keyboard()
        shown = nil
        try StandardOutput.write(trusted: Array(Sequence.enter.utf8))
    }

    /// Leaves full-screen mode and restores the terminal.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        keyboard = nil
        // A terminal that has hung up needs no restoring.
        try? StandardOutput.write(trusted: Array(Sequence.leave.utf8))
    }

    /// Discards the record of the shown rows: the next drawing writes everything.
    func invalidate() {
        shown = nil
    }

    /// Discards the contents of the shown rows: the next drawing writes every row over whatever
    /// another program has written to the terminal. Clearing it would flicker.
    func repaint() {
        shown = shown.map { rows in rows.map { _ in "" } }
    }

    func show(_ canvas: Canvas) throws(CommandError) {
        let lines = canvas.lines(capabilities, keepsBlanks: true)
        let update = TerminalScreen.update(from: shown, to: lines)
        shown = lines
        if !update.isEmpty {
            try StandardOutput.write(trusted: Array((Sequence.beginUpdate + update + Sequence.endUpdate).utf8))
        }
    }

    /// Returns the changed rows, each with its position; all rows if the shown ones are unknown.
    static func update(from shown: [String]?, to lines: [String]) -> String {
        let isFresh = shown?.count != lines.count
        var text = isFresh ? Sequence.clear : ""
        for (row, line) in lines.enumerated() where isFresh || shown?[row] != line {
            text += "\u{1B}[\(row + 1);1H" + line
        }
        return text
    }

    func pressed() -> [UInt8] { keyboard?.read() ?? [] }
}

/// The keyboard without line buffering and echo; restores the terminal settings at the end.
private final class Keyboard {
    let descriptor = STDIN_FILENO
    private var before = termios()

    init?() {
        guard isatty(descriptor) == 1, tcgetattr(descriptor, &before) == 0 else { return nil }
        var now = before
        now.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard uninterrupted({ tcsetattr(descriptor, TCSANOW, &now) }) == 0 else { return nil }
    }

    /// Returns the available bytes. Call it when the descriptor is readable.
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = uninterrupted { Glibc.read(descriptor, &bytes, bytes.count) }
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    deinit { uninterrupted { tcsetattr(descriptor, TCSANOW, &before) } }
}
