import Geofencing
import SextantAPI
import Varlink

/// Descriptions of fences and their events.
enum FenceFormatter {
    /// Returns a description such as "circle of 150 m around 48.117300° N 11.516667° E".
    static func shape(_ condition: Condition) -> String {
        if let circle = condition.circle {
            return "circle of \(LengthText.metres(circle.radius)) around \(point(circle.center))"
        }
        if let polygon = condition.polygon {
            let holes =
                polygon.holes.map { $0.isEmpty ? "" : ", \($0.count) \($0.count == 1 ? "hole" : "holes")" } ?? ""
            return "polygon with \(polygon.ring.count) corners\(holes)"
        }
        if let corridor = condition.corridor {
            return "corridor of \(LengthText.metres(corridor.width)) width along \(corridor.path.count) points"
        }
        if condition.visits == true { return "any place that the device visits" }
        if let beacon = condition.beacon { return "beacon \(BeaconText.identity(beacon))" }
        if let change = condition.significantChange {
            let distance = LengthText.metres(change.distance ?? SignificantChange.defaultDistance)
            let interval = TimeText.span(change.interval ?? SignificantChange.defaultInterval)
            return "movements of \(distance) at intervals of \(interval)"
        }
        return "fence without shape"
    }

    private static func point(_ point: Point) -> String {
        AngleText.latitude(point.latitude, decimals: 6) + " " + AngleText.longitude(point.longitude, decimals: 6)
    }

    static func state(_ state: ConditionState) -> String {
        switch state {
        case .unknown: "unknown"
        case .satisfied: "inside"
        case .unsatisfied: "outside"
        case .unmonitored: "not monitored"
        }
    }

    /// Returns a description of the state of a fence, also if its program may not know the
    /// location.
    static func state(of record: ConditionRecord) -> String {
        record.permission.isEmpty ? state(record.state) : "not permitted"
    }

    /// Returns the style of a state: green inside, plain outside, yellow for a state that needs
    /// attention.
    static func style(_ state: ConditionState) -> Style {
        switch state {
        case .satisfied: .good
        case .unsatisfied: .plain
        case .unknown, .unmonitored: .warning
        }
    }

    /// Returns a description such as "120 m inside" or "2.1 km outside".
    static func distance(_ metres: Double) -> String {
        metres >= 0 ? "\(LengthText.metres(metres)) inside" : "\(LengthText.metres(-metres)) outside"
    }

    static func kind(_ kind: ConditionEvent.Kind, state: ConditionState) -> String {
        switch kind {
        case .determined: "is \(self.state(state))"
        case .entered: "entered"
        case .left: "left"
        case .dwelt: "dwelt inside"
        case .retracted: "retracted: is \(self.state(state))"
        case .expired: "expired"
        case .moved: "moved"
        case .unknown: "changed"
        }
    }

    /// Returns a line such as "21 Nov 2026 07:22:02 UTC home entered · 12 m inside at 48.117300° N
    /// 11.516667° E ±2.4 m".
    static func event(_ event: Event) -> String {
        var parts = [
            "\(TimeText.moment(event.date ?? event.recorded)) \(event.identifier) "
                + "\(kind(event.kind, state: event.state))"
        ]
        if let place = event.location {
            let margin = event.margin.map { distance($0) + " at " } ?? "at "
            let point = point(Point(latitude: place.latitude, longitude: place.longitude))
            parts.append("\(margin)\(point) ±\(LengthText.metres(place.horizontalAccuracy))")
        }
        if event.folded > 0 { parts.append("earlier events merged: \(event.folded)") }
        return parts.joined(separator: " · ")
    }

    /// What to do about a fence that is too small.
    static let sizeRemedy = "make it larger, at least about four times the accuracy"

    /// Returns the problem of a fence with ``ConditionRecord/radiusTooSmall``.
    ///
    /// - Parameter accuracy: The current horizontal accuracy in metres; nil if it is not known.
    static func tooSmall(forAccuracy accuracy: Double? = nil) -> String {
        let figure = accuracy.map { " of \(LengthText.metres($0))" } ?? ""
        return "too small for the current accuracy\(figure): the daemon may never detect the device inside"
    }

    /// Prints to standard error which fences exceed the limit.
    static func warn(unmonitored: [String]) {
        guard let names = names(unmonitored) else { return }
        StandardError.line(
            "sextant: \(names) will not be monitored: the program has more "
                + "fences than its limit; remove some, or "
                + "raise max_conditions_per_program under [monitors] in /etc/sextant/sextant.toml")
    }

    /// Returns names as "home" or "home and 3 more"; nil without any.
    static func names(_ names: [String]) -> String? {
        names.first.map { names.count > 1 ? "\($0) and \(DecimalText.grouped(names.count - 1)) more" : $0 }
    }
}

extension FenceFormatter {
    private static let labelWidth = 12

    /// Returns the line of one fence near the device.
    static func line(of neighbour: Neighbour) -> String {
        "\(neighbour.condition.identifier): \(state(neighbour.state)), \(distance(neighbour.distance))"
    }

    /// Returns all facts about a fence, one per line.
    ///
    /// - Parameter owner: The program that the fence belongs to.
    static func lines(of record: ConditionRecord, monitor: String, owner: String) -> [String] {
        let condition = record.condition
        var rows = [
            ("fence", condition.identifier), ("monitor", monitor),
            ("shape", shape(condition)),
            (
                "state",
                state(of: record) + (record.since.map { " since \(TimeText.moment($0))" } ?? "")
            ),
        ]
        if !record.permission.isEmpty { rows.append(("reason", record.permission.reason(for: owner))) }
        if let metres = record.distance { rows.append(("device", distance(metres))) }
        if let evaluated = record.evaluated { rows.append(("evaluated", TimeText.moment(evaluated))) }
        if let last = record.lastEvent { rows.append(("last event", event(last))) }
        if let pending = record.pending {
            rows.append(
                ("pending", event(pending) + (record.isMorePending ? ", and more after it" : "")))
        }
        if let dwell = condition.dwell { rows.append(("dwell", "event after \(TimeText.span(dwell)) inside")) }
        if let expires = condition.expiry { rows.append(("expires", TimeText.moment(expires))) }
        for (key, value) in (condition.metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
            rows.append((key, value.string ?? String(decoding: value.bytes, as: UTF8.self)))
        }
        return rows.map { row($0.0, $0.1) }
    }

    /// Returns a line with a label before its text.
    static func row(_ label: String, _ text: String) -> String { DisplayWidth.fit(label, to: labelWidth) + text }
}
