import Chronology
import SextantAPI
import Testing
import Varlink

@testable import sextant

/// What `locate` and `watch` show until the first position.
@Suite(.utc)
struct FixProgressTests {
    private static func receivers(_ state: String, baud: Int? = 9600, sentences: Int = 0, satellites: Int = 0) -> String
    {
        let sky = (0..<satellites).map {
            #"{"system":"gps","number":\#($0 + 1),"used":false}"#
        }.joined(separator: ",")
        let rate = baud.map { #""baud":\#($0),"# } ?? ""
        return """
            {"receivers":[{"name":"ttyUSB0","port":"/dev/ttyUSB0","says":[],\(rate)"state":"\(state)","isPrimary":true,
            "counts":{"bytes":0,"sentences":\(sentences),"unknown":0,"epochs":0,"fixes":0,"checksumErrors":0,
            "missingChecksums":0,"overlong":0,"truncated":0,"malformed":0,"strayBytes":0},"satellites":[\(sky)]}]}
            """
    }

    private static let steps = [
        receivers("detectingBaudRate", baud: nil), receivers("silent"),
        receivers("sendingWithoutFix", sentences: 3, satellites: 1),
        receivers("sendingWithoutFix", sentences: 30, satellites: 8),
    ]
    private static let waiting =
        #"{"sequence":1,"dropped":0,"locationUnavailable":true,"cause":"starting","detail":"ttyUSB0 is new"}"#

    @Test func `watch shows each step with its time, and then how long the first fix took`() throws {
        var view = WatchView(configuration: .default)
        view.update(with: .connected, at: .zero)
        view.update(with: .update(try Sample.read(FixProgressTests.waiting)), at: .zero)
        for (index, text) in FixProgressTests.steps.enumerated() {
            let reply: Receivers = try Sample.read(text)
            view.update(with: .receivers(reply.receivers), at: .zero + .seconds(Double(index) + 0.5))
        }
        func screen() -> String {
            let canvas = view.draw(TerminalSize(columns: 80, rows: 24), at: .zero + .seconds(5))
            return canvas.lines(.plain).joined(separator: "\n")
        }
        let lines = screen().split(separator: "\n").map { $0.prefix(50).trimmingSpaces }
        let shown = [
            "0.5 s: /dev/ttyUSB0 is found", "1.5 s: it is read at 9,600 baud", "2.5 s: NMEA arrives",
            "3.5 s: 8 satellites in view",
        ]
        #expect(lines.filter { $0.contains(" s: ") } == shown, "\(screen())")
        view.update(with: .update(try Sample.read(Sample.updateText)), at: .zero + .seconds(31))
        #expect(screen().contains("first fix after 31 s") && !screen().contains("NMEA arrives"))
        // Without the permission there is no position either, and nothing is on the way to one.
        let denied = #"{"sequence":2,"dropped":0,"authorizationDenied":true,"detail":"denied"}"#
        view.update(with: .update(try Sample.read(denied)), at: .zero + .seconds(40))
        #expect(!screen().contains("48.11") && !screen().contains("NMEA arrives"), "\(screen())")
    }

    @Test func `a position that is there at once needs no explanation`() throws {
        var view = WatchView(configuration: .default)
        view.update(with: .update(try Sample.read(Sample.updateText)), at: .zero)
        let text = view.draw(TerminalSize(columns: 80, rows: 24), at: .zero).lines(.plain).joined(separator: "\n")
        #expect(!text.contains("first fix"))
    }

    @Test func `locate says on a terminal what happens, and not in a pipe`() throws {
        let reply = #"{"location":\#(Sample.locationText),"age":0.1}"#
        let daemon = FakeDaemon(results: [
            LocationMethods.getLocation.name: .repliesInParts([], after: "8 satellites in view", [reply]),
            LocationMethods.subscribe.name: .replies([FixProgressTests.waiting]),
            ReceiverMethods.watch.name: .repliesInParts(
                Array(FixProgressTests.steps.prefix(3)), after: "1 satellite in view",
                Array(FixProgressTests.steps.suffix(1))),
        ])
        let outcome = try daemon.run(["locate"], launch: .onTerminal)
        #expect(outcome.status == 0 && outcome.output.hasPrefix("48.117300° N"), "\(outcome)")
        let texts = outcome.errors.split(whereSeparator: \.isNewline).map { $0.drop { $0 != ":" }.dropFirst(2) }
        #expect(
            texts == [
                "/dev/ttyUSB0 is found", "it is read at 9,600 baud", "NMEA arrives", "1 satellite in view",
                "ttyUSB0 is new", "8 satellites in view", "position",
            ], "\(outcome.errors)")
        let quiet = FakeDaemon(results: [LocationMethods.getLocation.name: .reply(reply)])
        #expect(try quiet.run(["locate"]).errors == "")
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
