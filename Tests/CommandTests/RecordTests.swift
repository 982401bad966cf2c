import Chronology
import Glibc
import Locator
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextant

@Suite("Recordings")
struct RecordTests {
    private var header: RecordHeader {
        var header = RecordHeader(
            title: "drive", hostDate: UTCTime(rfc3339: "2026-12-24T18:00:00Z") ?? UTCTime(milliseconds: 0))
        header.receiverTexts = ["u-blox AG - www.u-blox.com", "PROTVER=18.00"]
        header.product = "u-blox 8 or M8"
        header.receiverDate = UTCTime(rfc3339: "2007-05-10T18:00:00Z")
        header.place = (48.1173, -11.51666)
        header.baud = 9600
        return header
    }

    @Test
    func `the summary counts sentences and fixes with correct plurals`() {
        var summary = RecordSummary(file: "drive.nmea", bytes: 120, sentences: 1, fixes: 1, seconds: 3, baud: 9600)
        #expect(summary.displayText.contains(": ") && summary.displayText.hasSuffix("1 sentence, 1 fix in 3.0 s"))
        (summary.sentences, summary.fixes) = (40, 0)
        #expect(summary.displayText.hasSuffix("40 sentences, 0 fixes in 3.0 s"))
    }

    @Test
    func `a device that is no serial port is named as such, also while others have it open`() throws {
        let outcome = try FakeDaemon(results: [:]).run(["record", "--device", "/dev/null"])
        #expect(outcome.status == 66 && outcome.errors.contains("/dev/null is not a serial port"), "\(outcome.errors)")
    }

    @Test
    func `a refusal ends a recording with its reason and leaves no file`() throws {
        let scratch = try Scratch()
        let refusal = #"{"detail":"The program may not know the location; to allow it: sextant grant a"}"#
        let daemon = FakeDaemon(results: [
            ReceiverMethods.watch.name: .reply(#"{"receivers":[]}"#), LocationMethods.subscribe.name: .silence,
            ReceiverMethods.sentences.name: .error(PermissionDeniedError.name(in: .receiver), refusal),
        ])
        let outcome = try daemon.run(["record", "--receiver", "gps", "--output", "\(scratch.path)/a.nmea"])
        #expect(outcome.status == 77 && outcome.errors.contains("sextant grant a"), "\(outcome.errors)")
        #expect(scratch.names.isEmpty)
    }

    @Test
    func `a file in a folder that does not exist names what to do`() throws {
        let error = #expect(throws: CommandError.self) { try CaptureWriter("/nowhere/a.nmea", replaces: false) }
        #expect(error?.description.contains("create its folder first") == true)
    }

    @Test
    func `the header names the receiver and rounds the location`() {
        #expect(
            header.text == """
                # Name: drive
                # Chipset: u-blox AG - www.u-blox.com; PROTVER=18.00
                # Date: 2026-12-24T18:00:00.000Z
                # Location: 48, -12 (rounded to a degree)
                # Baud: 9600
                # Recorded-with: sextant \(SextantVersion.current)

                """)
    }

    @Test
    func `the exact header keeps the full location`() {
        var header = header
        header.isExact = true
        #expect(header.text.contains("# Location: 48.117300, -11.516660\n"))
    }

    @Test
    func `the header marks unknown values`() {
        var header = header
        header.receiverTexts = []
        header.place = nil
        header.baud = nil
        #expect(header.text.contains("# Chipset: u-blox 8 or M8\n"))
        #expect(header.text.contains("# Location: unknown\n# Baud: none\n"))
    }

    @Test
    func `the receiver date replaces the date of a host without a clock`() {
        var header = header
        header.hostDate = UTCTime(milliseconds: 0)
        header.receiverDate = UTCTime(rfc3339: "2027-01-01T00:00:00Z")
        #expect(header.text.contains("# Date: 2027-01-01T00:00:00.000Z\n"))
    }

    @Test
    func `a title cannot add lines to the header`() {
        var header = header
        header.title = "a\n$GPGGA,"
        #expect(header.text.hasPrefix("# Name: a?$GPGGA,\n"))
    }

    @Test
    func `replay parses the header`() {
        let read = CaptureHeader(Array(header.text.utf8))
        #expect(read["name"] == "drive" && read["Baud"] == "9600")
        #expect(read.date == UTCTime(rfc3339: "2026-12-24T18:00:00Z"))
        #expect(read.length == header.text.utf8.count)
    }

    @Test
    func `the default file name has the device and the time`() throws {
        let time = try #require(UTCTime(rfc3339: "2026-11-21T07:22:02.5Z"))
        #expect(RecordHeader.fileName(device: "ttyACM0", at: time) == "ttyACM0-20261121T072202Z.nmea")
    }

    @Test
    func `the capture gets its name when complete and replaces a file only on request`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/a.nmea"
        let writer = try CaptureWriter(path, replaces: false)
        try writer.append(Array("one\n".utf8))
        #expect(access(path, F_OK) != 0 && access(path + ".part", F_OK) == 0)
        try writer.append(Array("two\n".utf8))
        try writer.finish(header: "# Name: a\n")
        #expect(try CaptureFile.read(path) == Array("# Name: a\none\ntwo\n".utf8))
        #expect(scratch.names == ["a.nmea"])
        #expect(throws: CommandError.self) { try CaptureWriter(path, replaces: false) }
        try CaptureWriter(path, replaces: true).discard()
        #expect(scratch.names == ["a.nmea"])
    }

    @Test
    func `a capture that cannot be completed leaves only the received data and names its file`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/a.nmea"
        let writer = try CaptureWriter(path, replaces: true)
        try writer.append(Array("one\n".utf8))
        // A directory in the place of the file: renaming fails.
        #expect(mkdir(path, 0o755) == 0)
        defer { rmdir(path) }
        let error = #expect(throws: CommandError.self) { try writer.finish(header: "# Name: a\n") }
        #expect(error?.description.hasSuffix("; the received data is kept in \(path).part") == true)
        #expect(scratch.names == ["a.nmea", "a.nmea.part"])
        #expect(try CaptureFile.read(path + ".part") == Array("one\n".utf8))
    }

    @Test
    func `the progress line shows bytes, sentences, fix and time`() throws {
        let location = try Sample.read(Sample.locationText, as: Location.self)
        var progress = RecordProgress(
            receiver: try Sample.receiver(), location: location, bytes: 12_345, hasBaudRate: true, seconds: 12)
        #expect(
            progress.text
                == "ttyACM0 · 9600 baud · 12.3 KB · 2,345 sentences, 3 damaged · 3D, ±2.4 m, 4 satellites · 12 s")
        (progress.hasBaudRate, progress.location) = (false, nil)
        #expect(progress.text == "ttyACM0 · 9600 baud · no valid data yet, detecting the baud rate · 12 s")
    }
}
