import Fleet
import Geodesy
import Store

/// The fences that servers have set.
extension FleetOutbox {
    /// Returns the fences, sorted by identifier.
    package func fences() throws(StoreError) -> [RemoteFence] {
        let statement = try database.prepare(
            "SELECT identifier, created, latitude, longitude, radius FROM fence ORDER BY identifier", for: "reading")
        var fences: [RemoteFence] = []
        while try statement.step() {
            guard let center = Coordinate(latitude: statement.real(2), longitude: statement.real(3)) else { continue }
            fences.append(
                RemoteFence(
                    statement.text(0), created: statement.integer(1), center: center, radius: statement.integer(4)))
        }
        return fences
    }

    /// Replaces all fences.
    package func setFences(_ fences: [RemoteFence]) throws(StoreError) {
        try database.transaction("writing fences to") { () throws(StoreError) in
            try database.execute("DELETE FROM fence", for: "writing to")
            let statement = try database.prepare("INSERT INTO fence VALUES (?1, ?2, ?3, ?4, ?5)", for: "writing to")
            for fence in fences {
                try statement.run(
                    .text(fence.identifier), .integer(fence.created), .real(fence.center.latitude),
                    .real(fence.center.longitude), .integer(fence.radius))
            }
        }
    }
}
