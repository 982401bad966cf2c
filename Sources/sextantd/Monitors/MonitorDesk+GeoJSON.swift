import GeoJSON
import Store
import Systemd
import Varlink
import Wire

/// Conditions as GeoJSON, on their way in and out.
extension Daemon {
    func importFences(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let wish = try decode(ImportParameters.self, call)
        let key = try key(wish.name, wish.program, session)
        let done = try refusing { () throws(MonitorError) in
            try MonitorName.check(wish.name)
            var batch: [NewCondition] = []
            do throws(FeatureFlaw) {
                for feature in try FeatureCollection(.object(wish.geojson)).features {
                    let message = ConditionMessage(identifier: feature.identifier, feature.condition, metadata: feature.metadata)
                    do throws(MonitorError) { batch.append(try NewCondition(message)) } catch { throw FeatureFlaw(error, of: feature) }
                }
            } catch {
                throw MonitorError.invalidCondition(identifier: error.identifier ?? "", reason: "\(error)")
            }
            return try monitors.add(batch, to: key, at: loop.now)
        }
        reply(done, to: session)
    }

    func exportFences(_ call: Call, _ session: ClientSession) throws(MonitorRefusal) {
        let (_, page) = try page(call, session)
        let features = page.records.map { record in
            let added = record.added
            return FenceFeature(
                identifier: added.identifier, condition: added.condition, metadata: NewCondition.members(of: added.metadata) ?? [:])
        }
        reply(ExportReply(geojson: FeatureCollection(features: features).json.object ?? [:], next: page.next), to: session)
    }
}

extension FeatureFlaw {
    /// A feature that is no condition for a reason of the interface's own.
    fileprivate init(_ error: MonitorError, of feature: FenceFeature) {
        var reason = "\(error)"
        if case .invalidCondition(_, let words) = error { reason = words }
        self.init("", reason)
        identifier = feature.identifier
    }
}
