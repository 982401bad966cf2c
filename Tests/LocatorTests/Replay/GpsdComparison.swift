import Bridges
import Chronology
import FoundationEssentials
import Geodesy
import Positioning
import TestSupport

/// Compares the results of this core and of gpsd for one log.
///
/// The result of gpsd is its TPV reports. gpsd sends several in one epoch, each with the values
/// known so far. An epoch is therefore a run of reports with the same time, and its values are the
/// last ones reported.
struct GpsdComparison {
    /// An epoch with a position and a time.
    struct Epoch {
        var time: UTCTime
        var latitude: Double
        var longitude: Double
    }

    /// The epochs of gpsd with mode 2 or 3.
    private(set) var reference: [Epoch]
    /// The number of those epochs with one of our fixes at the same time.
    private(set) var sameMoment = 0
    /// Those epochs with one of our fixes at the same time of another day.
    private(set) var otherDay: [Epoch] = []
    /// Those epochs without one of our fixes.
    private(set) var missing: [Epoch] = []
    /// The matched epochs whose position differs from ours by more than 1e-6 degrees.
    private(set) var elsewhere: [Epoch] = []
    /// The times at which we have more than one fix.
    private(set) var repeated: [UTCTime] = []

    var matched: Int { sameMoment + otherDay.count }

    init(log: String) throws {
        reference = GpsdComparison.epochs(try PackageFiles.read("\(SharedCaptures.gpsd)/\(log).tpv"))
        let fixes = Playback.fixes(try PackageFiles.read("\(SharedCaptures.gpsd)/\(log).log"))
        let ours = fixes.compactMap { fix in
            fix.time.flatMap { time in
                fix.coordinate.map { Epoch(time: time, latitude: $0.latitude, longitude: $0.longitude) }
            }
        }
        compare(ours)
    }

    private mutating func compare(_ ours: [Epoch]) {
        var byTime: [UTCTime: Epoch] = [:]
        for epoch in ours where byTime.updateValue(epoch, forKey: epoch.time) != nil { repeated.append(epoch.time) }
        var left: [Epoch] = []
        for wanted in reference {
            if let found = byTime.removeValue(forKey: wanted.time) {
                sameMoment += 1
                comparePosition(of: wanted, with: found)
            } else {
                left.append(wanted)
            }
        }
        var byTimeOfDay = Dictionary(
            byTime.values.map { ($0.time.millisecondsOfDay, $0) }, uniquingKeysWith: { first, _ in first })
        for wanted in left {
            if let found = byTimeOfDay.removeValue(forKey: wanted.time.millisecondsOfDay) {
                otherDay.append(wanted)
                comparePosition(of: wanted, with: found)
            } else {
                missing.append(wanted)
            }
        }
    }

    private mutating func comparePosition(of wanted: Epoch, with found: Epoch) {
        let difference = max(abs(wanted.latitude - found.latitude), abs(wanted.longitude - found.longitude))
        if difference > 1e-6 { elsewhere.append(wanted) }
    }

    private static func epochs(_ tpv: [UInt8]) -> [Epoch] {
        let decoder = JSONDecoder()
        let reports = tpv.split(separator: 10).compactMap { try? decoder.decode(TPV.self, from: Data($0)) }
        var merged: [TPV] = []
        for report in reports {
            if let last = merged.last, last.time == report.time {
                merged[merged.count - 1] = report.completed(by: last)
            } else {
                merged.append(report)
            }
        }
        return merged.compactMap { epoch in
            guard epoch.mode >= 2, let time = epoch.time.flatMap({ UTCTime(rfc3339: $0) }), let latitude = epoch.lat,
                let longitude = epoch.lon
            else {
                return nil
            }
            return Epoch(time: time, latitude: latitude, longitude: longitude)
        }
    }
}

extension TPV {
    /// Earlier values apply where the later report has none.
    fileprivate func completed(by earlier: TPV) -> TPV {
        var merged = self
        merged.lat = lat ?? earlier.lat
        merged.lon = lon ?? earlier.lon
        return merged
    }
}
