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

    /// Returns a familiar object of about this radius.
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
