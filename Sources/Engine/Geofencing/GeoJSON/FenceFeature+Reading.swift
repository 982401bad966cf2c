import Chronology
import Varlink

extension FenceFeature {
    typealias Members = [String: JSONValue]

    init(feature members: Members, unnamed: String?) throws(GeoJSONError) {
        let properties: Members
        switch members["properties"] {
        case nil, .null: properties = [:]
        case .object(let given): properties = given
        default: throw GeoJSONError(member: "properties", reason: "must be an object or null")
        }
        if members["geometry"] ?? .null == .null, let subject = try FenceFeature.subject(properties) {
            var known: Set<String> = [
                Property.identifier, Property.expiry, Property.visits, Property.significantChange,
            ]
            var condition = FenceCondition(subject, expiry: try FenceFeature.expiry(properties))
            if case .beacon = subject {
                known.formUnion([Property.beacon, Property.assuming, Property.dwell])
                condition.assuming = try FenceFeature.assuming(properties)
                condition.dwell = try FenceFeature.dwell(properties)
            }
            self.init(
                identifier: try FenceFeature.name(in: properties, id: members["id"], unnamed: unnamed),
                condition: condition,
                metadata: properties.filter { !known.contains($0.key) })
            return
        }
        guard case .object(let geometry)? = members["geometry"] else {
            var failure = GeoJSONError(
                member: "geometry", reason: "a condition needs a geometry: a Point, a Polygon or a LineString")
            failure.identifier = try? FenceFeature.name(in: properties, id: members["id"], unnamed: unnamed)
            throw failure
        }
        try self.init(geometry: geometry, properties: properties, id: members["id"], unnamed: unnamed)
    }

    init(geometry: Members, properties: Members, id: JSONValue?, unnamed: String?) throws(GeoJSONError) {
        let reader = GeometryReader(geometry: geometry, properties: properties)
        let known = Property.common + (reader.sizeProperty.map { [$0] } ?? [])
        do throws(GeoJSONError) { try MisspeltProperty.check(properties, known: known) } catch {
            var failure = error
            failure.identifier = try? FenceFeature.name(in: properties, id: id, unnamed: unnamed)
            throw failure
        }
        identifier = try FenceFeature.name(in: properties, id: id, unnamed: unnamed)
        do throws(GeoJSONError) {
            let shape = try reader.shape()
            condition = FenceCondition(
                shape: shape, assuming: try FenceFeature.assuming(properties),
                dwell: try FenceFeature.dwell(properties),
                expiry: try FenceFeature.expiry(properties))
            metadata = properties.filter { !known.contains($0.key) }
            guard metadata.isEmpty || JSONValue.object(metadata).bytes.count <= ConditionLimit.metadata else {
                throw GeoJSONError(
                    member: "properties",
                    reason: "the metadata properties exceed \(ConditionLimit.metadata) bytes; remove some")
            }
        } catch {
            var failure = error
            failure.identifier = identifier
            throw failure
        }
    }

    /// Returns what a feature without a geometry concerns; nil if its properties do not state it.
    /// The values of its members are checked like those of a message.
    private static func subject(_ properties: Members) throws(GeoJSONError) -> ConditionSubject? {
        if properties[Property.visits] == .bool(true) { return .visits }
        if let beacon = properties[Property.beacon]?.string {
            guard let identity = BeaconIdentity(beacon) else {
                throw GeoJSONError(member: "properties.beacon", reason: "must be UUID, UUID/MAJOR or UUID/MAJOR/MINOR")
            }
            return .beacon(identity)
        }
        guard let change = properties[Property.significantChange]?.object else { return nil }
        let distance = change["distance"]?.double ?? SignificantChange.defaultDistance
        let interval = change["interval"]?.double ?? SignificantChange.defaultInterval
        guard SignificantChange.distances.contains(distance), SignificantChange.intervals.contains(interval) else {
            throw GeoJSONError(
                member: "properties.significantChange",
                reason:
                    "distance must be \(SignificantChange.distanceText), and interval \(SignificantChange.intervalText)"
            )
        }
        return .significantChange(SignificantChange(distance: distance, interval: .seconds(interval)))
    }

