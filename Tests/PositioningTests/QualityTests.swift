import Testing

@testable import Positioning

/// Sentences that contradict each other on the kind of fix: the worst counts.
@Suite struct QualityTests {
    private static let t = "120000.00"

    static let table: [(name: String, burst: [String], quality: FixQuality)] = [
        ("GGA 1 and RMC A", [Say.gga(t), Say.rmc(t)], .autonomous),
        ("GGA 2 and RMC A,D", [Say.gga(t, quality: 2), Say.rmc(t, mode: ",D")], .differential),
        ("GGA 2 and RMC A,A", [Say.gga(t, quality: 2), Say.rmc(t)], .differential),
        ("GGA 3", [Say.gga(t, quality: 3)], .precise),
        ("GGA 4 and RMC A,R", [Say.gga(t, quality: 4), Say.rmc(t, mode: ",R")], .rtkFixed),
        ("GGA 5 and RMC A,F,V", [Say.gga(t, quality: 5), Say.rmc(t, mode: ",F,V")], .rtkFloat),
        ("GGA 9 is NovAtel's SBAS", [Say.gga(t, quality: 9)], .differential),
        ("GGA 6 and RMC A,E", [Say.gga(t, quality: 6), Say.rmc(t, mode: ",E")], .estimated),
        ("GGA 6 and RMC V,E", [Say.gga(t, quality: 6), Say.rmc(t, status: "V", mode: ",E")], .estimated),
        ("GGA 7", [Say.gga(t, quality: 7)], .manual),
        ("GGA 8", [Say.gga(t, quality: 8)], .simulated),
        ("GGA 1 and RMC A,S", [Say.gga(t, quality: 8), Say.rmc(t, mode: ",S")], .simulated),
        ("GGA 0", [Say.gga(t, quality: 0)], .none),
        ("GGA 0 and RMC A", [Say.gga(t, quality: 0), Say.rmc(t)], .none),
        ("GGA 1 and RMC V", [Say.gga(t), Say.rmc(t, status: "V", mode: ",N")], .none),
        ("GGA 1 and RMC A,N", [Say.gga(t), Say.rmc(t, mode: ",N")], .none),
        ("RMC A without a mode", [Say.rmc(t, mode: "")], .autonomous),
        ("RMC A,D", [Say.rmc(t, mode: ",D")], .differential),
        ("RMC A,N", [Say.rmc(t, mode: ",N")], .none),
        ("RMC V", [Say.rmc(t, status: "V", mode: "")], .none),
        ("RMC A,A,V of u-blox", [Say.rmc(t, mode: ",A,V")], .autonomous),
        ("GLL A,D", [Say.gll(t, mode: ",D")], .differential),
        ("GLL V", [Say.gll(t, status: "V", mode: ",N")], .none),
        ("GLL V and RMC A: RMC is believed", [Say.gll(t, status: "V", mode: ""), Say.rmc(t, mode: "")], .autonomous),
        ("GLL before 2.0", ["GPGLL,4717.113,N,00833.915,E"], .autonomous),
        ("GNS DA", [Say.gns(t, mode: "DA")], .differential),
        ("GNS NN", [Say.gns(t, mode: "NN")], .none),
        ("GSA 1 and GLL A", [Say.gll(t, mode: ""), Say.gsa(1)], .none),
        ("PUBX G3", [Say.pubx(t)], .autonomous),
        (
            "PUBX NF and GGA 1", [Say.gga(t), "PUBX,00,\(t),,,,,0,NF,5303316,3755313,0,0,0,,99.99,99.99,99.99,0,0,0"],
            .none
        ),
        ("PUBX DR", ["PUBX,00,\(t),\(Say.place),547,DR,50,60,18.5,77.5,0,,1.0,1.7,1.0,0,0,0"], .estimated),
    ]

    @Test(arguments: table.map(\.name))
    func `contradicting sentences give the lowest quality`(name: String) throws {
        let row = try #require(Self.table.first { $0.name == name })
        var bench = Bench()
        let fix = try #require(bench.burst(row.burst).first)
        #expect(fix.quality == row.quality)
        #expect((fix.coordinate != nil) == row.quality.isPosition)
        #expect((fix.mode != .none) == row.quality.isPosition)
        #expect((fix.horizontalAccuracy != nil) == row.quality.isPosition)
    }

    /// Zeros with quality 0 are no position; with quality 1 they are one, in the Gulf of Guinea.
    @Test(arguments: [(0, false), (1, true)])
    func `zero coordinates are a position only with a fix`(quality: Int, isPlace: Bool) throws {
        var bench = Bench()
        let fix = try #require(
            bench.burst(["GPGGA,120000,0000.0000,N,00000.0000,E,\(quality),04,1.0,0.0,M,0.0,M,,"]).first)
        #expect((fix.coordinate != nil) == isPlace)
    }

    @Test func `a quality without a position is none`() throws {
        var bench = Bench()
        let fix = try #require(bench.burst(["GPRMC,120000,A,,,,,0.0,,211126,,,A"]).first)
        #expect(fix.quality == .none)
        #expect(fix.mode == .none)
    }
}
