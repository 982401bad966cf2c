import Chronology
import Testing

@testable import Simulator

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
        let boot = ReceiverProfile(for: receiver).bootSentences.count
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
        func firstFields(of type: String, from receiver: ReceiverKind) throws -> [String] {
            fields(try #require(try simulate(seconds: 1) { $0.receiver = receiver }.first { kind($0) == type }))
        }
        #expect(try firstFields(of: "RMC", from: .ublox6).count == 13)
        #expect(try firstFields(of: "RMC", from: .ubloxM9).count == 14)
        #expect(try firstFields(of: "GSA", from: .ublox8).count == 18)
        #expect(try firstFields(of: "GSA", from: .ubloxM9).count == 19)
        #expect(try firstFields(of: "GSV", from: .ubloxM9).count % 4 == 1)
        #expect(try firstFields(of: "GGA", from: .ublox6)[0] == "$GPGGA")
        #expect(try firstFields(of: "GGA", from: .ubloxM10)[0] == "$GNGGA")
        #expect(try firstFields(of: "GGA", from: .sirf)[1] == "120000.487")
        #expect(try firstFields(of: "GGA", from: .garmin)[1] == "120000")
        #expect(try firstFields(of: "GGA", from: .mtk)[2].count == 9)
        #expect(try firstFields(of: "GGA", from: .ublox8)[2].count == 10)
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
        #expect(throws: SentencePlan.ParsingError(item: "XYZ")) { try SentencePlan("GGA,XYZ") }
        #expect(throws: SentencePlan.ParsingError(item: "GGA/0")) { try SentencePlan("GGA/0") }
    }
}
