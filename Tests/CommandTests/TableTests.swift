import Chronology
import SextantAPI
import Testing

@testable import sextant

/// The tables with values as long as they get.
@Suite("Tables on a narrow terminal")
struct TableTests {
    private static let long = "app-org.example.a-program-with-a-name-as-long-as-a-desktop-makes-them-4711.service"
    private static let date = "2026-11-21T07:22:02.000Z"
    private static let seconds = """
        "operation":360000,"saving":86399,"search":86399,"standby":7200000,"closed":359999,"wakeups":123456789,\
        "joules":1234567.5,"milliwatts":1234.5
        """
    private static let power = """
        {"start":{\(seconds),"consumers":[]},"days":[{"day":"2026-11-02",\(seconds),"consumers":[{\
        "purpose":"automotiveNavigation","program":"\(long)","unit":"\(long)","uid":4242,\
        "joules":1234567.5,"share":1}]}],
        "estimates":[{"receiver":"gps","chip":"ublox8","source":"a data sheet of many words, its chapter and table 8"}]}
        """
    private static let consumers = """
        {"consumers":[{"purpose":"automotiveNavigation","program":"\(long)","owner":"4242:\(long)","pid":1234567,\
        "uid":4242,"unit":"\(long)","receiver":"ttyACM0","desiredAccuracy":"kilometre","interval":60,"passive":true,\
        "significantChange":true,"since":"\(date)","seconds":183784,"holds":true,"silent":true}],
        "activities":[{"receiver":"ttyACM0","state":"saving","seconds":183784}],"allowsSleep":false,
        "sessions":[{"owner":"4242:\(long)","requirement":"always","purpose":"\(long) \(long)"}],
        "leases":[{"owner":"4242:\(long)","since":"\(date)"}]}
        """
    private static let grants = """
        {"grants":[{"program":"4242:\(long)","authorization":"whenInUse","accuracy":"reduced","author":"agent",\
        "uid":4242,"date":"\(date)","overruledBy":"/etc/sextant/conf.d/\(long):12"}],
        "rules":[{"unit":"\(long)","uid":4242,"application":"\(long)","authorization":"whenInUse",\
        "accuracy":"reduced","place":"/etc/sextant/conf.d/\(long):12"}],
        "default":"ask","accuracy":"full","switch":{"enabled":false,"uid":4242,"date":"\(date)"}}
        """
    private static let use = """
        {"program":"4242:\(long)","accuracy":"reduced","decidedBy":"the rule in /etc/sextant/conf.d/\(long):12",\
        "seconds":65,"kind":"oneShot","state":"interrupted","from":"\(date)","to":"\(date)","updates":123456789}
        """
    private static let visit = """
        {"latitude":-51.80451,"longitude":-115.82475,"horizontalAccuracy":9,"arrival":"2026-11-21T21:30:00.000Z",\
        "departure":"2026-12-22T06:45:00.000Z","departed":true}
        """

    /// The lines of every table at a width.
    private static func tables(_ columns: Int?) throws -> [(name: String, lines: [String])] {
        let fence = FenceTable(
            entries: [
                .init(
                    monitor: long,
                    record: try Sample.read(
                        FenceSample.record().replacing(#"Exceeded":false"#, with: #"Exceeded":true"#)))
            ],
            owner: "4242", placeName: { _ in "\(long), in a \(long)" })
        let receiver: Receiver = try Sample.read(
            Sample.receiverText(
                detail: "a detail of many words that does not fit into a line of a narrow terminal: \(long)"
            )
            .replacing("/dev/ttyACM0", with: "/dev/serial/by-id/usb-\(long)"))
        return [
            (
                "power",
                PowerTable(power: try Sample.read(power), today: CivilDate(daysSince1970: 0), columns: columns).lines
            ),
            ("who", ConsumerTable(reply: try Sample.read(consumers), columns: columns).lines),
            ("fence list", fence.canvas(columns: columns).lines(.plain)),
            ("receivers", ReceiverListText(receivers: [receiver]).canvas(columns: columns).lines(.plain)),
            ("grants", GrantTable(reply: try Sample.read(grants), columns: columns).lines),
            ("usage", UsageTable(records: [try Sample.read(use)], columns: columns).lines),
            (
                "visits",
                VisitTimeline(visits: [try Sample.read(visit)], placeName: { _ in long }, columns: columns).lines
            ),
            ("places", ["name of \(long)  · 12 of \(long) · CC BY 4.0"].wrapped(to: columns)),
        ]
    }

    @Test(arguments: [80, 60])
    func `every line of every table fits the terminal`(columns: Int) throws {
        for (name, lines) in try TableTests.tables(columns) {
            #expect(
                lines.allSatisfy { DisplayWidth.width(of: $0) <= columns }, "\(name):\n\(lines.joined(separator: "\n"))"
            )
        }
    }

    @Test
    func `a pipe gets whole rows and every value`() throws {
        for (name, lines) in try TableTests.tables(nil) {
            #expect(lines.contains { $0.contains(TableTests.long) } && !lines.joined().contains("…"), "\(name)")
        }
    }

    @Test
    func `columns that do not fit continue below each row, and only a cell wider than a line is cut`() {
        var table = TextTable(["NAME", "COUNT", "PLACE"], rightAligned: [1])
        table.add(["a", "12", "somewhere"], notes: ["a note of some words"])
        table.add(["b", "3", "nowhere at all, anywhere"])
        table.add(["day"])
        #expect(
            table.lines(columns: 18) == [
                "NAME  COUNT", "  PLACE", "a        12", "  somewhere", "  a note of some", "    words", "b         3",
                "  nowhere at all,…", "day",
            ])
        table.add(["c", "", " "])
        #expect(table.lines(columns: 18).suffix(2) == ["day", "c"])
        #expect(table.lines(columns: 40).first == "NAME  COUNT  PLACE")
    }
}
