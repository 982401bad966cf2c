import Glibc

/// Columns and rows of a terminal.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    /// What a terminal that does not tell is taken for.
    static let usual = TerminalSize(columns: 80, rows: 24)
    /// Larger than any screen; what is stated beyond it is not believed.
    private static let greatest = 1000

    /// That of standard output now.
    static var ofStandardOutput: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return usual }
        return TerminalSize(columns: min(Int(size.ws_col), greatest), rows: min(Int(size.ws_row), greatest))
    }
}
