/// What the values of options may be, as texts of errors.
enum ValueRule {
    private static let wholeNumber = "it must be a whole number"
    private static let moment = "it must be a date or a time, such as 2027-01-31 or 2027-01-31T12:00:00Z"
    private static let points = "it must be two or more points in quotes, such as \"48.1,11.5 48.2,11.6\""

    /// The rules by the names of the values in the help.
    private static let texts = [
        "time": "it must be a number of seconds, or have a unit, such as 10, 500ms, 90s, 5m or 1h; 366 days at most",
        "metres": "it must be a number of metres, or have a unit, such as 150, 150m or 0.2km",
        "moment": moment,
        "rfc3339": moment,
        "lat,lon,radius": "it must be three numbers with commas and no spaces, such as 48.1,11.5,150",
        "lat,lon lat,lon …": points,
        "key=value": "it must be a name and a value, such as door=front",
        "baud": wholeNumber, "count": wholeNumber, "number": wholeNumber, "seed": wholeNumber,
        "deviation": "it must be a number of metres, such as 1.5",
        "hz": "it must be a number, such as 1 or 0.5", "m/s": "it must be a number of metres per second, such as 14",
    ]

    /// Returns the rule for a value; nil if there is none.
    static func text(forValue name: String) -> String? { texts[name] }
}
