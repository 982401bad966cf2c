import Chronology
import Positioning

/// What must be true of each fix, and of each after the one before.
struct FixCheck: Equatable {
    /// Epochs seen.
    private(set) var epochs = 0
    /// Of these, with a position.
    private(set) var positions = 0
    /// All that they said.
    private var digest = Digest()
    private var lastTime: UTCTime?

    /// A receiver that comes back may say again what it said last.
    mutating func reopened() { lastTime = nil }

    mutating func check(_ fix: Fix) {
        epochs += 1
        // A leap second is counted as POSIX does: the second after it has the same number.
        let isNew = fix.time.map { $0 != lastTime || $0.millisecondsOfDay < 1000 } ?? true
        expect(isNew, "one fix of each moment: \(fix)")
        // In a row: an epoch that could not be dated is of another moment too, and then the first may come again. Doubles around an epoch
        // without any time are `LateAndDoubleTests`' to find; a fix does not tell the two apart.
        lastTime = fix.time
        checkPosition(fix)
        checkNumbers(fix)
        put(fix)
    }

    private mutating func checkPosition(_ fix: Fix) {
        expect((fix.mode == .none) == (fix.coordinate == nil), "a mode where there is a position: \(fix)")
        expect((fix.accuracySource == nil) == (fix.horizontalAccuracy == nil), "an accuracy says where it comes from: \(fix)")
        guard let coordinate = fix.coordinate else { return expect(fix.horizontalAccuracy == nil, "no accuracy of nothing: \(fix)") }
        positions += 1
        expect((-90...90).contains(coordinate.latitude), "a latitude: \(fix)")
        expect((-180...180).contains(coordinate.longitude), "a longitude: \(fix)")
        expect(![.none, .manual, .simulated].contains(fix.quality), "a quality that is a position: \(fix)")
        guard let accuracy = fix.horizontalAccuracy else { broken("an accuracy with every position: \(fix)") }
        expect(accuracy > 0 && accuracy < 1e6, "R68 above nothing and finite: \(fix)")
    }

    private func checkNumbers(_ fix: Fix) {
        expect(fix.verticalAccuracy.map { $0 > 0 && $0 < 1e6 } ?? true, "a vertical accuracy above nothing and finite: \(fix)")
        expect(fix.verticalAccuracy == nil || fix.altitude ?? fix.ellipsoidalAltitude != nil, "no accuracy of no altitude: \(fix)")
        expect(abs(fix.altitude ?? 0) < 3e9 && abs(fix.ellipsoidalAltitude ?? 0) < 3e9, "a finite altitude: \(fix)")
        expect((0..<1e9).contains(fix.speed ?? 0), "a speed of 0 or more: \(fix)")
        expect((0..<360).contains(fix.course ?? 0), "a course of 0 ..< 360: \(fix)")
        expect(fix.hdop.map { (0.01..<1000).contains($0) && !(99...100).contains($0) } ?? true, "an HDOP that is no marker: \(fix)")
        expect((0...255).contains(fix.satellitesUsed ?? 0), "a number of satellites: \(fix)")
        expect((fix.speedAccuracy ?? 1) > 0 && (fix.speedAccuracy ?? 1).isFinite, "an accuracy of speed: \(fix)")
        expect((fix.courseAccuracy ?? 1) > 0 && (fix.courseAccuracy ?? 1).isFinite, "an accuracy of course: \(fix)")
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

    private mutating func put(_ a: Double?, _ b: Double?, _ c: Double?) {
        digest.put(a ?? -1e300)
        digest.put(b ?? -1e300)
        digest.put(c ?? -1e300)
    }
}
