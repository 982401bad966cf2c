import Chronology
import Testing

@testable import Positioning

/// The column, 20 ms each, in which an epoch closes.
@Suite struct EpochClosingTests {
    private func closings(of sentences: String, times: String, column: Int64 = 20, step: Int = 1000) -> String {
        var drawing = Drawing(column: column, step: step)
        return drawing.closings(of: sentences, times: times)
    }

    /// 80 ms without a byte at first, a tenth of the period once it is known.
    @Test func `an idle line closes the epoch`() {
        let closings = closings(
            of: "GR        RG        VGR       ",
            times: "11        22         33       ")
        #expect(
            closings  //
                == "     1         2           3")
    }

    @Test func `another time closes the epoch`() {
        let closings = closings(
            of: "GRVGRVRGV      ",
            times: "11 22 33       ")
        #expect(
            closings  //
                == "   1  2      3")
    }

    /// GSA and GSV state no time: in a stream without pauses they belong to the open epoch.
    @Test func `sentences without a time close nothing`() {
        let closings = closings(
            of: "GASSVRASSVGASSVR      ",
            times: "1    1    2    2      ")
        #expect(
            closings  //
                == "          1        2")
    }

    @Test func `bytes that are not sentences keep the line busy`() {
        let closings = closings(
            of: "GR~~~~~~       ",
            times: "11             ")
        #expect(
            closings  //
                == "           1")
    }

    /// An endless burst: 2.4 s at first, 1.2 periods once the period is known.
    @Test func `an endless burst ends at the hard limit`() {
        let slow = closings(
            of: "G" + String(repeating: "~", count: 200),
            times: "1")
        #expect(slow == String(repeating: " ", count: 120) + "1")
        let fast = closings(
            of: "G       G       G" + String(repeating: "~", count: 30),
            times: "1       2       3", column: 10, step: 100)
        #expect(
            fast  //
                == "        1       2           3")
    }

    /// Without an open epoch nothing is due, and the daemon sleeps.
    @Test func `nothing is due between epochs`() throws {
        var pipeline = FixPipeline()
        #expect(pipeline.assembler.deadline == nil)
        #expect(pipeline.send([Body.gsv, Body.gsa(), Body.vtg, "GPTXT,01,01,02,hello"], pause: .seconds(1)).isEmpty)
        #expect(pipeline.assembler.deadline == nil)
        #expect(pipeline.send([Body.gga("120000.00")], pause: .zero).isEmpty)
        #expect(pipeline.assembler.deadline == pipeline.now + .milliseconds(80))
        #expect(pipeline.finishBurst().count == 1)
        #expect(pipeline.assembler.deadline == nil)
    }

    @Test func `the end of the input closes the epoch`() {
        var pipeline = FixPipeline()
        #expect(pipeline.send([Body.gga("120000.00")], pause: .zero).isEmpty)
        #expect(pipeline.assembler.finish(at: pipeline.now) != nil)
        #expect(pipeline.assembler.finish(at: pipeline.now) == nil)
    }

    /// A receiver without a time repeats the same sentence.
    @Test func `epochs without a time close when a sentence repeats`() {
        let closings = closings(of: "RGVRGVRGV      ", times: "")
        #expect(
            closings  //
                == "   -  -     -")
    }

    /// By now GGA is known to be the last sentence.
    @Test func `the first time closes an epoch without a time`() {
        let closings = closings(
            of: "RGRGRGRG     ",
            times: "    1122     ")
        #expect(
            closings  //
                == "  - - 12")
    }

    @Test func `GST of another time closes the epoch`() {
        let closings = closings(
            of: "GRTTGR       ",
            times: "111222       ")
        #expect(
            closings  //
                == "   1     2")
    }

    /// ZDA may be seconds off the fixes; it separates only epochs without another time.
    @Test func `the clock of ZDA closes no epoch with a time`() {
        let closings = closings(
            of: "GRZGRZ       ",
            times: "113224       ")
        #expect(
            closings  //
                == "   1     2")
    }

    @Test func `the clock of ZDA separates epochs without another time`() {
        let closings = closings(
            of: "LZLZLZ       ",
            times: " 1 2 3       ")
        #expect(
            closings  //
                == "  1 2     3")
    }
}
