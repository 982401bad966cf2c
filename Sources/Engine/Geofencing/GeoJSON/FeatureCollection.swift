import Varlink

/// Conditions as GeoJSON. Writing and reading back preserves them to seven decimals of a degree (11
/// mm).
package struct FeatureCollection: Sendable, Equatable {
    /// The features in file order, with unique identifiers.
    package var features: [FenceFeature]

    package init(features: [FenceFeature]) {
        self.features = features
    }

    /// Parses a FeatureCollection, a Feature or a bare geometry. The foreign members of a bare
    /// geometry become its properties.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text; a byte order mark is skipped.
    ///   - unnamed: The identifier of a single condition without a name; nil if a name is required.
    /// - Throws: ``GeoJSONError`` for the first invalid feature.
    package init(parsing bytes: [UInt8], unnamed: String? = nil) throws(GeoJSONError) {
        guard bytes.count <= FeatureLimit.text else {
            throw GeoJSONError(reason: "the text is larger than \(FeatureLimit.text >> 20) MiB; split it")
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: text) } catch { throw GeoJSONError(error, in: text) }
        try self.init(value, unnamed: unnamed)
    }

    /// Converts a parsed value; see ``init(parsing:unnamed:)``.
    package init(_ value: JSONValue, unnamed: String? = nil) throws(GeoJSONError) {
        guard case .object(let members) = value, let type = members["type"]?.string else {
            throw GeoJSONError(
                member: "type",
                reason: "GeoJSON must be an object with a \"type\": a FeatureCollection, a Feature or a geometry")
        }
        switch type {
        case "FeatureCollection": features = try FeatureCollection.features(in: members["features"], unnamed: unnamed)
        case "Feature": features = [try FenceFeature(feature: members, unnamed: unnamed)]
        default:
            let foreign = members.filter { !["type", "coordinates", "bbox"].contains($0.key) }
            features = [try FenceFeature(geometry: members, properties: foreign, id: nil, unnamed: unnamed)]
        }
    }

    private static func features(
        in value: JSONValue?, unnamed: String?
    ) throws(GeoJSONError) -> [FenceFeature] {
        guard case .array(let list)? = value else {
            throw GeoJSONError(member: "features", reason: "a FeatureCollection must have an array \"features\"")
        }
        guard list.count <= FeatureLimit.features else {
            throw GeoJSONError(
                member: "features",
                reason:
                    "there are \(list.count) features, but at most \(FeatureLimit.features) are allowed; split the file"
            )
        }
        var numbers: [String: Int] = [:]
        var features: [FenceFeature] = []
        features.reserveCapacity(list.count)
        for (index, value) in list.enumerated() {
            do throws(GeoJSONError) {
                guard case .object(let members) = value, members["type"]?.string == "Feature" else {
                    throw GeoJSONError(
                        member: "type", reason: "this is not a Feature; wrap a geometry in {\"type\": \"Feature\", ...}"
                    )
                }
                let feature = try FenceFeature(feature: members, unnamed: list.count == 1 ? unnamed : nil)
                if let first = numbers.updateValue(index + 1, forKey: feature.identifier) {
                    var failure = GeoJSONError(
                        member: "properties.identifier",
                        reason: "feature \(first) already has this name; names must be unique")
                    failure.identifier = feature.identifier
                    throw failure
                }
                features.append(feature)
            } catch {
                var failure = error
                failure.number = index + 1
                throw failure
            }
        }
        return features
    }

    /// The conditions as a GeoJSON FeatureCollection.
    package var json: JSONValue {
        ["type": "FeatureCollection", "features": .array(features.map(\.json))]
    }
}
