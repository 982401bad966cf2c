import Chronology
import DaemonSupport
import Geodesy
import Glibc
import Receivers
import SextantAPI
import SystemCalls
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

    @Test func `a database is that of its device`() {
        let database = SatelliteData.Database(time: Self.date, firmware: "FWVER=SPG 3.01", bytes: [0xB5, 10, 0])
        let file = database.file(of: "usb:1546:01a8 at 1-1")
        #expect(SatelliteData.Database(file: file, of: "usb:1546:01a8 at 1-1") == database)
        #expect(SatelliteData.Database(file: file, of: "usb:1546:01a8") == nil)
        for text in ["", "sextant database 2\n1 a\nF\n", "sextant database 1\nx a\nF\n", "sextant database 1\n1 a\nF"] {
            #expect(SatelliteData.Database(file: Array(text.utf8), of: "a") == nil)
        }
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

/// The files of AssistNow Offline that the owner lays in a folder.
@Suite struct AssistanceFilesTests {
    private static let day = UTCTime(milliseconds: 1_795_564_800_000).date

    /// A message of a satellite for the day, which tells files apart.
    private func message(_ satellite: UInt8, days: Int = 0) -> [UInt8] {
        let date = CivilDate(daysSince1970: Self.day.daysSince1970 + days).components
        let when = [UInt8(date.year - 2000), UInt8(date.month), UInt8(date.day)]
        return UBXFrame(0x13, 0x20, [0, 0, satellite, 0] + when + [UInt8](repeating: 0, count: 69)).bytes
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) })
        try systemCall("writing \(path)") { Glibc.write(file.number, bytes, bytes.count) }
    }

    private func read(_ scratch: Scratch) -> (satellites: [UInt8], reports: [String]) {
        var reports: [String] = []
        let bytes = AssistanceFiles(scratch.path).messages(on: Self.day) { reports.append($0) }
        return (UBXFrame.frames(in: bytes).map { $0.payload[2] }, reports)
    }

    @Test func `messages of the day are read from the last files by name`() throws {
        let scratch = try Scratch()
        for number in 10..<30 {
            try write(message(UInt8(number)) + message(99, days: 1), to: scratch("mga-\(number).ubx"))
        }
        try write(message(98), to: scratch("zzz.txt"))
        let (satellites, reports) = read(scratch)
        #expect(satellites == (14..<30).reversed().map(UInt8.init))
        #expect(reports == ["only the last 16 of 20 files by name are read"])
    }

    @Test func `what is no readable file is left out, and the others are used`() throws {
        let scratch = try Scratch()
        try write(message(1), to: scratch("a.ubx"))
        mkdir(scratch("b.ubx"), 0o700)
        mkfifo(scratch("c.ubx"), 0o600)
        symlink("/dev/null", scratch("d.ubx"))
        symlink(scratch("none"), scratch("e.ubx"))
        let (satellites, reports) = read(scratch)
        #expect(satellites == [1] && reports.count == 4)
        #expect(reports.filter { $0.contains("not a regular file") }.count == 3)
    }

    @Test func `a file with which there would be too much is left out and reported`() throws {
        let scratch = try Scratch()
        try write(Array(repeatElement(message(1), count: 300).joined()), to: scratch("b.ubx"))
        try write(Array(repeatElement(message(2), count: 100).joined()), to: scratch("a.ubx"))
        let (satellites, reports) = read(scratch)
        #expect(satellites == [UInt8](repeating: 1, count: 300))
        #expect(reports == ["a.ubx is left out: with it, there would be more than 31744 bytes"])
    }

    @Test func `a folder that cannot be read, and a file that is too long, are reported`() throws {
        var reports: [String] = []
        #expect(AssistanceFiles("/nonexistent").messages(on: Self.day) { reports.append($0) }.isEmpty)
        #expect(reports.count == 1 && reports[0].hasPrefix("no file is used"))
        let scratch = try Scratch()
        let padding = [UInt8](repeating: 0, count: 1024 * 1024 - 84)
        try write(padding + message(1) + message(2), to: scratch("a.ubx"))
        let long = read(scratch)
        #expect(long.satellites == [1] && long.reports.count == 1)
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

        @Test func `the last place is that of a port, and only while the location is on`() throws {
            let scratch = try Scratch()
            let starts = scratch("state/assistance/starts")
            func hasPlace() -> Bool { Scratch.text(of: starts).contains("\nplace ") }
            let port = try VirtualPort(scratch("gps"))
            let configuration = "[receivers]\ndiscover = false\n"
            try TestDaemon.run(devices: [port.link], configuration: configuration, scratch: scratch) { daemon in
                var places = Places()
                let feed = try RawClient(daemon.socket)
                feed.send(#"{"method":"io.sextant.Receiver.Feed","parameters":{"name":"net"},"upgrade":true}"# + "\0")
                #expect(try feed.next()?.failure == nil)
                _ = feed.sendAsMuchAsPossible(places.next(5))
                let client = try daemon.connect()
                try waitUntil("epochs of the feed") {
                    let receivers = try client.call("io.sextant.Receiver.List")["receivers"]?.array ?? []
                    return receivers.contains { $0["name"] == "net" && $0["counts"]?["epochs"]?.int ?? 0 >= 4 }
                }
                #expect(!hasPlace())
                try port.send(places.next(5))
                try waitUntil("the last place") { hasPlace() }
                try client.call("io.sextant.Permission.SetEnabled", ["enabled": false])
                try waitUntil("its end") { !hasPlace() }
                try port.send(places.next(3))
                daemon.terminate()
                #expect(try daemon.process.waitForEnd() == .code(0))
            }
            #expect(!hasPlace())
        }

        @Test func `databases are erased with the other positions, and if they are not wanted`() throws {
            for configuration in ["", "[assistance]\ndatabase = false\n"] {
                let scratch = try Scratch()
                _ = mkdir(scratch("state"), 0o700)
                _ = mkdir(scratch("state/assistance"), 0o700)
                _ = try scratch.write("x", to: "state/assistance/database7")
                try TestDaemon.run(configuration: configuration, scratch: scratch) { daemon in
                    let client = try daemon.connect()
                    #expect((access(scratch("state/assistance/database7"), F_OK) == 0) == configuration.isEmpty)
                    try client.call("io.sextant.Permission.SetEnabled", ["enabled": false])
                    try waitUntil("its end") { access(scratch("state/assistance/database7"), F_OK) != 0 }
                }
            }
        }

        @Test func `what could not be erased is erased later`() throws {
            let scratch = try Scratch()
            _ = mkdir(scratch("state"), 0o700)
            _ = mkdir(scratch("state/assistance"), 0o700)
            _ = try scratch.write(Self.file, to: "state/assistance/starts")
            // It is in the way of the new file.
            _ = mkdir(scratch("state/assistance/starts.new"), 0o700)
            try TestDaemon.run(scratch: scratch) { daemon in
                _ = try daemon.connect().call("io.sextant.Permission.Forget")
                #expect(daemon.logged("has the last place and the starts as before until it can be written") == 1)
                #expect(Scratch.text(of: scratch("state/assistance/starts")).contains("place"))
                rmdir(scratch("state/assistance/starts.new"))
                daemon.terminate()
                #expect(try daemon.process.waitForEnd() == .code(0))
            }
            #expect(!Scratch.text(of: scratch("state/assistance/starts")).contains("place"))
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
