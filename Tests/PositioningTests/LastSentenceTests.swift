import Chronology
import Testing

@testable import Positioning

/// The sentence a burst ends with is learned in three epochs, in two where the line rests, and from then on closes the epoch at once.
@Suite struct LastSentenceTests {
    private func play(_ sentences: String, _ times: String) -> String {
        var drawing = Drawing()
        return drawing.play(sentences, times)
    }

    @Test func threeLessonsAreEnough() {
        let closings = play(
            "GR      GR      GR      GR      GR      ",
            "11      22      33      44      55      ")
        #expect(
            closings  //
                == "     1       2        3  4       5")
    }

    /// Where 300 ms and more of silence follow, two epochs are enough.
    @Test func twoAreEnoughWhereTheLineRests() {
        let closings = play(
            "GR                  GR                  GR                  GR                  ",
            "11                  22                  33                  44                  ")
        #expect(
            closings  //
                == "     1                   2               3                   4")
    }

    /// What comes after a silence speaks against its having been the end.
    @Test func aPauseWithinTheBurstTeachesNothing() {
        let closings = play(
            "GR       V          GR       V          GR       V          ",
            "11                  22                  33                  ")
        #expect(
            closings  //
                == "     1                   2                    3")
    }

    /// A port that is opened in the middle of a burst: what is left of it costs no lesson, be it one sentence or all but one.
    @Test(arguments: ["V", "SV", "RV", "ASRV", "~V"])
    func theFirstBurstIsNotWhole(rest: String) {
        let first = String(repeating: " ", count: 6 - rest.count) + rest
        let closings = play(
            first + "                GASSRV                GASSRV                GASSRV                ",
            String(repeating: "1", count: 6) + "                2   2                 3   3                 4   4                 ")
        let hasCore = rest.contains("R")
        #expect(closings.filter { $0 != " " } == (hasCore ? "1234" : "234"))
        #expect(closings.count - 1 == 22 * 3 + 5, "the last epoch is closed by its last sentence")
    }

    @Test func anUntimedSentenceCanBeTheLast() {
        let closings = play(
            "RGV     RGV     RGV     RGV     RGV     ",
            "11      22      33      44      55      ")
        #expect(
            closings  //
                == "      1       2        3  4       5")
    }

    /// What comes after it in the same burst is of no epoch and makes none; the lesson is unlearned, and the next one takes six epochs.
    @Test func oneThatComesAfterItTakesTheBeliefBack() {
        let closings = play(
            "GR      GR      GR      GRL     GRL     GRL     GRL     GRL     GRL     GRL     GRL     ",
            "11      22      33      444     555     666     777     888     999     AAA     BBB     ")
        #expect(
            closings  //
                == "     1       2        3  4             5       6       7       8       9       A  B")
    }

    /// RMC every time, and GGA after it every fifth time: one GGA is lost to the lesson, and no more.
    @Test func aSentenceOfEveryFifthBurst() {
        var bench = Bench()
        var lost = 0
        for second in 0..<100 {
            let clock = Say.clock(43_200_000 + second * 1000)
            let fixes = bench.burst([Say.rmc(clock)] + (second % 5 == 4 ? [Say.gga(clock)] : []))
            #expect(fixes.count == 1)
            if second % 5 == 4 && fixes.first?.altitude == nil { lost += 1 }
        }
        #expect(lost == 1)
    }

    /// A sentence that stands both at the end and in the middle tells nothing.
    @Test func aSentenceThatComesTwiceTellsNothing() {
        let closings = play(
            "VGV     VGV     VGV     VGV     VGV     ",
            " 1       2       3       4       5      ")
        #expect(closings.filter { $0 != " " } == "12345")
        #expect(!closings.hasPrefix("                          4"))
    }

    /// With GSV in every fifth epoch the last sentence differs: no false end, one fix each.
    @Test func aTailThatVaries() {
        let closings = play(
            "GAR     GAR     GARS    GAR     GAR     GARS    GAR     GAR     GARS      ",
            "1 1     2 2     3 3     4 4     5 5     6 6     7 7     8 8     9 9     ")
        #expect(closings.filter { $0 != " " } == "123456789")
    }
}
