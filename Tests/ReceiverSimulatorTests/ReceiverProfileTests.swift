import Chronology
import Testing

@testable import ReceiverSimulator

@Suite struct ReceiverProfileTests {
    /// The sentence order of each receiver within an epoch; repeated sentences count once.
    static let orders: [(ReceiverKind, String)] = [
        (.ublox6, "RMC VTG GGA GSA GSV GLL"), (.ublox8, "RMC VTG GGA GSA GSV GLL"),
        (.ubloxM9, "RMC VTG GGA GSA GSV GLL"),
        (.ubloxM10, "RMC VTG GGA GSA GSV GLL"), (.mtk, "GGA GSA GSV RMC VTG"), (.sirf, "GGA GSA GSV RMC"),
        (.casic, "GGA GLL GSA GSV RMC VTG ZDA TXT"), (.garmin, "RMC GGA GSA GSV GLL PGRME"),
        (.quectel, "GGA GSA GSV RMC VTG GLL"),
        (.generic, "GGA RMC GSA GSV"),
    ]

    @Test(arguments: orders)
    func `sentences follow the order of the receiver type`(receiver: ReceiverKind, order: String) throws {
        let boot = ReceiverProfile.of(receiver).bootSentences.count
        let epoch = try simulate(seconds: 1) { $0.receiver = receiver }.dropFirst(boot).map(kind)
        let runs = epoch.reduce(into: [String]()) { runs, kind in if runs.last != kind { runs.append(kind) } }
        #expect(runs.joined(separator: " ") == order)
    }

    @Test(arguments: ReceiverKind.allCases)
    func `every sentence is valid`(receiver: ReceiverKind) throws {
        let sent = try simulate(seconds: 100) {
            $0.receiver = receiver
            $0.coldStart = true
            $0.baud = 460_800
            $0.faults = FaultSchedule([Fault(.dropout, start: .seconds(70), duration: .seconds(5))])
        }
        #expect(sent.count > 300)
        #expect(sent.allSatisfy(isValid))
        #expect(sent.allSatisfy { $0.utf8.count <= 96 })
    }

    @Test func `fields follow the NMEA version of the receiver`() throws {
        func first(_ wanted: String, _ receiver: ReceiverKind) throws -> [String] {
            fields(try #require(try simulate(seconds: 1) { $0.receiver = receiver }.first { kind($0) == wanted }))
        }
        #expect(try first("RMC", .ublox6).count == 13)
        #expect(try first("RMC", .ubloxM9).count == 14)
        #expect(try first("GSA", .ublox8).count == 18)
        #expect(try first("GSA", .ubloxM9).count == 19)
        #expect(try first("GSV", .ubloxM9).count % 4 == 1)
        #expect(try first("GGA", .ublox6)[0] == "$GPGGA")
        #expect(try first("GGA", .ubloxM10)[0] == "$GNGGA")
        #expect(try first("GGA", .sirf)[1] == "120000.487")
        #expect(try first("GGA", .garmin)[1] == "120000")
        #expect(try first("GGA", .mtk)[2].count == 9)
        #expect(try first("GGA", .ublox8)[2].count == 10)
    }

    @Test func `a sentence plan selects sentences and their rates`() throws {
        let plan = try SentencePlan("gga,GST,GBS,PUBX00,GNS,DTM,HDT,THS,GSV/3")
        let sent = try simulate(seconds: 3) { ($0.sentences, $0.receiver) = (plan, .ubloxM9) }.filter {
            kind($0) != "TXT"
        }
        #expect(sent.prefix(8).map(kind) == ["GGA", "GST", "GBS", "PUBX", "GNS", "DTM", "HDT", "THS"])
        #expect(sent.allSatisfy(isValid))
        #expect(sent.filter { kind($0) == "GGA" }.count == 3)
        #expect(
            sent.filter { $0.hasPrefix("$GPGSV,1") || $0.hasPrefix("$GPGSV,3,1") || $0.hasPrefix("$GPGSV,2,1") }.count
                == 1)
        #expect(throws: SentencePlan.Flaw(item: "XYZ")) { try SentencePlan("GGA,XYZ") }
        #expect(throws: SentencePlan.Flaw(item: "GGA/0")) { try SentencePlan("GGA/0") }
    }
}
