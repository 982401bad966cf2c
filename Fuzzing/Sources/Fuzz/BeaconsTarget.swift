import Chronology
import Geofencing

/// Fuzzes what strangers send: a length and that many bytes per advertisement, the first of which
/// selects the format. What is decoded has plausible values; the table stays bounded.
enum BeaconsTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        var rest = Array(input)[...]
        var table = BeaconTable()
        var now = Instant.zero
        while let length = rest.popFirst(), let format = rest.popFirst() {
            let data = Array(rest.prefix(Int(length % 32)))
            rest = rest.dropFirst(data.count)
            now = now + .milliseconds(Int64(format) * 40)
            let beacon =
                switch format % 3 {
                case 0: BeaconAdvertisement(company: BeaconAdvertisement.apple, data: data)
                case 1: BeaconAdvertisement(company: UInt16(format), data: data)
                default: BeaconAdvertisement(eddystone: data)
                }
            guard let beacon else { continue }
            check(beacon)
            table.record(BeaconSighting(beacon, strength: -Double(length), count: Int(format)), at: now)
            for reading in table.readings(of: nil, at: now) {
                Invariant.check(reading.accuracy.map { $0 > 0 && $0 < 2000 } ?? true, "a distance \(reading)")
                Invariant.check(
                    (reading.accuracy == nil) == (reading.zone == .unknown), "a zone needs a distance: \(reading)")
            }
        }
    }

    private static func check(_ beacon: BeaconAdvertisement) {
        Invariant.check(
            beacon.power.map { BeaconAdvertisement.powers.contains($0) } ?? true, "the strength is plausible: \(beacon)"
        )
        Invariant.check(
            BeaconIdentity(beacon.identity.description) == beacon.identity, "the text is read as written: \(beacon)")
        let sent = BeaconAdvertisement(company: BeaconAdvertisement.apple, data: beacon.iBeaconData)
        Invariant.check(sent?.identity.contains(beacon.identity) ?? false || beacon.identity.major == nil, "\(beacon)")
    }
}
