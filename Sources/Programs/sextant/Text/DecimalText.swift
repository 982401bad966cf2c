import ArgumentParser

/// Numbers with a fixed number of decimals.
enum DecimalText {
    /// Returns a number with fixed decimals: 12.345 with one decimal is "12.3". Numbers too large
    /// for that are printed as Swift does.
    static func text(_ value: Double, decimals: Int) -> String {
        let places = min(max(decimals, 0), 9)
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (value * scale).rounded()
        guard let whole = Int64(exactly: scaled) else { return "\(value)" }
        let digits = padded(String(whole.magnitude), to: places + 1)
        let sign = whole < 0 ? "-" : ""
        return places == 0 ? sign + digits : sign + digits.dropLast(places) + "." + digits.suffix(places)
    }

    /// Returns the number of a text such as "12" or "0.5"; nil for any other text. `Double` itself
    /// also accepts signs, "inf", "nan" and hexadecimal.
    static func number(_ text: some StringProtocol) -> Double? {
        text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") } ? Double(text) : nil
    }

    /// Returns the digits padded with leading zeros.
    static func padded(_ digits: String, to count: Int) -> String {
        String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// Returns 1234567 as "1,234,567".
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Returns a number of things: "1 position", "1,234 positions".
    static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }
}

/// Lengths and accuracies as text.
enum LengthText {
    /// Returns a length with decimals that suit its size: "1.4 cm", "2.4 m", "13 m", "2.1 km".
    static func metres(_ length: Double) -> String {
        switch length.magnitude {
        case ..<0.1: DecimalText.text(length * 100, decimals: 1) + " cm"
        case ..<0.9995: DecimalText.text(length, decimals: 2) + " m"
        case ..<9.95: DecimalText.text(length, decimals: 1) + " m"
        case ..<999.5: DecimalText.text(length, decimals: 0) + " m"
        default: DecimalText.text(length / 1000, decimals: 1) + " km"
        }
    }

    static func familiarObject(ofRadius metres: Double) -> String {
        switch metres {
        case ..<0.03: "a coin"
        case ..<0.15: "a hand"
        case ..<0.6: "a dinner table"
        case ..<1.5: "outstretched arms"
        case ..<3: "a parked car"
        case ..<6: "a room"
        case ..<12: "a house"
        case ..<25: "a tennis court"
        case ..<80: "a football pitch"
        case ..<300: "a city block"
        case ..<2000: "a village"
        default: "a town"
        }
    }
}

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

/// The units for displayed positions and speeds.
struct DisplayUnits: Equatable {
    var speed = SpeedUnit.kmh
    /// Whether positions are in degrees and decimal minutes.
    var hasMinutes = false

    /// Returns a latitude such as "48.117300° N" or "48° 07.038′ N".
    func latitude(_ degrees: Double, decimals: Int) -> String {
        hasMinutes
            ? "\(AngleText.minutes(degrees, decimals: decimals)) \(AngleText.northSouth(degrees))"
            : AngleText.latitude(degrees, decimals: decimals)
    }

    /// Returns a longitude such as "11.516667° E" or "11° 31.000′ E".
    func longitude(_ degrees: Double, decimals: Int) -> String {
        hasMinutes
            ? "\(AngleText.minutes(degrees, decimals: decimals)) \(AngleText.eastWest(degrees))"
            : AngleText.longitude(degrees, decimals: decimals)
    }
}

/// The unit for displayed speeds.
enum SpeedUnit: String, ExpressibleByArgument, CaseIterable {
    case kmh, mph, kn, ms

    /// Returns a speed given in metres per second in this unit, such as "44.3 km/h".
    func text(_ speed: Double) -> String {
        switch self {
        case .kmh: DecimalText.text(speed * 3.6, decimals: 1) + " km/h"
        case .mph: DecimalText.text(speed / 0.44704, decimals: 1) + " mph"
        case .kn: DecimalText.text(speed * 3600 / 1852, decimals: 1) + " kn"
        case .ms: DecimalText.text(speed, decimals: 1) + " m/s"
        }
    }
}

/// The options for the units of displayed positions and speeds.
struct UnitOptions: ParsableArguments {
    /// Units that belong together.
    enum System: String, ExpressibleByArgument, CaseIterable {
        case metric, nautical
    }

    @Option(help: "Unit of speeds (default: kmh; kn with --units nautical).")
    var speed: SpeedUnit?

    @Option(help: "metric, or nautical: knots, and degrees with decimal minutes.")
    var units = System.metric

    var display: DisplayUnits {
        DisplayUnits(speed: speed ?? (units == .nautical ? .kn : .kmh), hasMinutes: units == .nautical)
    }
}
