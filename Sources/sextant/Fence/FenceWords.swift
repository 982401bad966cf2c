import Geofencing
import Wire

/// Fences in words.
enum FenceWords {
    /// "circle of 150 m around 48.117300° N 11.516667° E"
    static func shape(_ condition: ConditionMessage) -> String {
        if let circle = condition.circle { return "circle of \(LengthText.metres(circle.radius)) around \(point(circle.center))" }
        if let polygon = condition.polygon {
            let holes = polygon.holes.map { $0.isEmpty ? "" : ", \($0.count) \($0.count == 1 ? "hole" : "holes")" } ?? ""
            return "area of \(polygon.ring.count) corners\(holes)"
        }
        if let corridor = condition.corridor { return "way of \(LengthText.metres(corridor.width)) along \(corridor.path.count) points" }
        return "nowhere"
    }

    private static func point(_ point: PointMessage) -> String {
        AngleText.latitude(point.latitude, decimals: 6) + " " + AngleText.longitude(point.longitude, decimals: 6)
    }

    /// How the device stands to it.
    static func state(_ state: ConditionState) -> String {
        switch state {
        case .unknown: "not known yet"
        case .satisfied: "inside"
        case .unsatisfied: "outside"
        case .unmonitored: "not watched"
        }
    }

    /// Green inside, plain outside, and what needs a look in yellow.
    static func style(_ state: ConditionState) -> Style {
        switch state {
        case .satisfied: .good
        case .unsatisfied: .plain
        case .unknown, .unmonitored: .warning
        }
    }

    /// "120 m inside", "2.1 km off"
    static func distance(_ metres: Double) -> String {
        metres >= 0 ? "\(LengthText.metres(metres)) inside" : "\(LengthText.metres(-metres)) off"
    }

    /// What has happened.
    static func kind(_ kind: ConditionEvent.Kind, _ state: ConditionState) -> String {
        switch kind {
        case .determined: "is \(self.state(state))"
        case .entered: "entered"
        case .left: "left"
        case .dwelt: "stayed inside"
        case .retracted: "taken back: is \(self.state(state))"
        case .expired: "expired"
        }
    }

    /// "2026-11-21T07:22:02.000Z home entered · 12 m inside at 48.117300° N 11.516667° E ±2.4 m"
    static func event(_ event: EventMessage) -> String {
        var words = ["\(event.date ?? event.recorded) \(Columns.harmless(event.identifier)) \(kind(event.kind, event.state))"]
        if let place = event.location {
            let margin = event.margin.map { distance($0) + " at " } ?? "at "
            let point = point(PointMessage(latitude: place.latitude, longitude: place.longitude))
            words.append("\(margin)\(point) ±\(LengthText.metres(place.horizontalAccuracy))")
        }
        if event.folded > 0 { words.append("in place of \(event.folded) earlier") }
        return words.joined(separator: " · ")
    }

    /// Says on standard error which fences are over the limit.
    static func warn(unmonitored: [String]) {
        guard let first = unmonitored.first else { return }
        let others = unmonitored.count > 1 ? " and \(unmonitored.count - 1) more" : ""
        StandardError.line(
            "sextant: \(Columns.harmless(first))\(others) will not be watched: the program has more fences than its limit; remove some, or "
                + "raise max_conditions_per_program under [monitors] in /etc/sextant/sextant.toml")
    }
}
