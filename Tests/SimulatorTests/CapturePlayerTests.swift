import Chronology
import Simulator
import Testing

@testable import Simulator

@Suite struct CapturePlayerTests {
    private func bytes(_ lines: String...) -> [UInt8] { Array(lines.map { $0 + "\r\n" }.joined().utf8) }

    private func play(_ bytes: [UInt8], speed: Double = 1, loops: Bool = false, count: Int = .max) -> [(Double, String)]
    {
        var player = CapturePlayer(bytes, speed: speed, loops: loops)
        var bursts: [(Double, String)] = []
        while player.deadline != nil, bursts.count < count {
            let burst = player.burst()
            bursts.append(((burst.instant - .zero).seconds, lines(burst.bytes).map(kind).joined(separator: " ")))
        }
        return bursts
    }

    private let drive = Array(
        """
        # Name: three epochs
        $GPTXT,01,01,02,boot
        $GPRMC,235958.50,A,,,,,,,010126,,
        $GPGGA,235958.50,,,,,1,,,,,,,,
        $GPGSV,1,1,00
        $GPRMC,235959.50,A,,,,,,,010126,,
        $GPGGA,235959.50,,,,,1,,,,,,,,
        $PGRMC,nonsense
        $GPRMC,000001.50,A,,,,,,,020126,,
        """.utf8)

    @Test func `bursts are timed by their sentences`() {
        let bursts = play(drive)
        #expect(bursts.map(\.0) == [0, 1, 3])
        #expect(bursts.map(\.1) == ["TXT RMC GGA GSV", "RMC GGA PGRMC", "RMC"])
        #expect(play(drive, speed: 10).map(\.0) == [0, 0.1, 0.3])
    }

    @Test func `a looped capture continues after one period`() {
        #expect(play(drive, loops: true, count: 5).map(\.0) == [0, 1, 3, 5, 6])
    }

    @Test func `without times the first sentence type starts each burst`() {
        let silent = bytes(
            "$GPRMC,,V,,,,,,,,,,N", "$GPGGA,,,,,,0,,,,,,,,", "$GPRMC,,V,,,,,,,,,,N", "$GPGGA,,,,,,0,,,,,,,,")
        #expect(play(silent).map(\.0) == [0, 1])
    }

    /// `PUBX,03` has the number of satellites where `PUBX,00` and `PUBX,04` have a time.
    @Test func `a burst that begins with a u-blox sentence is one part`() {
        let capture = (10...12).flatMap { second in
            [
                "$PUBX,00,1200\(second).00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,"
                    + "1.19,0.77,9,0,0",
                "$PUBX,03,01,23,U,281,23,38,026",
                "$PUBX,04,1200\(second).00,010126,388800.00,2399,18,1930035,-2660.664,43",
            ]
        }
        let bursts = play(Array(capture.map { $0 + "\r\n" }.joined().utf8))
        #expect(bursts.map(\.0) == [0, 1, 2])
        #expect(bursts.map(\.1) == Array(repeating: "PUBX PUBX PUBX", count: 3))
    }

    @Test(arguments: [
        "PGRMF,290,293895,211126,TIME,13,5213.1439,N,02100.6511,E,A,2,36,226,2,1",
        "PQTMPVT,1,31075000,20261121,TIME,0,3,9,18,31.12738291,117.26372910,34.2,5.2,3.2,2.9,0.2,4.3,34.12,2.16,4.3",
        "PSTI,030,TIME,A,4404.1296473,N,12118.8685846,W,1102.317,3.00,-4.00,0.12,211126,R,0.0,0.0",
        "PASHR,POS,1,05,TIME,2037.76012,N,08704.07373,W,058.48,,359.4,010.0,+000.0,2.2,1.2,0.0,1.0,BQ00",
        "PTNL,GGK,TIME,112126,3403.47162394,N,11711.80927093,W,3,10,2.9,EHT371.467,M",
    ])
    func `sentences of makers with a solution are timed`(body: String) {
        let parts = body.split(separator: "TIME", omittingEmptySubsequences: false)
        let capture = (10...12).map { "$" + parts.joined(separator: "1200\($0)") + "\r\n" }
        #expect(play(Array(capture.joined().utf8)).map(\.0) == [0, 1, 2])
    }

    /// `PQTMGPS` has no time of day.
    @Test func `a solution without a time does not delay bursts that have times`() {
        let solution = "$PQTMGPS,86139,94183,31.82218794,117.11579022,65.755080,0.027,94.68,2.533952,0.555471,0.8,29,3"
        let timed = bytes(
            solution, "$GPRMC,120000.00,A,,,,,,,010126,,", solution, "$GPRMC,120001.00,A,,,,,,,010126,,", solution,
            "$GPRMC,120002.00,A,,,,,,,010126,,")
        #expect(play(timed).map(\.0) == [0, 1, 2])
        #expect(play(bytes(solution, "$PUBX,03,00", solution, solution)).map(\.0) == [0, 1, 2])
    }

    @Test func `damaged sentences do not affect the timing`() {
        let damaged = bytes(
            "$GPZDA,100000,01,01,2026,00,00*4F", "$GPGGA,170000,,,,,1,,,,,,,,*00", "$GPZDA,100001,01,01,2026,00,00*4E")
        #expect(play(damaged).count == 2)
    }

    @Test func `playback neither changes nor drops bytes`() throws {
        var noise = RandomSource(seed: 3, purpose: 9)
        let random = (0..<20_000).map { _ in UInt8(truncatingIfNeeded: noise.next()) }.filter {
            $0 != UInt8(ascii: "#")
        }
        for recorded in [random, Array(random.prefix(1)), [10, 10, 10]] {
            var player = CapturePlayer(recorded)
            var played: [UInt8] = []
            while player.deadline != nil { played += player.burst().bytes }
            #expect(played == recorded)
        }
    }

    @Test func `a missing file is named in the error`() {
        #expect {
            _ = try SimulatorOptions.Source.file(at: "/nowhere/at.all")
        } throws: { error in
            "\(error)" == "opening /nowhere/at.all: No such file or directory"
        }
    }
}
