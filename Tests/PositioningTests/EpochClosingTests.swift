import Chronology
import Testing

@testable import Positioning

/// The column, 20 ms each, in which an epoch closes.
@Suite struct EpochClosingTests {
    private func play(_ sentences: String, _ times: String, column: Int64 = 20, step: Int = 1000) -> String {
        var drawing = Drawing(column: column, step: step)
        return drawing.play(sentences, times)
    }

    /// 80 ms without a byte at first, a tenth of the period once it is known.
    @Test func `an idle line closes the epoch`() {
        let closings = play(
            "GR        RG        VGR       ",
            "11        22         33       ")
        #expect(
            closings  //
                == "     1         2           3")
    }

    @Test func `another time closes the epoch`() {
        let closings = play(
            "GRVGRVRGV      ",
            "11 22 33       ")
        #expect(
            closings  //
                == "   1  2      3")
    }

    /// GSA and GSV state no time: in a stream without pauses they belong to the open epoch.
    @Test func `sentences without a time close nothing`() {
        let closings = play(
            "GASSVRASSVGASSVR      ",
            "1    1    2    2      ")
        #expect(
            closings  //
                == "          1        2")
    }

    @Test func `bytes that are not sentences keep the line busy`() {
        let closings = play(
            "GR~~~~~~       ",
            "11             ")
        #expect(
            closings  //
                == "           1")
    }

    /// An endless burst: 2.4 s at first, 1.2 periods once the period is known.
    @Test func `an endless burst ends at the hard limit`() {
        let closings = play(
            "G" + String(repeating: "~", count: 200),
            "1")
        #expect(closings == String(repeating: " ", count: 120) + "1")
        let fast = play(
            "G       G       G" + String(repeating: "~", count: 30),
            "1       2       3", column: 10, step: 100)
        #expect(
            fast  //
                == "        1       2           3")
    }

    /// Without an open epoch nothing is due, and the daemon sleeps.
    @Test func `nothing is due between epochs`() throws {
        var bench = Bench()
        #expect(bench.assembler.deadline == nil)
        #expect(bench.send([Say.gsv, Say.gsa(), Say.vtg, "GPTXT,01,01,02,hello"], pause: .seconds(1)).isEmpty)
        #expect(bench.assembler.deadline == nil)
        #expect(bench.send([Say.gga("120000.00")], pause: .zero).isEmpty)
        #expect(bench.assembler.deadline == bench.now + .milliseconds(80))
        #expect(bench.rest().count == 1)
        #expect(bench.assembler.deadline == nil)
    }

    @Test func `the end of the input closes the epoch`() {
        var bench = Bench()
        #expect(bench.send([Say.gga("120000.00")], pause: .zero).isEmpty)
        #expect(bench.assembler.finish(at: bench.now) != nil)
        #expect(bench.assembler.finish(at: bench.now) == nil)
    }

    /// A receiver without a time repeats the same sentence.
    @Test func `epochs without a time close when a sentence repeats`() {
        let closings = play("RGVRGVRGV      ", "")
        #expect(
            closings  //
                == "   -  -     -")
    }

    /// By now GGA is known to be the last sentence.
    @Test func `the first time closes an epoch without a time`() {
        let closings = play(
            "RGRGRGRG     ",
            "    1122     ")
        #expect(
            closings  //
                == "  - - 12")
    }

    @Test func `GST of another time closes the epoch`() {
        let closings = play(
            "GRTTGR       ",
            "111222       ")
        #expect(
            closings  //
                == "   1     2")
    }

    /// ZDA may be seconds off the fixes; it separates only epochs without another time.
    @Test func `the clock of ZDA closes no epoch with a time`() {
        let closings = play(
            "GRZGRZ       ",
            "113224       ")
        #expect(
            closings  //
                == "   1     2")
    }

    @Test func `the clock of ZDA separates epochs without another time`() {
        let closings = play(
            "LZLZLZ       ",
            " 1 2 3       ")
        #expect(
            closings  //
                == "  1 2     3")
    }
}
