import Chronology
import NMEA
import TestSupport
import Testing

@testable import Positioning

/// Exactly one fix for each epoch, for any order of the burst.
@Suite struct EpochOrderTests {
    /// The orders of known receivers.
    static let orders: [(make: String, burst: String)] = [
        ("u-blox", "RVGAAASSSSL"), ("u-blox with errors", "RVGAASSLTBZ"), ("u-blox with PUBX", "RVGASSLTP"),
        ("MediaTek", "GASSRV"),
        ("SiRF", "GASR"),
        ("CASIC", "GLAASSRVZX"), ("Garmin", "RGASS"), ("FLARM", "RGA"), ("Quectel", "GAASSRVL"), ("Trimble", "NNGZRTA"),
        ("GGA alone", "G"),
        ("RMC alone", "R"),
        ("GLL alone", "L"), ("Furuno", "ANGRZSSS"), ("SkyTraq", "GLASSRVZT"), ("plotter", "GLRVZ"),
    ]

    /// Plays epochs with 60 ms between sentences and `pause` after each burst; returns the seconds
    /// of the fixes.
    private func fixSeconds(_ bursts: [String], pause: Int64) -> [Int] {
        let fixes = fixes(of: bursts, pause: pause)
        #expect(fixes.allSatisfy { $0.coordinate != nil })
        return fixes.map { ($0.time?.millisecondsOfDay ?? -1) / 1000 - 43_200 }
    }

    private func fixes(of bursts: [String], pause: Int64) -> [Fix] {
        var pipeline = FixPipeline()
        var fixes: [Fix] = []
        for (second, burst) in bursts.enumerated() {
            let clock = Body.clock(43_200_000 + second * 1000)
            for (index, sign) in burst.enumerated() {
                fixes += pipeline.send([Body.of(sign, at: clock) ?? ""], pause: .milliseconds(index == 0 ? pause : 60))
            }
        }
        return fixes + pipeline.finishBurst()
    }

    /// With an idle line between the bursts, with a pause too short for that, and without a pause.
    @Test(arguments: orders.map(\.burst), [Int64(400), 90, 60])
    func `sentence orders of known receivers give one fix for each epoch`(burst: String, pause: Int64) {
        let seconds = fixSeconds(Array(repeating: burst, count: 12), pause: pause)
        let isDated = burst.contains { "RZ".contains($0) }
        #expect(isDated ? seconds == Array(0..<12) : seconds.count == 12)
    }

    /// An epoch that closes immediately has all data of its burst, regardless of their place in the
    /// burst.
    @Test(arguments: orders.map(\.burst))
    func `the fix has all data of its burst`(burst: String) {
        for fix in fixes(of: Array(repeating: burst, count: 12), pause: 400) {
            #expect((fix.speed != nil) == burst.contains { "RVP".contains($0) })
            #expect((fix.altitude != nil) == burst.contains { "GN".contains($0) })
            let source: AccuracySource =
                burst.contains("P")
                ? .pubx : burst.contains("T") ? .gst : burst.contains { "GNA".contains($0) } ? .hdop : .assumed
            #expect(fix.accuracySource == source)
        }
    }

    @Test(arguments: 0..<60)
    func `any fixed order gives one fix for each epoch`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let burst = String(Array("RGLNPTBVAASSZX").shuffled(using: &generator))
        for pause in [Int64(400), 90, 60] {
            #expect(
                fixSeconds(Array(repeating: burst, count: 12), pause: pause) == Array(0..<12),
                "\(burst), pause \(pause)")
        }
    }

    /// Every burst has its own order and its own omissions; RMC is always present, so that each has
    /// a date.
    @Test(arguments: 0..<60)
    func `any changing order gives one fix for each epoch`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(1000 + seed))
        let bursts = (0..<20).map { _ in
            String(
                (Array("GLNPTBVASZX").filter { _ in Bool.random(using: &generator) } + ["R"]).shuffled(
                    using: &generator))
        }
        for pause in [Int64(400), 60] {
            #expect(fixSeconds(bursts, pause: pause) == Array(0..<20), "\(bursts), pause \(pause)")
        }
    }
}
