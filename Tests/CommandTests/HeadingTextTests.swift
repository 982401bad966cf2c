import Chronology
import Positioning
import SextantAPI
import Testing
import Varlink

@testable import sextant

/// Headings as text: `watch --heading`, and the live view.
@Suite("Headings", .utc)
struct HeadingTextTests {
    private static let full = """
        {"heading":{"headingAccuracy":0.55,"magneticHeading":216.23,"receiver":"gps","source":"dualAntenna",\
        "timestamp":"2026-11-21T07:22:02.000Z","trueHeading":218.83,"variation":2.6,"variationSource":"model"}}
        """

    @Test(arguments: [
        (
            full,
            "21 Nov 2026 07:22:02 UTC 218.8° SW true, 216.2° magnetic ±0.6° · "
                + "variation 2.6° E (World Magnetic Model) · two antennas · gps"
        ),
        (
            #"{"heading":{"magneticHeading":359.97,"source":"hdm","simulated":true,"receiver":"gps"}}"#,
            "0.0° magnetic · magnetic compass (HDM) · simulated · gps"
        ),
        (#"{"detail":"no receiver reports a heading"}"#, "no heading: no receiver reports a heading"),
        (#"{"authorizationDenied":true,"detail":"denied by user 0"}"#, "no heading: denied by user root"),
        ("{}", "no heading: the daemon gives no reason"),
    ])
    func `a reply is one line`(reply: String, wanted: String) throws {
        #expect(HeadingLine.text(try Sample.read(reply)) == wanted)
    }

    @Test
    func `watch --heading prints lines or JSON`() throws {
        let daemon = FakeDaemon(results: [LocationMethods.watchHeading.name: .reply(HeadingTextTests.full)])
        let plain = try daemon.run(["watch", "--heading", "--duration", "0.5"])
        #expect(plain.output.hasPrefix("21 Nov 2026 07:22:02 UTC 218.8° SW true"))
        #expect(plain.calls.map(\.method) == [LocationMethods.watchHeading.name])
        let json = try daemon.run(["watch", "--heading", "--duration", "0.5", "--json"])
        #expect(json.output == HeadingTextTests.full + "\n")
        for option in [["--visits"], ["--receiver", "b"], ["--distance", "10"], ["--no-pause"]] {
            #expect(try daemon.run(["watch", "--heading"] + option).status == 64)
        }
        #expect(try daemon.run(["watch", "--visits", "--passive"]).status == 64)
    }

    @Test
    func `watch shows the heading of a compass, and not that of a course`() throws {
        var view = WatchView(configuration: .default)
        view.update(with: .update(try Sample.read(Sample.updateText)), at: .zero)
        func lines() -> [String] { view.draw(TerminalSize(columns: 80, rows: 32), at: .zero).lines(.plain) }
        #expect(!lines().contains { $0.contains("Heading") })
        view.update(with: .heading(try Sample.read(HeadingTextTests.full)), at: .zero)
        #expect(lines().contains { $0.contains("Heading   218.8° SW true, 216.2° magnetic ±0.6°") })
        let course = HeadingTextTests.full.replacing("dualAntenna", with: "course")
        view.update(with: .heading(try Sample.read(course)), at: .zero)
        #expect(!lines().contains { $0.contains("Heading") })
        view.update(with: .heading(try Sample.read(HeadingTextTests.full)), at: .zero)
        view.update(with: .heading(try Sample.read("{}")), at: .zero)
        #expect(!lines().contains { $0.contains("Heading") })
    }
}
