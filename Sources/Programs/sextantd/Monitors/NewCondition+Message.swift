import Geofencing
import Locator
import SextantAPI
import StateStore
import Varlink

extension NewCondition {
    /// Creates a condition from a client's message.
    ///
    /// - Throws: The reason why the message is invalid.
    init(_ message: Condition) throws(MonitorError) {
        let metadata = message.metadata.flatMap {
            $0.isEmpty ? nil : String(decoding: JSONValue.object($0).bytes, as: UTF8.self)
        }
        self.init(message.identifier, try message.condition(), metadata: metadata)
    }

    var message: Condition {
        Condition(identifier: identifier, condition, metadata: NewCondition.members(of: metadata))
    }

    static func members(of metadata: String?) -> [String: JSONValue]? {
        guard let metadata, let value = try? JSONValue(parsing: Array(metadata.utf8)) else { return nil }
        return value.object
    }
}

extension NewCondition {
    /// Returns the conditions of a GeoJSON Feature or FeatureCollection.
    ///
    /// - Throws: The first feature that is no valid condition, and the reason.
    static func batch(geojson: [String: JSONValue]) throws(MonitorError) -> [NewCondition] {
        do throws(GeoJSONError) {
            var batch: [NewCondition] = []
            for feature in try FeatureCollection(.object(geojson)).features {
                let message = Condition(
                    identifier: feature.identifier, feature.condition, metadata: feature.metadata)
                do throws(MonitorError) { batch.append(try NewCondition(message)) } catch {
                    throw GeoJSONError(error, of: feature)
                }
            }
            return batch
        } catch {
            throw .invalidCondition(identifier: error.identifier ?? "", reason: "\(error)")
        }
    }
}

extension FenceFeature {
    init(_ stored: NewCondition) {
        self.init(
            identifier: stored.identifier, condition: stored.condition,
            metadata: NewCondition.members(of: stored.metadata) ?? [:])
    }
}

extension GeoJSONError {
    /// Creates an error for a feature that is valid GeoJSON but no valid condition.
    fileprivate init(_ error: MonitorError, of feature: FenceFeature) {
        var reason = "\(error)"
        if case .invalidCondition(_, let detail) = error { reason = detail }
        self.init(reason: reason)
        identifier = feature.identifier
    }
}
