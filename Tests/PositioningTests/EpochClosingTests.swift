import Chronology
import Testing

@testable import Positioning

/// When an epoch is found to be over, drawn in columns of 20 ms.
@Suite struct EpochClosingTests {
    private func play(_ sentences: String, _ times: String, column: Int64 = 20, step: Int = 1000) -> String {
        var drawing = Drawing(column: column, step: step)
        return drawing.play(sentences, times)
    }

    /// 80 ms without a byte at first, a tenth of the period once it is known.
    @Test func theLineFallsIdle() {
        let closings = play(
            "GR        RG        VGR       ",
            "11        22         33       ")
        #expect(
            closings  //
                == "     1         2           3")
    }

    @Test func anotherTimeComes() {
        let closings = play(
            "GRVGRVRGV      ",
            "11 22 33       ")
        #expect(
            closings  //
                == "   1  2      3")
    }

    /// GSA and GSV tell no time: in a stream without pauses they stay with the epoch that is open.
    @Test func untimedSentencesEndNothing() {
        let closings = play(
            "GASSVRASSVGASSVR      ",
            "1    1    2    2      ")
        #expect(
            closings  //
                == "          1        2")
    }

    @Test func bytesThatAreNoSentenceHoldTheLine() {
        let closings = play(
            "GR~~~~~~       ",
            "11             ")
        #expect(
            closings  //
                == "           1")
    }

    /// A burst that never ends: 2.4 s at first, 1.2 periods once the period is known.
    @Test func theHardLimit() {
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

    /// No epoch, nothing due: the daemon sleeps.
    @Test func nothingIsDueBetweenEpochs() throws {
        var bench = Bench()
        #expect(bench.assembler.deadline == nil)
        #expect(bench.send([Say.gsv, Say.gsa(), Say.vtg, "GPTXT,01,01,02,hello"], pause: .seconds(1)).isEmpty)
        #expect(bench.assembler.deadline == nil)
        #expect(bench.send([Say.gga("120000.00")], pause: .zero).isEmpty)
        #expect(bench.assembler.deadline == bench.now + .milliseconds(80))
        #expect(bench.rest().count == 1)
        #expect(bench.assembler.deadline == nil)
    }

    @Test func theEndOfTheInputEndsTheEpoch() {
        var bench = Bench()
        #expect(bench.send([Say.gga("120000.00")], pause: .zero).isEmpty)
        #expect(bench.assembler.finish(at: bench.now) != nil)
        #expect(bench.assembler.finish(at: bench.now) == nil)
    }

    /// A receiver that knows no time repeats the same sentence.
    @Test func untimedEpochsEndWhenTheyRepeat() {
        let closings = play("RGVRGVRGV      ", "")
        #expect(
            closings  //
                == "   -  -     -")
    }

    /// By then GGA is known to be the last.
    @Test func theFirstTimeEndsTheUntimed() {
        let closings = play(
            "RGRGRGRG     ",
            "    1122     ")
        #expect(
            closings  //
                == "  - - 12")
    }

    @Test func errorsOfAnotherTimeEndTheEpoch() {
        let closings = play(
            "GRTTGR       ",
            "111222       ")
        #expect(
            closings  //
                == "   1     2")
    }

    /// ZDA may run seconds beside the fixes; it parts only epochs that nothing else tells apart.
    @Test func theClockEndsNothing() {
        let closings = play(
            "GRZGRZ       ",
            "113224       ")
        #expect(
            closings  //
                == "   1     2")
    }

    @Test func theClockIsTheOnlyTime() {
        let closings = play(
            "LZLZLZ       ",
            " 1 2 3       ")
        #expect(
            closings  //
                == "  1 2     3")
    }
}
