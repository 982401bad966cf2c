import Testing

@testable import Positioning

/// Sentences that contradict each other on the kind of fix: the worst counts.
@Suite struct QualityTests {
    private static let t = "120000.00"

    static let table: [(name: String, burst: [String], quality: FixQuality)] = [
        ("GGA 1 and RMC A", [Body.gga(t), Body.rmc(t)], .autonomous),
        ("GGA 2 and RMC A,D", [Body.gga(t, quality: 2), Body.rmc(t, mode: ",D")], .differential),
        ("GGA 2 and RMC A,A", [Body.gga(t, quality: 2), Body.rmc(t)], .differential),
        ("GGA 3", [Body.gga(t, quality: 3)], .precise),
        ("GGA 4 and RMC A,R", [Body.gga(t, quality: 4), Body.rmc(t, mode: ",R")], .rtkFixed),
        ("GGA 5 and RMC A,F,V", [Body.gga(t, quality: 5), Body.rmc(t, mode: ",F,V")], .rtkFloat),
        ("GGA 9 is NovAtel's SBAS", [Body.gga(t, quality: 9)], .differential),
        ("GGA 6 and RMC A,E", [Body.gga(t, quality: 6), Body.rmc(t, mode: ",E")], .estimated),
        ("GGA 6 and RMC V,E", [Body.gga(t, quality: 6), Body.rmc(t, status: "V", mode: ",E")], .estimated),
        ("GGA 7", [Body.gga(t, quality: 7)], .manual),
        ("GGA 8", [Body.gga(t, quality: 8)], .simulated),
        ("GGA 1 and RMC A,S", [Body.gga(t, quality: 8), Body.rmc(t, mode: ",S")], .simulated),
        ("GGA 0", [Body.gga(t, quality: 0)], .none),
        ("GGA 0 and RMC A", [Body.gga(t, quality: 0), Body.rmc(t)], .none),
        ("GGA 1 and RMC V", [Body.gga(t), Body.rmc(t, status: "V", mode: ",N")], .none),
        ("GGA 1 and RMC A,N", [Body.gga(t), Body.rmc(t, mode: ",N")], .none),
        ("RMC A without a mode", [Body.rmc(t, mode: "")], .autonomous),
        ("RMC A,D", [Body.rmc(t, mode: ",D")], .differential),
        ("RMC A,N", [Body.rmc(t, mode: ",N")], .none),
        ("RMC V", [Body.rmc(t, status: "V", mode: "")], .none),
        ("RMC A,A,V of u-blox", [Body.rmc(t, mode: ",A,V")], .autonomous),
        ("GLL A,D", [Body.gll(t, mode: ",D")], .differential),
        ("GLL V", [Body.gll(t, status: "V", mode: ",N")], .none),
        ("GLL V and RMC A: RMC counts", [Body.gll(t, status: "V", mode: ""), Body.rmc(t, mode: "")], .autonomous),
        ("GLL before 2.0", ["GPGLL,4717.113,N,00833.915,E"], .autonomous),
        ("GNS DA", [Body.gns(t, mode: "DA")], .differential),
        ("GNS NN", [Body.gns(t, mode: "NN")], .none),
        ("GSA 1 and GLL A", [Body.gll(t, mode: ""), Body.gsa(1)], .none),
        ("PUBX G3", [Body.pubx(t)], .autonomous),
        (
            "PUBX NF and GGA 1", [Body.gga(t), "PUBX,00,\(t),,,,,0,NF,5303316,3755313,0,0,0,,99.99,99.99,99.99,0,0,0"],
            .none
        ),
        ("PUBX DR", ["PUBX,00,\(t),\(Body.place),547,DR,50,60,18.5,77.5,0,,1.0,1.7,1.0,0,0,0"], .estimated),
    ]

    @Test(arguments: table.map(\.name))
    func `contradicting sentences give the lowest quality`(name: String) throws {
        let row = try #require(Self.table.first { $0.name == name })
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst(row.burst).first)
        #expect(fix.quality == row.quality)
        #expect((fix.coordinate != nil) == row.quality.isPosition)
        #expect((fix.mode != .none) == row.quality.isPosition)
        #expect((fix.horizontalAccuracy != nil) == row.quality.isPosition)
    }

    @Test func `a quality without a position is none`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst(["GPRMC,120000,A,,,,,0.0,,211126,,,A"]).first)
        #expect(fix.quality == .none)
        #expect(fix.mode == .none)
    }
}
