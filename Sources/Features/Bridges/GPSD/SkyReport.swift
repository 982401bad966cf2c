import SextantAPI
import Varlink

/// gpsd's report of the satellites (gpsd_json(5), SKY).
struct SkyReport {
    /// A satellite with the numbers that gpsd gives it.
    private struct Entry {
        let prn: Int
        let gnssid: Int
        let satellite: Satellite
    }

    /// The maximum number of satellites, so that a line stays below the 10 KiB of libgps.
    private static let maxSatellites = 90

    private let receiver: Receiver?
    private let entries: [Entry]

    /// Creates the report of a receiver, or of a fixed place without one.
    init(_ receiver: Receiver?) {
        self.receiver = receiver
        entries = SkyReport.entries(receiver?.satellites ?? [])
    }

    func write(to object: inout ObjectWriter) {
        object.append("SKY", forKey: "class")
        object.append(receiver?.port, forKey: "device")
        object.append(receiver?.lastEpoch, forKey: "time")
        object.append(receiver?.hdop, forKey: "hdop", places: 2)
        object.append(receiver?.vdop, forKey: "vdop", places: 2)
        object.append(receiver?.pdop, forKey: "pdop", places: 2)
        object.append(entries.count, forKey: "nSat")
        object.append(entries.count { $0.satellite.used }, forKey: "uSat")
        object.append(entries, forKey: "satellites") { entry, object in
            object.append(entry.prn, forKey: "PRN")
            object.append(entry.satellite.elevation.map(Double.init), forKey: "el", places: 1)
            object.append(entry.satellite.azimuth.map(Double.init), forKey: "az", places: 1)
            object.append(entry.satellite.carrierToNoise.map(Double.init), forKey: "ss", places: 1)
            object.append(entry.satellite.used, forKey: "used")
            object.append(entry.gnssid, forKey: "gnssid")
            object.append(entry.satellite.number, forKey: "svid")
        }
    }

    /// Returns one entry per satellite: of its signals the strongest, and whether any is used.
    private static func entries(_ satellites: [Satellite]) -> [Entry] {
        var entries: [Entry] = []
        var indexes: [Int: Int] = [:]
        for satellite in satellites {
            guard let (prn, gnssid) = numbers(of: satellite) else { continue }
            guard let index = indexes[prn] else {
                guard entries.count < maxSatellites else { break }
                indexes[prn] = entries.count
                entries.append(Entry(prn: prn, gnssid: gnssid, satellite: satellite))
                continue
            }
            let known = entries[index].satellite
            var best = (satellite.carrierToNoise ?? -1) > (known.carrierToNoise ?? -1) ? satellite : known
            best.used = satellite.used || known.used
            entries[index] = Entry(prn: prn, gnssid: gnssid, satellite: best)
        }
        return entries
    }

    /// Returns gpsd's PRN and system (gpsd.h, `gnssid`); nil for a satellite without a number.
    private static func numbers(of satellite: Satellite) -> (prn: Int, gnssid: Int)? {
        guard let number = satellite.number, (1...999).contains(number) else { return nil }
        return switch satellite.system {
        case .gps: (number, 0)
        case .sbas: (number - 87, 1)
        case .galileo: (300 + number, 2)
        case .beidou: (400 + number, 3)
        case .imes: (number, 4)
        case .qzss: (192 + number, 5)
        case .glonass: (64 + number, 6)
        case .navic: (500 + number, 7)
        case .unknown: nil
        }
    }
}
