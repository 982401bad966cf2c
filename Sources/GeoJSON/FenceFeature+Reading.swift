import Chronology
import Geofencing
import Varlink

extension FenceFeature {
    typealias Members = [String: JSONValue]

    /// A Feature.
    init(feature members: Members, unnamed: String?) throws(FeatureFlaw) {
        let properties: Members
        switch members["properties"] {
        case nil, .null: properties = [:]
        case .object(let given): properties = given
        default: throw FeatureFlaw("properties", "they are an object, or null")
        }
        guard case .object(let geometry)? = members["geometry"] else {
            var flaw = FeatureFlaw("geometry", "a condition has a place: a Point, a Polygon or a LineString")
            flaw.identifier = try? FenceFeature.name(properties, members["id"], unnamed)
            throw flaw
        }
        try self.init(geometry: geometry, properties: properties, id: members["id"], unnamed: unnamed)
    }

    /// A geometry and what is said about it.
    init(geometry: Members, properties: Members, id: JSONValue?, unnamed: String?) throws(FeatureFlaw) {
        identifier = try FenceFeature.name(properties, id, unnamed)
        do throws(FeatureFlaw) {
            var owned = [Property.identifier, Property.dwell, Property.expiry, Property.assuming]
            let shape = try GeometryReader(geometry, properties).shape()
            switch shape {
            case .circle: owned.append(Property.radius)
            case .corridor: owned.append(Property.width)
            case .polygon: break
            }
            condition = Condition(
                shape: shape, assuming: try FenceFeature.assuming(properties), dwell: try FenceFeature.dwell(properties),
                expiry: try FenceFeature.expiry(properties))
            metadata = properties.filter { !owned.contains($0.key) }
            guard metadata.isEmpty || JSONValue.object(metadata).bytes.count <= FeatureLimit.metadata else {
                throw FeatureFlaw("properties", "those kept as metadata are more than \(FeatureLimit.metadata) bytes; leave some out")
            }
        } catch {
            var flaw = error
            flaw.identifier = identifier
            throw flaw
        }
    }

    private static func name(_ properties: Members, _ id: JSONValue?, _ unnamed: String?) throws(FeatureFlaw) -> String {
        let isProperty = properties[Property.identifier].map { $0 != .null } ?? false
        let member = isProperty || id == nil ? "properties.identifier" : "id"
        let name: String
        switch isProperty ? properties[Property.identifier] : id {
        case .string(let text): name = text
        case .int(let number): name = String(number)
        case nil, .null:
            guard let unnamed else { throw FeatureFlaw(member, "it has no name; give it one: \"identifier\": \"home\"") }
            name = unnamed
        default: throw FeatureFlaw(member, "a name is a text")
        }
        guard (1...FeatureLimit.identifier).contains(name.utf8.count) else {
            throw FeatureFlaw(member, "a name has 1 to \(FeatureLimit.identifier) bytes, this one \(name.utf8.count)")
        }
        return name
    }

    private static func assuming(_ properties: Members) throws(FeatureFlaw) -> ConditionState {
        switch properties[Property.assuming] {
        case nil, .null: return .unknown
        case .string(let text):
            if let state = ConditionState(rawValue: text), state != .unmonitored { return state }
        default: break
        }
        throw FeatureFlaw("properties.assuming", "it is \"satisfied\" (inside), \"unsatisfied\" (outside) or \"unknown\"")
    }

    private static func dwell(_ properties: Members) throws(FeatureFlaw) -> Instant.Span? {
        guard let value = properties[Property.dwell], value != .null else { return nil }
        guard let seconds = value.double, seconds > 0, seconds <= FeatureLimit.dwell else {
            throw FeatureFlaw("properties.dwell", "it is a number of seconds, more than 0 and at most 31536000, a year")
        }
        return .seconds(seconds)
    }

    private static func expiry(_ properties: Members) throws(FeatureFlaw) -> UTCTime? {
        guard let value = properties[Property.expiry], value != .null else { return nil }
        guard let text = value.string, let moment = UTCTime(rfc3339: text) else {
            throw FeatureFlaw("properties.expiry", "it is a moment as RFC 3339 has it, such as \"2026-12-31T23:59:59Z\"")
        }
        return moment
    }
}