    private static func name(
        in properties: Members, id: JSONValue?, unnamed: String?
    ) throws(GeoJSONError) -> String {
        let isProperty = properties[Property.identifier].map { $0 != .null } ?? false
        let member = isProperty || id == nil ? "properties.identifier" : "id"
        let name: String
        switch isProperty ? properties[Property.identifier] : id {
        case .string(let text): name = text
        case .int(let number): name = String(number)
        case nil, .null:
            guard let unnamed else {
                throw GeoJSONError(member: member, reason: "the name is missing; add one: \"identifier\": \"home\"")
            }
            name = unnamed
        default: throw GeoJSONError(member: member, reason: "a name must be a string")
        }
        guard ConditionLimit.identifierLength.contains(name.utf8.count) else {
            throw GeoJSONError(
                member: member,
                reason: "a name must have 1 to \(ConditionLimit.identifierLength.upperBound) bytes; "
                    + "this one has \(name.utf8.count)")
        }
        return name
    }

    private static func assuming(_ properties: Members) throws(GeoJSONError) -> ConditionState {
        switch properties[Property.assuming] {
        case nil, .null: return .unknown
        case .string(let text):
            if let state = ConditionState(rawValue: text), state != .unmonitored { return state }
        default: break
        }
        throw GeoJSONError(
            member: "properties.assuming",
            reason: "must be \"satisfied\" (inside), \"unsatisfied\" (outside) or \"unknown\"")
    }

    private static func dwell(_ properties: Members) throws(GeoJSONError) -> Instant.Span? {
        guard let value = properties[Property.dwell], value != .null else { return nil }
        guard let seconds = value.double, seconds > 0, seconds <= ConditionLimit.dwell else {
            throw GeoJSONError(
                member: "properties.dwell",
                reason: "must be a number of seconds above 0 and at most \(Int(ConditionLimit.dwell)) (one year)")
        }
        return .seconds(seconds)
    }

    private static func expiry(_ properties: Members) throws(GeoJSONError) -> UTCTime? {
        guard let value = properties[Property.expiry], value != .null else { return nil }
        guard let text = value.string, let moment = UTCTime(rfc3339: text) else {
            throw GeoJSONError(
                member: "properties.expiry", reason: "must be an RFC 3339 time, such as \"2026-12-31T23:59:59Z\"")
        }
        return moment
    }
}

/// Detection of property names that resemble a property with a meaning.
///
/// Without it, `"expires"` in place of `"expiry"` becomes metadata, and the condition never
/// expires.
enum MisspeltProperty {
    /// Names that other formats use for a property, in lower case.
    private static let synonyms = ["expires": FenceFeature.Property.expiry, "expiration": FenceFeature.Property.expiry]

    /// Throws for the first property, in order of name, that resembles one of the `known` names.
    ///
    /// A known name that is present, even as null, is not misspelt. So `"dwell": null` lets a file
    /// keep `"well"` as metadata.
    static func check(_ properties: [String: JSONValue], known: [String]) throws(GeoJSONError) {
        let missing = known.filter { properties[$0] == nil }
        let unknown = properties.keys.filter { !known.contains($0) }
        for name in unknown.sorted() {
            guard let intended = missing.first(where: { resembles(name, known: $0) }) else { continue }
            throw GeoJSONError(
                member: "properties.\(name)",
                reason: "unknown property; use \"\(intended)\". To keep this one as metadata, add \"\(intended)\": null"
            )
        }
    }

    /// Returns whether `name` differs from a known name in case, in one character, or, for names of
    /// more than six characters, in two.
    static func resembles(_ name: String, known: String) -> Bool {
        let actual = Array(name.lowercased().utf8)
        let expected = Array(known.utf8)
        if synonyms[String(decoding: actual, as: UTF8.self)] == known { return true }
        let limit = expected.count > 6 ? 2 : 1
        guard abs(actual.count - expected.count) <= limit else { return false }
        return distance(from: actual, to: expected) <= limit
    }

    /// Returns the number of inserted, removed, replaced and swapped characters (optimal string
    /// alignment distance).
    private static func distance(from a: [UInt8], to b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for row in a.indices {
            var current = [row + 1]
            for column in b.indices {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (a[row] == b[column] ? 0 : 1))
                if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[b.count]
    }
}
