import Chronology
import NMEA
import Testing

@testable import Positioning

/// Exactly one fix for each epoch, whatever the order of the burst.
@Suite struct EpochOrderTests {
    /// The orders of the makes (`nmea.md` section 11).
    static let orders: [(make: String, burst: String)] = [
        ("u-blox", "RVGAAASSSSL"), ("u-blox with errors", "RVGAASSLTBZ"), ("u-blox with PUBX", "RVGASSLTP"), ("MediaTek", "GASSRV"),
        ("SiRF", "GASR"),
        ("CASIC", "GLAASSRVZX"), ("Garmin", "RGASS"), ("FLARM", "RGA"), ("Quectel", "GAASSRVL"), ("Trimble", "NNGZRTA"), ("GGA alone", "G"),
        ("RMC alone", "R"),
        ("GLL alone", "L"), ("Furuno", "ANGRZSSS"), ("SkyTraq", "GLASSRVZT"), ("plotter", "GLRVZ"),
    ]

    /// Plays epochs with 60 ms from sentence to sentence and `pause` after each burst; returns the seconds of the fixes.
    private func play(_ bursts: [String], pause: Int64) -> [Int] {
        let fixes = fixes(of: bursts, pause: pause)
        #expect(fixes.allSatisfy { $0.coordinate != nil })
        return fixes.map { ($0.time?.millisecondsOfDay ?? -1) / 1000 - 43_200 }
    }

    private func fixes(of bursts: [String], pause: Int64) -> [Fix] {
        var bench = Bench()
        var fixes: [Fix] = []
        for (second, burst) in bursts.enumerated() {
            let clock = Say.clock(43_200_000 + second * 1000)
            for (at, sign) in burst.enumerated() {
                fixes += bench.send([body(sign, clock)], pause: .milliseconds(at == 0 ? pause : 60))
            }
        }
        return fixes + bench.rest()
    }

    private func body(_ sign: Character, _ clock: String) -> String {
        switch sign {
        case "G": Say.gga(clock)
        case "R": Say.rmc(clock)
        case "L": Say.gll(clock)
        case "N": Say.gns(clock)
        case "P": Say.pubx(clock)
        case "T": Say.gst(clock)
        case "B": Say.gbs(clock)
        case "V": Say.vtg
        case "A": Say.gsa()
        case "S": Say.gsv
        case "Z": Say.zda(clock)
        default: "GPTXT,01,01,02,hello"
        }
    }

    /// With the line idle between the bursts, with too short a pause for that, and with none at all.
    @Test(arguments: orders.map(\.burst), [Int64(400), 90, 60])
    func ofTheMakes(burst: String, pause: Int64) {
        let seconds = play(Array(repeating: burst, count: 12), pause: pause)
        let isDated = burst.contains { "RZ".contains($0) }
        #expect(isDated ? seconds == Array(0..<12) : seconds.count == 12)
    }

    /// An epoch that is closed at once holds all that its burst said, wherever in the burst it stood.
    @Test(arguments: orders.map(\.burst))
    func nothingOfTheBurstIsLost(burst: String) {
        for fix in fixes(of: Array(repeating: burst, count: 12), pause: 400) {
            #expect((fix.speed != nil) == burst.contains { "RVP".contains($0) })
            #expect((fix.altitude != nil) == burst.contains { "GN".contains($0) })
            let source: AccuracySource =
                burst.contains("P") ? .pubx : burst.contains("T") ? .gst : burst.contains { "GNA".contains($0) } ? .hdop : .assumed
            #expect(fix.accuracySource == source)
        }
    }

    @Test(arguments: 0..<60)
    func inAnyOrder(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let burst = String(Array("RGLNPTBVAASSZX").shuffled(using: &generator))
        for pause in [Int64(400), 90, 60] {
            #expect(play(Array(repeating: burst, count: 12), pause: pause) == Array(0..<12), "\(burst), pause \(pause)")
        }
    }

    /// Every burst with its own order and its own gaps; RMC never missing, so that each has a date.
    @Test(arguments: 0..<60)
    func inAnyOrderThatChanges(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(1000 + seed))
        let bursts = (0..<20).map { _ in
            String((Array("GLNPTBVASZX").filter { _ in Bool.random(using: &generator) } + ["R"]).shuffled(using: &generator))
        }
        for pause in [Int64(400), 60] {
            #expect(play(bursts, pause: pause) == Array(0..<20), "\(bursts), pause \(pause)")
        }
    }
}

/// Random numbers that are the same on every machine (SplitMix64; Steele, Lea, Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
