import Chronology
import DaemonSupport
import Geodesy
import Glibc
import Receivers
import SextantAPI
import TestSupport
import Testing
import Varlink

@testable import sextantd

/// The last place and the starts of receivers, on disk.
@Suite struct AssistanceRecordsTests {
    private static let date = UTCTime(milliseconds: 1_800_000_000_000)

    private func records() throws -> AssistanceRecords {
        var records = AssistanceRecords()
        records.place = AssistanceRecords.Place(
            time: Self.date, coordinate: try #require(Coordinate(latitude: 51.5, longitude: -0.25)), altitude: nil,
            accuracy: 3.5)
        records.add(
            StartReport(
                receiver: "GPS of the boat", time: Self.date, kind: .aided, seconds: 12.5, assisted: ["time", "place"]))
        records.add(StartReport(receiver: "ttyACM0", time: Self.date, kind: .cold, seconds: 26, assisted: []))
        return records
    }

    @Test func `they are written and read`() throws {
        let records = try records()
        #expect(
            records.text == """
                sextant assistance 1
                place 1800000000000 51.5 -0.25 - 3.5
                start 1800000000000 aided 12.5 time,place GPS of the boat
                start 1800000000000 cold 26.0 - ttyACM0

                """)
        #expect(AssistanceRecords(text: records.text) == records)
        #expect(records.lastStart(of: "ttyACM0")?.seconds == 26 && records.lastStart(of: "other") == nil)
    }

    @Test func `the last 20 starts are kept`() throws {
        var records = try records()
        for number in 0..<30 {
            records.add(
                StartReport(receiver: "a", time: Self.date, kind: .hot, seconds: Double(number), assisted: []))
        }
        #expect(records.starts.map(\.seconds) == (10..<30).map(Double.init))
        #expect(AssistanceRecords(text: records.text) == records)
    }

    @Test func `a place is as old as a believed clock says, and none in the future is used`() throws {
        let now = Instant.zero + .seconds(10)
        let later = BelievedClock(Self.date.advanced(by: .seconds(3600)), at: now, error: .zero)
        #expect(try records().place(at: now, by: later)?.radius(at: now).rounded() == 100_000)
        let earlier = BelievedClock(Self.date.advanced(by: .seconds(-1)), at: now, error: .zero)
        #expect(try records().place(at: now, by: earlier) == nil)
    }

    @Test(arguments: [
        "", "sextant assistance 2\n", "place x 51 0 - 3\n", "place 1 91 0 - 3\n",
        "place 1 51 0 x 3\n", "place 1 51 0 - -3\n", "place 1 51 0 - nan\n", "place 1 51 0 - 3\nplace 1 51 0 - 3\n",
        "start 1 tepid 1 - a\n", "start 1 hot -1 - a\n", "start 1 hot 1 luck a\n", "start 1 hot 1 -\n",
        "begin 1 2 3 4 5\n",
        String(repeating: "start 1 hot 1 - a\n", count: 22),
    ])
    func `a damaged file is recognised`(lines: String) {
        let isHeading = lines.isEmpty || lines.hasPrefix("sextant")
        let text = (isHeading ? "" : "sextant assistance 1\n") + lines
        #expect(AssistanceRecords(text: text) == nil)
    }
}

extension WholeDaemon {
    /// The starts on the socket, and the last place.
    @Suite struct Starts {
        private static let method = "io.sextant.Receiver.GetStarts"
        private static let file = """
            sextant assistance 1
            place 1700000000000 51.5 -0.25 - 3.5
            start 1700000000000 aided 12.5 time gps
            start 1700000000000 cold 26.0 - other

            """

        @Test func `starts are read, and the place is erased with the other positions`() throws {
            let scratch = try Scratch()
            _ = mkdir(scratch("state"), 0o700)
            _ = mkdir(scratch("state/assistance"), 0o700)
            _ = try scratch.write(Self.file, to: "state/assistance/starts")
            try TestDaemon.run(scratch: scratch) { daemon in
                let client = try daemon.connect()
                let starts = try client.call(Self.method)["starts"]?.array
                #expect(starts?.map { $0["kind"] } == ["aided", "cold"] && starts?.first?["assisted"] == ["time"])
                let others = try client.call(Self.method, ["receiver": "other"])["starts"]?.array
                #expect(others?.count == 1)
                _ = try client.call("io.sextant.Permission.Forget")
                let text = Scratch.text(of: scratch("state/assistance/starts"))
                #expect(!text.contains("place") && text.contains("start 1700000000000 cold 26.0 - other\n"))
            }
        }

        @Test func `a damaged file is no obstacle`() throws {
            let scratch = try Scratch()
            _ = mkdir(scratch("state"), 0o700)
            _ = mkdir(scratch("state/assistance"), 0o700)
            _ = try scratch.write("nonsense\n", to: "state/assistance/starts")
            try TestDaemon.run(scratch: scratch) { daemon in
                #expect(daemon.logged("the last place and the starts of receivers are not known") == 1)
                let starts = try daemon.connect().call(Self.method)["starts"]?.array
                #expect(starts?.isEmpty == true)
            }
        }
    }
}
