import Geodesy
import Varlink

/// A fence that a server has set.
package struct RemoteFence: Sendable, Equatable {
    /// The identifier of the condition: OwnTracks' `desc`.
    package var identifier: String
    /// The time of creation in seconds since 1970, which the events of the fence repeat.
    package var created: Int64
    package var center: Coordinate
    /// The radius in metres.
    package var radius: Int64

    package init(_ identifier: String, created: Int64, center: Coordinate, radius: Int64) {
        self.identifier = identifier
        self.created = created
        self.center = center
        self.radius = radius
    }
}

/// The change that a server requests: fences to set, and identifiers to delete.
package struct RemoteFenceChange: Sendable, Equatable {
    /// The maximum number of fences in one command.
    package static let maxCount = 1000
    /// The allowed radii in metres.
    package static let radiusRange: ClosedRange<Int64> = 1...1_000_000

    /// The allowed times in seconds since 1970, up to the year 9999.
    package static let timeRange: ClosedRange<Int64> = 0...253_402_300_799

    /// The fences to add or replace.
    package var fences: [RemoteFence] = []
    package var deleted: [String] = []
    /// Whether fences that the command does not name are deleted.
    package var replacesAll = false

    /// Reads the member `waypoints` of a command; nil if it is not valid.
    ///
    /// An invalid latitude deletes the fence, as on iOS. The member `replace` with true, which is
    /// Sextant's own, deletes all other fences.
    package init?(_ value: JSONValue?) {
        guard let value, let list = value["waypoints"]?.array, list.count <= RemoteFenceChange.maxCount else {
            return nil
        }
        replacesAll = value["replace"]?.bool ?? false
        for entry in list {
            guard let identifier = entry["desc"]?.string, (1...128).contains(identifier.utf8.count) else { return nil }
            guard let latitude = entry["lat"]?.double, Coordinate(latitude: latitude, longitude: 0) != nil else {
                deleted.append(identifier)
                continue
            }
            guard let longitude = entry["lon"]?.double,
                let center = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            guard let radius = entry["rad"]?.double, radius.isFinite,
                let metres = Int64(exactly: radius.rounded()), RemoteFenceChange.radiusRange.contains(metres)
            else { return nil }
            let created = entry["tst"].map { $0.int ?? -1 } ?? 0
            guard RemoteFenceChange.timeRange.contains(created) else { return nil }
            fences.append(RemoteFence(identifier, created: created, center: center, radius: metres))
        }
    }

    /// Returns the fences after the change, sorted by identifier, with the identifiers to remove.
    package func applied(to current: [RemoteFence]) -> (fences: [RemoteFence], removed: [String]) {
        var set = Dictionary(current.map { ($0.identifier, $0) }) { _, last in last }
        let old = Set(set.keys)
        if replacesAll { set = [:] }
        for identifier in deleted { set[identifier] = nil }
        for fence in fences { set[fence.identifier] = fence }
        return (set.values.sorted { $0.identifier < $1.identifier }, old.subtracting(set.keys).sorted())
    }
}

/// A hash by which servers compare fences: FNV-1a with 64 bits, as 16 hexadecimal digits
/// (http://www.isthe.com/chongo/tech/comp/fnv/).
package enum FenceHash {
    package static func text(of text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        // The multiplication wraps: FNV is defined modulo 2^64.
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the hash of a set of fences, which does not depend on their order.
    package static func text(of fences: [RemoteFence]) -> String {
        let lines = fences.sorted { $0.identifier < $1.identifier }.map { fence in
            let latitude = OwnTracks.degrees(fence.center.latitude)
            let longitude = OwnTracks.degrees(fence.center.longitude)
            return "\(fence.identifier)\t\(latitude)\t\(longitude)\t\(fence.radius)\t\(fence.created)\n"
        }
        return text(of: lines.joined())
    }
}
