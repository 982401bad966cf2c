import Chronology
import Geodesy
import Geofencing
import Positioning
import SextantAPI
import Varlink

extension Condition {
    /// Creates the message for a condition.
    package init(identifier: String, _ condition: FenceCondition, metadata: [String: JSONValue]? = nil) {
        self.init(identifier: identifier)
        switch condition.subject {
        case .area(let shape): set(shape)
        case .visits: visits = true
        case .beacon(let identity): beacon = BeaconMessage(identity)
        case .significantChange(let change):
            significantChange = ConditionSignificantChange(distance: change.distance, interval: change.interval.seconds)
        }
        assuming = condition.assuming == .unknown ? nil : condition.assuming
        dwell = condition.dwell?.seconds
        expiry = condition.expiry?.description
        self.metadata = metadata
    }

    /// Whether the condition has an area, and not visits or movements anywhere.
    package var hasArea: Bool { circle != nil || polygon != nil || corridor != nil }

    private mutating func set(_ shape: FenceShape) {
        switch shape {
        case .circle(let center, let radius): circle = ConditionCircle(center: Point(center), radius: radius)
        case .polygon(let polygon):
            let holes = polygon.holes.map { $0.map(Point.init) }
            self.polygon = ConditionPolygon(ring: polygon.ring.map(Point.init), holes: holes.isEmpty ? nil : holes)
        case .corridor(let path, let width): corridor = ConditionCorridor(path: path.map(Point.init), width: width)
        }
    }
}

extension Point {
    init(_ coordinate: Coordinate) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
}

extension Condition {
    /// Returns the condition as a value of the core.
    ///
    /// - Throws: ``MonitorError/invalidCondition(identifier:reason:)`` with the reason as text.
    package func condition() throws(MonitorError) -> FenceCondition {
        if let problem = ConditionIdentifier.problem(of: identifier) { throw invalidCondition(problem) }
        guard assuming != .unmonitored else {
            throw invalidCondition("assuming must be unknown, satisfied or unsatisfied")
        }
        if let dwell, !(dwell > 0 && dwell <= ConditionLimit.dwell) {
            throw invalidCondition("dwell must be more than 0 and at most \(Int(ConditionLimit.dwell)) seconds")
        }
        if let metadata, JSONValue.object(metadata).bytes.count > ConditionLimit.metadata {
            throw invalidCondition("metadata may have \(ConditionLimit.metadata) bytes at most")
        }
        guard visits == nil, significantChange == nil, beacon == nil else { return try conditionWithoutArea() }
        return FenceCondition(
            shape: try validatedShape(), assuming: assuming ?? .unknown, dwell: dwell.map { .seconds($0) },
            expiry: try parsedExpiry())
    }

    private static let oneSubject =
        "it must have just one of circle, polygon, corridor, visits (true), significantChange and beacon"

    /// Returns a condition on visits, movements or beacons.
    private func conditionWithoutArea() throws(MonitorError) -> FenceCondition {
        let subjects = [
            circle != nil, polygon != nil, corridor != nil, visits != nil, significantChange != nil, beacon != nil,
        ].count { $0 }
        guard subjects == 1, visits ?? true else { throw invalidCondition(Condition.oneSubject) }
        if let beacon {
            guard let identity = BeaconIdentity(beacon) else {
                throw invalidCondition("beacon must have a UUID of 36 characters, and numbers from 0 to 65535")
            }
            return FenceCondition(
                .beacon(identity), assuming: assuming ?? .unknown, dwell: dwell.map { .seconds($0) },
                expiry: try parsedExpiry())
        }
        guard assuming ?? .unknown == .unknown, dwell == nil else {
            throw invalidCondition("assuming and dwell require an area or a beacon: circle, polygon, corridor, beacon")
        }
        guard let significantChange else { return FenceCondition(.visits, expiry: try parsedExpiry()) }
        let distance = significantChange.distance ?? SignificantChange.defaultDistance
        guard SignificantChange.distances.contains(distance) else {
            throw invalidCondition("distance must be \(SignificantChange.distanceText)")
        }
        let interval = significantChange.interval ?? SignificantChange.defaultInterval
        guard SignificantChange.intervals.contains(interval) else {
            throw invalidCondition("interval must be \(SignificantChange.intervalText)")
        }
        let change = SignificantChange(distance: distance, interval: .seconds(interval))
        return FenceCondition(.significantChange(change), expiry: try parsedExpiry())
    }

    private func parsedExpiry() throws(MonitorError) -> UTCTime? {
        guard let expiry else { return nil }
        guard let expiryTime = UTCTime(rfc3339: expiry) else {
            throw invalidCondition("expiry must be a time such as 2026-11-21T12:00:00Z")
        }
        return expiryTime
    }

    private func validatedShape() throws(MonitorError) -> FenceShape {
        let shape = try shape()
        do throws(FenceShapeError) { return try shape.validated() } catch { throw invalidCondition("\(error)") }
    }

