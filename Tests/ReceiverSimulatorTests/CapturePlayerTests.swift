import Chronology
import SimulatedPort
import Testing

@testable import ReceiverSimulator

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
