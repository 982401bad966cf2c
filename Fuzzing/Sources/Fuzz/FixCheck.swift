import Chronology
import Positioning

/// Checks each fix, and its relation to the previous one.
struct FixCheck: Equatable {
    /// Number of epochs.
    private(set) var epochs = 0
    /// Number of epochs with a position.
    private(set) var positions = 0
    /// Digest of all fixes.
    private var digest = Digest()
    private var lastTime: UTCTime?

    /// A receiver that returns may repeat its last fix.
    mutating func reopened() { lastTime = nil }

    mutating func check(_ fix: Fix) {
        epochs += 1
        // POSIX time: a leap second and the second after it have the same number.
        let isNew = fix.time.map { $0 != lastTime || $0.millisecondsOfDay < 1000 } ?? true
        Invariant.check(isNew, "an epoch has one fix: \(fix)")
        // Only consecutive fixes: after an epoch without a date, the same time can occur again.
        // `LateSentenceTests` covers duplicates around an epoch without a time, which a fix cannot
        // distinguish.
        lastTime = fix.time
        checkPosition(fix)
        checkNumbers(fix)
        put(fix)
    }

    private mutating func checkPosition(_ fix: Fix) {
        Invariant.check(
            (fix.mode == .none) == (fix.coordinate == nil), "a fix has a mode exactly if it has a position: \(fix)")
        Invariant.check(
            (fix.accuracySource == nil) == (fix.horizontalAccuracy == nil),
            "an accuracy has a source: \(fix)")
        guard let coordinate = fix.coordinate else {
            return Invariant.check(fix.horizontalAccuracy == nil, "a fix without a position has no accuracy: \(fix)")
        }
        positions += 1
        Invariant.check((-90...90).contains(coordinate.latitude), "the latitude is in range: \(fix)")
        Invariant.check((-180...180).contains(coordinate.longitude), "the longitude is in range: \(fix)")
        Invariant.check(![.none, .manual, .simulated].contains(fix.quality), "the quality allows a position: \(fix)")
        guard let accuracy = fix.horizontalAccuracy else { Invariant.violated("a position has an accuracy: \(fix)") }
        Invariant.check(accuracy > 0 && accuracy < 1e6, "the accuracy is positive and finite: \(fix)")
    }

    private func checkNumbers(_ fix: Fix) {
        Invariant.check(
            fix.verticalAccuracy.map { $0 > 0 && $0 < 1e6 } ?? true,
            "the vertical accuracy is positive and finite: \(fix)")
        Invariant.check(
            fix.verticalAccuracy == nil || fix.altitude ?? fix.ellipsoidalAltitude != nil,
            "a vertical accuracy requires an altitude: \(fix)")
        Invariant.check(
            abs(fix.altitude ?? 0) < 3e9 && abs(fix.ellipsoidalAltitude ?? 0) < 3e9, "the altitude is finite: \(fix)")
        Invariant.check((0..<1e9).contains(fix.speed ?? 0), "the speed is at least 0: \(fix)")
        Invariant.check((0..<360).contains(fix.course ?? 0), "the course is in 0 ..< 360: \(fix)")
        Invariant.check(
            fix.hdop.map { (0.01..<1000).contains($0) && !(99...100).contains($0) } ?? true,
            "the HDOP is not a placeholder: \(fix)")
        Invariant.check((0...255).contains(fix.satellitesUsed ?? 0), "the number of satellites is in range: \(fix)")
        Invariant.check(
            (fix.speedAccuracy ?? 1) > 0 && (fix.speedAccuracy ?? 1).isFinite,
            "the speed accuracy is positive and finite: \(fix)")
        Invariant.check(
            (fix.courseAccuracy ?? 1) > 0 && (fix.courseAccuracy ?? 1).isFinite,
            "the course accuracy is positive and finite: \(fix)")
    }

    private mutating func put(_ fix: Fix) {
        digest.put(fix.time?.milliseconds ?? -1)
        put(fix.coordinate?.latitude, fix.coordinate?.longitude, fix.horizontalAccuracy)
        put(fix.altitude, fix.ellipsoidalAltitude, fix.verticalAccuracy)
        put(fix.speed, fix.course, fix.hdop)
        digest.put(fix.satellitesUsed ?? -1)
        digest.put(fix.quality.rawValue)
        digest.put(fix.mode.rawValue)
    }

    private mutating func put(_ values: Double?...) {
        for value in values { digest.put(value ?? -1e300) }
    }
}
