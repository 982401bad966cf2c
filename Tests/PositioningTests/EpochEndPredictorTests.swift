import Testing

@testable import Positioning

/// The last sentence of a burst is learned in three epochs, or in two if the line is idle after it.
/// From then on it closes the epoch immediately.
@Suite struct EpochEndPredictorTests {
    private func closings(of sentences: String, times: String) -> String {
        var drawing = Drawing()
        return drawing.closings(of: sentences, times: times)
    }

    @Test func `three epochs are enough to learn the last sentence`() {
        let closings = closings(
            of: "GR      GR      GR      GR      GR      ",
            times: "11      22      33      44      55      ")
        #expect(
            closings  //
                == "     1       2        3  4       5")
    }

    /// If 300 ms or more of silence follow, two epochs are enough.
    @Test func `two epochs are enough when the line is idle between bursts`() {
        let closings = closings(
            of: "GR                  GR                  GR                  GR                  ",
            times: "11                  22                  33                  44                  ")
        #expect(
            closings  //
                == "     1                   2               3                   4")
    }

    /// A sentence after a silence is evidence that the burst had not ended.
    @Test func `a pause within the burst prevents learning`() {
        let closings = closings(
            of: "GR       V          GR       V          GR       V          ",
            times: "11                  22                  33                  ")
        #expect(
            closings  //
                == "     1                   2                    3")
    }

    /// The port is opened in the middle of a burst. The rest of that burst, one sentence or all but
    /// one, does not delay the learning.
    @Test(arguments: ["V", "SV", "RV", "ASRV", "~V"])
    func `a partial first burst does not delay learning`(rest: String) {
        let first = String(repeating: " ", count: 6 - rest.count) + rest
        let closings = closings(
            of: first + "                GASSRV                GASSRV                GASSRV                ",
            times: String(repeating: "1", count: 6)
                + "                2   2                 3   3                 4   4                 ")
        let hasCore = rest.contains("R")
        #expect(closings.filter { $0 != " " } == (hasCore ? "1234" : "234"))
        #expect(closings.count - 1 == 22 * 3 + 5, "the last epoch is closed by its last sentence")
    }

    @Test func `a sentence without a time can be the last`() {
        let closings = closings(
            of: "RGV     RGV     RGV     RGV     RGV     ",
            times: "11      22      33      44      55      ")
        #expect(
            closings  //
                == "      1       2        3  4       5")
    }

    /// A later sentence of the same burst makes no epoch. The learned sentence is dropped, and the
    /// next one takes six epochs.
    @Test func `a sentence after the learned one resets the learning`() {
        let closings = closings(
            of: "GR      GR      GR      GRL     GRL     GRL     GRL     GRL     GRL     GRL     GRL     ",
            times: "11      22      33      444     555     666     777     888     999     AAA     BBB     ")
        #expect(
            closings  //
                == "     1       2        3  4             5       6       7       8       9       A  B")
    }

    /// RMC in every burst, and GGA after it in every fifth: one GGA is lost before the learning
    /// resets, and no more.
    @Test func `a sentence in every fifth burst is lost once`() {
        var pipeline = FixPipeline()
        var lost = 0
        for second in 0..<100 {
            let clock = Body.clock(43_200_000 + second * 1000)
            let fixes = pipeline.burst([Body.rmc(clock)] + (second % 5 == 4 ? [Body.gga(clock)] : []))
            #expect(fixes.count == 1)
            if second % 5 == 4 && fixes.first?.altitude == nil { lost += 1 }
        }
        #expect(lost == 1)
    }

    /// A sentence both at the end and in the middle of a burst cannot mark its end.
    @Test func `a sentence that repeats within the burst is not learned`() {
        let closings = closings(
            of: "VGV     VGV     VGV     VGV     VGV     ",
            times: " 1       2       3       4       5      ")
        #expect(closings.filter { $0 != " " } == "12345")
        #expect(!closings.hasPrefix("                          4"))
    }

    /// With GSV in every fifth epoch the last sentence differs: no false end, one fix each.
    @Test func `a varying end of the burst gives no false end`() {
        let closings = closings(
            of: "GAR     GAR     GARS    GAR     GAR     GARS    GAR     GAR     GARS      ",
            times: "1 1     2 2     3 3     4 4     5 5     6 6     7 7     8 8     9 9     ")
        #expect(closings.filter { $0 != " " } == "123456789")
    }
}
