import Bridges
import Chronology
import TestSupport
import Testing

/// What ModemManager returns of the sentences of a modem.
struct ModemEpochsTests {
    private static let rmc: @Sendable (String) -> String = {
        line("GPRMC,\($0),A,5128.9,N,00551.1,E,0.1,0.0,200826,,,A")
    }
    private static let gga: @Sendable (String) -> String = {
        line("GPGGA,\($0),5128.9,N,00551.1,E,1,08,1.0,20.0,M,47.0,M,,")
    }
    private static let gsv = [line("GPGSV,2,1,05,01,10,010,30"), line("GPGSV,2,2,05,05,50,050,30")]

    private static func line(_ body: String) -> String { SentenceLine.text(body, end: "") }

    private func text(_ lines: [String]) -> String { lines.joined(separator: "\r\n") + "\r\n" }

    private func take(_ epochs: inout ModemEpochs, _ lines: [String]) -> [Substring] {
        String(decoding: epochs.take(text(lines)), as: UTF8.self).split(separator: "\r\n")
    }

    @Test func `sentences of two epochs are not taken, and each epoch once`() {
        var epochs = ModemEpochs()
        let (rmc, gga) = (ModemEpochsTests.rmc, ModemEpochsTests.gga)
        #expect(take(&epochs, [rmc("120001.0"), gga("120000.0")]).isEmpty)
        #expect(take(&epochs, [gga("120001.0"), rmc("120001.0")]).count == 2)
        #expect(take(&epochs, [gga("120001.0"), rmc("120001.0"), ModemEpochsTests.line("GPGSA,A,3,01")]).isEmpty)
        #expect(take(&epochs, [rmc("120002.0"), gga("120001.0")]).isEmpty)
        #expect(take(&epochs, [rmc("120002.0"), gga("120002.0")]).count == 2)
    }

    @Test func `of sentences without time, only those are taken that fit`() {
        var epochs = ModemEpochs()
        let (rmc, gsv) = (ModemEpochsTests.rmc, ModemEpochsTests.gsv)
        let vtg = ModemEpochsTests.line("GPVTG,0.0,T,,M,0.1,N,0.2,K,A")
        #expect(take(&epochs, [vtg, gsv[0], rmc("120000.0")]).map { $0.prefix(6) } == ["$GPRMC"])
        #expect(take(&epochs, gsv + [vtg, rmc("120001.0")]).map { $0.prefix(6) } == ["$GPRMC", "$GPGSV", "$GPGSV"])
    }

    @Test func `before the receiver knows the time, each change is taken`() {
        var epochs = ModemEpochs()
        let (rmc, gga) = (ModemEpochsTests.rmc(""), ModemEpochsTests.gga(""))
        #expect(take(&epochs, [rmc, gga]).count == 2)
        #expect(take(&epochs, [rmc, gga]).isEmpty)
        #expect(take(&epochs, [rmc, gga] + ModemEpochsTests.gsv).count == 4)
    }

    @Test func `noise is not taken`() {
        var epochs = ModemEpochs()
        let rmc = ModemEpochsTests.rmc("120000.0")
        for text in [
            "", "\r\n", "$", "$GP", "$GPRMC", "$GPGSV,a,b", "x,y", "$,,,,", "*", "$*", "$*00*00",
            String(rmc.dropLast(3)),
            rmc + "0", String(rmc.dropFirst()), rmc.replacing("5128", with: "5129"),
            String(repeating: "$A,", count: 9999),
        ] {
            #expect(epochs.take(text).isEmpty, "\(text)")
        }
        // A damaged line does not take the others with it.
        let gga = ModemEpochsTests.gga("120000.0").replacing("08", with: "09")
        #expect(take(&epochs, [gga, rmc]) == [Substring(rmc)])
    }
}

/// When the modems are read.
struct ModemReadingsTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(100 + seconds) }

    @Test func `changes without end delay no result, and readings have a pause`() {
        var readings = ModemReadings()
        let isDue = readings.begin(at: at(0))
        #expect(isDue)
        var begun: [Double] = [0]
        // A change each millisecond, and readings of 50 ms.
        var end = 50
        for millisecond in 1...1000 {
            let now = Double(millisecond) / 1000
            readings.request()
            if millisecond == end { readings.end(hasFailed: false, at: at(now)) }
            if readings.begin(at: at(now)) {
                begun.append(now)
                end = millisecond + 50
            }
        }
        #expect(begun == [0, 0.25, 0.5, 0.75, 1])
    }

    @Test func `a reading that fails is repeated later and later, and changes do not hasten it`() {
        var readings = ModemReadings()
        var now = 0.0
        var delays: [Double] = []
        for _ in 0..<8 {
            let isDue = readings.begin(at: at(now))
            readings.end(hasFailed: true, at: at(now))
            readings.request()
            let due = readings.deadline.map { ($0 - at(now)).seconds } ?? 0
            let isEarly = readings.begin(at: at(now + due / 2))
            #expect(isDue && !isEarly)
            delays.append(due)
            now += due
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60])
        let isDue = readings.begin(at: at(now))
        readings.end(hasFailed: false, at: at(now))
        #expect(isDue && readings.deadline == nil)
    }
}
