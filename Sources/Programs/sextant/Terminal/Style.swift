/// The style of a character. The colours are the terminal's own sixteen, so that they match the
/// user's theme.
struct Style: Hashable, Sendable {
    /// Foreground colours with their ECMA-48 SGR numbers.
    enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
        case brightGreen = 92
    }

    var colour: Colour?
    var isBold = false
    var isDim = false
    var isReversed = false

    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)
    static let heading = Style(colour: .cyan, isBold: true)
    static let good = Style(colour: .green)
    static let warning = Style(colour: .yellow)
    static let bad = Style(colour: .red, isBold: true)

    /// Returns the control sequence that sets exactly this style.
    func sequence(colours: Bool) -> String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isReversed { codes.append("7") }
        if colours, let colour { codes.append(String(colour.rawValue)) }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}