    private func shape() throws(MonitorError) -> FenceShape {
        switch (circle, polygon, corridor) {
        case (let circle?, nil, nil):
            return .circle(center: try point(circle.center), radius: try extent(circle.radius, name: "radius"))
        case (nil, let polygon?, nil):
            let holes = polygon.holes ?? []
            guard holes.reduce(polygon.ring.count, { $0 + $1.count }) <= ConditionLimit.points else {
                throw invalidCondition("a polygon may have \(ConditionLimit.points) points at most")
            }
            var holeRings: [[Coordinate]] = []
            for hole in holes { holeRings.append(try points(hole)) }
            return .polygon(Polygon(ring: try points(polygon.ring), holes: holeRings))
        case (nil, nil, let corridor?):
            guard (2...ConditionLimit.points).contains(corridor.path.count) else {
                throw invalidCondition("the path of a corridor must have 2 to \(ConditionLimit.points) points")
            }
            return .corridor(path: try points(corridor.path), width: try extent(corridor.width, name: "width"))
        default: throw invalidCondition(Condition.oneSubject)
        }
    }

    private func points(_ points: [Point]) throws(MonitorError) -> [Coordinate] {
        var coordinates: [Coordinate] = []
        for point in points { coordinates.append(try self.point(point)) }
        return coordinates
    }

    private func point(_ point: Point) throws(MonitorError) -> Coordinate {
        guard let coordinate = Coordinate(latitude: point.latitude, longitude: point.longitude) else {
            throw invalidCondition("latitudes are from -90 to 90 degrees, longitudes from -180 to 180")
        }
        return coordinate
    }

    private func extent(_ metres: Double, name: String) throws(MonitorError) -> Double {
        guard metres > 0, metres <= ConditionLimit.extent else {
            throw invalidCondition("\(name) must be more than 0 and at most \(Int(ConditionLimit.extent)) metres")
        }
        return metres
    }

    private func invalidCondition(_ reason: String) -> MonitorError {
        .invalidCondition(identifier: identifier, reason: reason)
    }
}

/// The rule for identifiers of conditions.
package enum ConditionIdentifier {
    /// Returns why `identifier` is not allowed; nil if it is.
    ///
    /// Characters that cannot be seen are refused, because they make two fences appear equal:
    /// directional marks, zero-width characters and everything else that Unicode ignores by default
    /// (UAX 44, Default_Ignorable_Code_Point; categories Cc, Cf, Zl and Zp).
    package static func problem(of identifier: String) -> String? {
        guard ConditionLimit.identifierLength.contains(identifier.utf8.count),
            identifier.utf8.allSatisfy({ $0 >= 0x20 })
        else { return "the identifier must have 1 to 255 bytes and no control characters" }
        guard let scalar = identifier.unicodeScalars.first(where: isInvisible) else { return nil }
        let code = String(scalar.value, radix: 16, uppercase: true)
        let padding = String(repeating: "0", count: max(0, 4 - code.count))
        return "the identifier contains the invisible character U+\(padding)\(code); remove it"
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value == 0x7F }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return true }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}

extension BeaconMessage {
    package init(_ identity: BeaconIdentity) {
        self.init(
            uuid: identity.uuid.description, major: identity.major.map { Int($0) },
            minor: identity.minor.map { Int($0) })
    }
}

extension BeaconIdentity {
    /// Creates the beacons of a message; nil if it is not valid.
    package init?(_ message: BeaconMessage) {
        let (major, minor) = (message.major.map { UInt16(exactly: $0) }, message.minor.map { UInt16(exactly: $0) })
        guard let uuid = BeaconUUID(message.uuid), major != .some(nil), minor != .some(nil),
            message.minor == nil || message.major != nil
        else { return nil }
        self.init(uuid: uuid, major: major ?? nil, minor: minor ?? nil)
    }
}

extension EventPlace {
    /// Creates the place of a fix, or nil when the fix has no position.
    package init?(_ fix: Fix, receiver: String? = nil) {
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy else { return nil }
        self.init(
            timestamp: fix.time, latitude: coordinate.latitude,
            longitude: coordinate.longitude,
            horizontalAccuracy: accuracy, simulated: fix.isSimulated ? true : nil,
            receiver: receiver)
    }
}

extension Event {
    /// Creates an event of the condition `identifier`.
    package init(id: Int, identifier: String, kind: ConditionEvent.Kind, state: ConditionState, recorded: UTCTime) {
        self.init(id: id, identifier: identifier, kind: kind, state: state, recorded: recorded, folded: 0)
    }
}

extension ConditionRecord {
    package init(condition: Condition, state: ConditionState) {
        self.init(
            condition: condition, state: state, isMorePending: false, radiusTooSmall: false,
            conditionLimitExceeded: false, persistenceUnavailable: false)
    }

    /// Sets why a condition on beacons cannot be evaluated. Its state continues when it can.
    package mutating func setUnsupported(_ reason: String) {
        (state, since) = (.unmonitored, nil)
        conditionUnsupported = reason
    }

    /// Removes what depends on the position of the device, and sets the reason.
    package mutating func withhold(_ flags: PermissionFlags) {
        state = .unmonitored
        since = nil
        lastEvent = nil
        pending = nil
        distance = nil
        evaluated = nil
        radiusTooSmall = false
        permission = flags
    }
}

extension MonitorState {
    /// Creates an empty monitor.
    package init(name: String, program: String) {
        self.init(
            name: name, program: program, isOpen: false, conditions: 0, unmonitored: 0, pending: 0,
            persistenceUnavailable: false)
    }
}
