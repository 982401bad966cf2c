public import Varlink

/// Conditions as GeoJSON. What is written is read again as the same, to the seventh decimal of a degree (11 mm).
public struct FeatureCollection: Sendable, Equatable {
    /// In the order of the text; no two of one identifier.
    public var features: [FenceFeature]

    /// These conditions.
    public init(features: [FenceFeature]) {
        self.features = features
    }

    /// Reads a FeatureCollection, a Feature or a bare geometry, whose other members then are its properties.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8; a byte order mark is passed over.
    ///   - unnamed: What a condition without a name is called where it is the only one; nil: it must have a name.
    /// - Throws: ``FeatureFlaw``, of the first feature that is wrong.
    public init(parsing bytes: [UInt8], unnamed: String? = nil) throws(FeatureFlaw) {
        guard bytes.count <= FeatureLimit.text else {
            throw FeatureFlaw("", "it is larger than \(FeatureLimit.text >> 20) MiB; split it")
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: text) } catch { throw FeatureFlaw(error, in: text) }
        try self.init(value, unnamed: unnamed)
    }

    /// See ``init(parsing:unnamed:)``.
    public init(_ value: JSONValue, unnamed: String? = nil) throws(FeatureFlaw) {
        guard case .object(let members) = value, let type = members["type"]?.string else {
            throw FeatureFlaw("type", "GeoJSON is an object with a \"type\": a FeatureCollection, a Feature or a geometry")
        }
        switch type {
        case "FeatureCollection": features = try FeatureCollection.features(members["features"], unnamed)
        case "Feature": features = [try FenceFeature(feature: members, unnamed: unnamed)]
        default:
            let foreign = members.filter { !["type", "coordinates", "bbox"].contains($0.key) }
            features = [try FenceFeature(geometry: members, properties: foreign, id: nil, unnamed: unnamed)]
        }
    }

    private static func features(_ value: JSONValue?, _ unnamed: String?) throws(FeatureFlaw) -> [FenceFeature] {
        guard case .array(let list)? = value else { throw FeatureFlaw("features", "a FeatureCollection has a list \"features\"") }
        guard list.count <= FeatureLimit.features else {
            throw FeatureFlaw("features", "there are \(list.count), and \(FeatureLimit.features) is the most; split the file")
        }
        var numbers: [String: Int] = [:]
        var features: [FenceFeature] = []
        features.reserveCapacity(list.count)
        for (at, value) in list.enumerated() {
            do throws(FeatureFlaw) {
                guard case .object(let members) = value, members["type"]?.string == "Feature" else {
                    throw FeatureFlaw("type", "it is no Feature; wrap a geometry in {\"type\": \"Feature\", ...}")
                }
                let feature = try FenceFeature(feature: members, unnamed: list.count == 1 ? unnamed : nil)
                if let first = numbers.updateValue(at + 1, forKey: feature.identifier) {
                    var flaw = FeatureFlaw("properties.identifier", "feature \(first) is called that already; names are unique")
                    flaw.identifier = feature.identifier
                    throw flaw
                }
                features.append(feature)
            } catch {
                var flaw = error
                flaw.number = at + 1
                throw flaw
            }
        }
        return features
    }

    /// The FeatureCollection.
    public var json: JSONValue {
        ["type": "FeatureCollection", "features": .array(features.map(\.json))]
    }
}
