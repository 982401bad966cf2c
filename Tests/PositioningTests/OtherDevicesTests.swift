import Testing

/// A boat's multiplexer inserts wind, depth, heading and AIS between the sentences of a receiver.
@Suite struct OtherDevicesTests {
    private static let others = [
        "AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0", "WIMWV,214.8,R,0.1,K,A", "SDDBT,8.1,f,2.4,M,1.3,F",
        "SDDPT,2.4,0.0",
        "HCHDG,101.1,,,7.1,W", "HCHDM,93.8,M", "VWVHW,,T,101.5,M,0.0,N,0.0,K", "GNTHS,1.5,A",
        "GNHPR,120000.00,90.1,0.2,0.0,4,14,1.00,0004", "PSAT,HPR,120000.00,89.58,3.35,,N",
        "PTNL,AVR,120000.0,+149.4688,Yaw,+0.0134,Tilt,,,60.191,3,2.5,6",
        "PSTI,036,120000.000,211126,244.28,2.77,0.00,R",
        "PQTMTAR,1,120000.000,6,,1.729,-1.316205,-0.713165,84.344437,0.146003,0.296450,0.045169,00",
        "PSSN,HRP,120000.00,200826,123.456,0.120,-1.340,0.200,0.900,0.400,14,2,1.5,E",
        "KSXT,20260820120000.00,-0.1,45.6,98.7,123.45,-1.3,90.0,1.2,0.1,3,3,14,14,,,",
        "PGLOR,0,FIX,12.5", "PGLOR,0,STA,120000.00,0.0,0.0,0,0,77,8,P,F,L,1,C,1,S,1,1",
        "TIROT,35.6,A", "GPGRS,120000.00,1,-1.8,-2.7,0.3,,,,,,,,,", "PFLAU,2,1,2,1,1,-30,2,-32,755,1", "PGRMZ,2282,f,3",
        "PGRMM,WGS 84",
        "PASHR,204132.000,010.51,T,+00.39,-00.79,-00.84,0.151,0.075,0.555,1,0",
        "PSTI,032,120000.000,211126,A,R,1,2,3,4,5,,,,,",
        "PMTK001,314,3",
    ]

    @Test func `sentences of other devices do not change the fixes`() {
        var alone = FixPipeline()
        var aboard = FixPipeline()
        for second in 0..<20 {
            let time = Body.clock(43_200_000 + second * 1000)
            let burst = [Body.rmc(time), Body.gga(time), Body.gsa(), Body.gsv]
            // The order differs every second.
            let mixed = burst.enumerated().flatMap { index, body in
                [Self.others[(second * 5 + index * 3) % Self.others.count], body]
            }
            let wanted = alone.burst(burst)
            #expect(wanted.count == 1)
            #expect(aboard.burst(mixed + [Self.others[second % Self.others.count]]) == wanted)
        }
    }
}
