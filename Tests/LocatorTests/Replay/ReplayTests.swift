import Chronology
import Locator
import NMEA
import Positioning
import TestSupport
import Testing

@Suite struct ReplayTests {
    private func times(_ text: String, start: String? = nil) -> [String] {
        Playback.fixes(text, start: start).map { $0.time?.description ?? "-" }
    }

    @Test(arguments: ["multi-constellation-10hz", "corrupt-lines", "cold-start"])
    func `two replays of the same bytes give the same effects`(name: String) throws {
        let bytes = try PackageFiles.read("\(PackageFiles.package)/captures/\(name).nmea")
        var runs: [[Effect]] = [[], []]
        for index in 0..<2 {
            var replay = Replay(
                bytes, options: Replay.Options(receiver: name, stream: StreamRequest(configuration: .fitness)))
            replay.run { runs[index].append($0) }
        }
        #expect(!runs[0].isEmpty)
        let isSame = runs[0] == runs[1]
        #expect(isSame)
    }

    @Test func `fixes have no time without a date`() {
        #expect(times(gga("120000.00") + gga("120001.00")) == ["-", "-"])
        #expect(times("# Date: 2025-07-32\n" + gga("120000.00")) == ["-"])
    }

    @Test func `the header dates a capture without dates`() {
        #expect(
            times("# Date: 2026-06-22\n" + gga("235959.00") + gga("000000.00")) == [
                "2026-06-22T23:59:59.000Z", "2026-06-23T00:00:00.000Z",
            ])
    }

    @Test(arguments: ["\r", "\n", "\n\r", "\r\r\n"])
    func `the line ending does not change the updates`(end: String) {
        let capture = "# Date: 2026-06-22\r\n" + (0..<40).map { gga("1200\($0 < 10 ? "0" : "")\($0).00") }.joined()
        func updates(_ text: String) -> [Effect] {
            var effects: [Effect] = []
            var replay = Replay(
                Array(text.utf8), options: Replay.Options(receiver: "x", stream: StreamRequest(configuration: .fitness))
            )
            replay.run { effects.append($0) }
            return effects
        }
        let isSame = updates(capture) == updates(capture.replacing("\r\n", with: end))
        #expect(isSame)
        #expect(times(capture.replacing("\r\n", with: end)).last == "2026-06-22T12:00:39.000Z")
    }

    @Test func `the start option overrides the header`() {
        let capture = "# Date: 2026-06-22\n" + gga("120000.00")
        #expect(times(capture, start: "2020-01-01") == ["2020-01-01T12:00:00.000Z"])
        #expect(times(capture, start: "2020-01-01T23:59:00Z") == ["2020-01-01T12:00:00.000Z"])
    }

    /// A date in the capture is accepted; the header then only corrects rollovers. Epochs before
    /// the date have no time.
    @Test func `a date in the capture takes precedence over the header`() {
        let capture = "# Date: 2026-06-22\n" + gga("115959.00") + rmc("120000.00", date: "140325") + gga("120001.00")
        #expect(times(capture) == ["-", "2025-03-14T12:00:00.000Z", "2025-03-14T12:00:01.000Z"])
    }

    @Test(arguments: [("2026-06-15", "2026-06-16"), (nil, "2006-10-31")])
    func `the header corrects a week number rollover`(date: String?, meaning: String) {
        let header = date.map { "# Date: \($0)\n" } ?? ""
        #expect(times(header + rmc("120000.00", date: "311006")) == ["\(meaning)T12:00:00.000Z"])
        #expect(times(rmc("120000.00", date: "311006"), start: date) == ["\(meaning)T12:00:00.000Z"])
    }

    /// The capture may end in the middle of a line.
    @Test(arguments: ["", "$GPGGA,120002.00,47", "\u{0}\u{0}"])
    func `the end of the capture closes the last epoch`(tail: String) {
        #expect(Playback.fixes(gga("120000.00") + gga("120001.00") + tail).count == 2)
    }

    @Test(arguments: ["", "# Name: nothing\n", "\n\n\n", "no sentence at all"])
    func `captures without sentences have no fixes`(text: String) {
        #expect(Playback.fixes(text).isEmpty)
    }

    @Test func `every byte is replayed and counted`() throws {
        let text = "# Name: x\n" + gga("120000.00") + "junk\n" + rmc("120000.00", date: "140326")
        var replay = Replay(Array(text.utf8), options: Replay.Options(receiver: "x"))
        replay.run { _ in }
        #expect(replay.position == text.utf8.count)
        let report = try #require(replay.report)
        #expect(report.counts.bytes == text.utf8.count - 10)
        #expect(report.counts.strayBytes == 4)
        #expect((report.epochs, report.fixes) == (1, 1))
    }

    /// A stream of a replay gets the same updates as a live one: the state first, then the loss of
    /// the fix after its timeout.
    @Test func `a stream reports the loss of the fix in the tunnel`() throws {
        let bytes = try PackageFiles.read("\(PackageFiles.package)/captures/tunnel.nmea")
        var causes: [Cause] = []
        var replay = Replay(
            bytes, options: Replay.Options(receiver: "x", stream: StreamRequest(configuration: .automotiveNavigation)))
        replay.run { effect in
            if case .request(.publish(let update, _)) = effect, let reason = update.unavailability {
                causes.append(reason.cause)
            }
        }
        #expect(causes == [.starting, .noFix])
    }

    /// The speed of a VTG that opens each burst belongs to the epoch of that burst, as on a serial
    /// line.
    @Test func `leading sentences of a burst belong to its epoch`() {
        let capture = (0..<8).map { line("GPVTG,77.5,T,,M,\($0).0,N,,K,A") + gga("12000\($0).00") }.joined()
        let knots = Playback.fixes(capture).map { $0.speed.map { Int(($0 * 3600 / 1852).rounded()) } }
        #expect(knots == Array(0..<8))
    }
}
