/// Angles for people.
enum AngleText {
    /// Decimals of a degree that an accuracy in metres is worth: six are a decimetre.
    static func decimals(accuracy: Double) -> Int {
        accuracy >= 1 ? 6 : accuracy >= 0.1 ? 7 : 8
    }

    /// "48.117300° N"
    static func latitude(_ degrees: Double, decimals: Int) -> String {
        Fixed.text(degrees.magnitude, decimals) + "° " + northSouth(degrees)
    }

    /// "11.516667° E"
    static func longitude(_ degrees: Double, decimals: Int) -> String {
        Fixed.text(degrees.magnitude, decimals) + "° " + eastWest(degrees)
    }

    /// "48° 07′ 02.28″ N"
    static func sexagesimalLatitude(_ degrees: Double) -> String { sexagesimal(degrees) + " " + northSouth(degrees) }

    /// "11° 31′ 00.00″ E"
    static func sexagesimalLongitude(_ degrees: Double) -> String { sexagesimal(degrees) + " " + eastWest(degrees) }

    /// The sixteen winds: 254 is "WSW".
    static func wind(_ course: Double) -> String {
        guard course.isFinite else { return "" }
        let names = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"]
        let turn = (course / 22.5).rounded().truncatingRemainder(dividingBy: 16)
        return names[(Int(turn) + 16) % 16]
    }

    private static func northSouth(_ degrees: Double) -> String { degrees < 0 ? "S" : "N" }
    private static func eastWest(_ degrees: Double) -> String { degrees < 0 ? "W" : "E" }

    /// Rounded as a whole first, so that no 60″ can come out.
    private static func sexagesimal(_ degrees: Double) -> String {
        guard let hundredths = Int64(exactly: (degrees.magnitude * 360_000).rounded()) else { return "?" }
        let whole = String(hundredths / 360_000)
        let minutes = Fixed.padded(String(hundredths / 6000 % 60), to: 2)
        let seconds = Fixed.padded(String(hundredths / 100 % 60), to: 2)
        return "\(whole)° \(minutes)′ \(seconds).\(Fixed.padded(String(hundredths % 100), to: 2))″"
    }
}
