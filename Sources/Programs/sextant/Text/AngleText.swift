/// Angles as text.
enum AngleText {
    /// Returns the number of decimals of a degree that suits an accuracy in metres: six are about a
    /// decimetre.
    static func decimals(accuracy: Double) -> Int {
        accuracy >= 1 ? 6 : accuracy >= 0.1 ? 7 : 8
    }

    /// The number of decimals of a degree for a location that is reduced to an area: three are
    /// about 100 metres.
    static let reducedDecimals = 3

    /// Returns a latitude such as "48.117300° N".
    static func latitude(_ degrees: Double, decimals: Int) -> String {
        DecimalText.text(degrees.magnitude, decimals: decimals) + "° " + northSouth(degrees)
    }

    /// Returns a longitude such as "11.516667° E".
    static func longitude(_ degrees: Double, decimals: Int) -> String {
        DecimalText.text(degrees.magnitude, decimals: decimals) + "° " + eastWest(degrees)
    }

    /// Returns a latitude such as "48° 07′ 02.28″ N".
    static func sexagesimalLatitude(_ degrees: Double) -> String { sexagesimal(degrees) + " " + northSouth(degrees) }

    /// Returns a longitude such as "11° 31′ 00.00″ E".
    static func sexagesimalLongitude(_ degrees: Double) -> String { sexagesimal(degrees) + " " + eastWest(degrees) }

    /// Returns the compass point of a course, one of sixteen: 254 is "WSW".
    static func compassPoint(_ course: Double) -> String {
        guard course.isFinite else { return "" }
        let names = [
            "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
        ]
        let turn = (course / 22.5).rounded().truncatingRemainder(dividingBy: 16)
        return names[(Int(turn) + 16) % 16]
    }

    static func northSouth(_ degrees: Double) -> String { degrees < 0 ? "S" : "N" }
    static func eastWest(_ degrees: Double) -> String { degrees < 0 ? "W" : "E" }

    /// Returns an angle without its direction, such as "48° 07.038′", with the decimals of the
    /// minutes that suit those of the degrees.
    static func minutes(_ degrees: Double, decimals: Int) -> String {
        let places = max(1, decimals - 3)
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        // Rounds the whole angle first, so that the minutes never show 60′.
        let rounded = (degrees.magnitude * 60 * scale).rounded() / scale
        guard let whole = Int64(exactly: (rounded / 60).rounded(.down)) else { return "?" }
        let minutes = DecimalText.text(rounded - Double(whole) * 60, decimals: places)
        return "\(whole)° \(DecimalText.padded(minutes, to: places + 3))′"
    }

    /// Rounds the whole angle first, so that the seconds never show 60″.
    private static func sexagesimal(_ degrees: Double) -> String {
        guard let hundredths = Int64(exactly: (degrees.magnitude * 360_000).rounded()) else { return "?" }
        let whole = String(hundredths / 360_000)
        let minutes = DecimalText.padded(String(hundredths / 6000 % 60), to: 2)
        let seconds = DecimalText.padded(String(hundredths / 100 % 60), to: 2)
        return "\(whole)° \(minutes)′ \(seconds).\(DecimalText.padded(String(hundredths % 100), to: 2))″"
    }
}
