import Chronology
import Locator
import NMEA
import Positioning
import TestSupport
import Testing

/// Every file of ``SharedCaptures/recorded``, which holds hours of drives, ships and phones. The
/// replay must not crash or stop early. It must give one fix for each time, a position in every
/// epoch in which the receiver had one, and no position in the others.
///
/// The counts are in `captures/golden/recorded.counts`; an independent count of the log must agree
/// with them.
@Suite(.enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)))
struct RecordedTests {
    /// The contents of a file.
    private struct Row {
        var file: String
        /// The number of epochs by which the independent count exceeds the core's.
        var beyond = 0
        /// The sentences dropped for a wrong checksum, a missing checksum, truncation or malformed
        /// content.
        var lost = (0, 0, 0, 0)
        var remark: String
    }

    private static let rows = [
        Row(file: "aerorust_nmea1.log", remark: "314 epochs without time or fix"),
        Row(file: "dotmorten_sample.nmea", remark: "crosses midnight"),
        Row(
            file: "dotmorten_trimbleR2.nmea",
            remark: "GNS for each constellation, times 50 ms apart in one burst"),
        Row(file: "gnsslib_pixel6.nmea", remark: "a fix every 12 s, a phone's stamps around each line"),
        Row(file: "google_F9K_drive.nmea", lost: (13, 0, 0, 0), remark: "some damaged lines"),
        Row(
            file: "google_SPAN_reference.gga", lost: (1748, 0, 0, 0),
            remark: "every GGA was edited and its checksum left: the fixes are RMC's alone"),
        Row(file: "nmeaplotter.log", remark: "everything once to four times; five epochs without a time"),
        Row(file: "openrvdas_PCOD.log", remark: "a logger's stamp before each line, dates 1,024 weeks low"),
        Row(
            file: "openrvdas_gp02.log", beyond: 1, lost: (0, 3, 0, 0),
            remark:
                "no checksums, which three lines must show first, one of them a GLL; GLL without a time, ZDA as the "
                + "clock"
        ),
        Row(file: "openrvdas_seap.log", remark: "ZDA as the only date"),
        Row(
            file: "semu_com3.ubx", lost: (0, 0, 88, 0), remark: "indoors, never a fix, UBX in between and within"),
        Row(
            file: "signalk_gofree.log", lost: (142, 0, 994, 0),
            remark: "GPBWC with a wrong checksum and a VLW with seven dollars in it, once a second each"),
        Row(file: "signalk_gps.log", remark: "a still receiver"),
        Row(
            file: "signalk_plaka.log", lost: (0, 0, 0, 7250),
            remark: "four hours of GLL every 2 s; an empty GSV each time, and ZDA without a date"),
        Row(file: "zxcwhale.nmea", remark: "BeiDou under BD"),
    ]

    @Test func `every recorded file is listed`() throws {
        let names = PackageFiles.names(in: SharedCaptures.recorded, ending: ".log", ".nmea", ".gga", ".ubx")
        #expect(names == Self.rows.map(\.file).sorted())
        #expect(names == (try Self.golden().map(\.file)))
    }

    private static func golden() throws -> [(file: String, epochs: Int, withFix: Int, without: Int)] {
        let text = String(
            decoding: try PackageFiles.read(PackageFiles.package + "/captures/golden/recorded.counts"), as: UTF8.self)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: " ")
            let counts = fields.dropFirst().compactMap { Int($0) }
            try #require(counts.count == 3, "\(line)")
            return (String(fields[0]), counts[0], counts[1], counts[2])
        }
    }

    /// `--start` dates the files without a date, so that every epoch has a time.
    @Test(arguments: rows.map(\.file))
    func `each recorded file replays to its end with the expected counts`(file: String) throws {
        let row = try #require(Self.rows.first { $0.file == file })
        let bytes = try PackageFiles.read("\(SharedCaptures.recorded)/\(file)")
        var fixes: [Fix] = []
        var replay = Replay(bytes, options: Replay.Options(receiver: file, start: UTCTime(rfc3339: "2026-01-01")))
        replay.run { effect in if case .receiver(.epoch(_, let fix)) = effect { fixes.append(fix) } }
        #expect(replay.position == bytes.count)
        let golden = try #require(try Self.golden().first { $0.file == file }, "not in captures/golden/recorded.counts")
        let withFix = fixes.count { $0.coordinate != nil }
        #expect((fixes.count, withFix, fixes.count - withFix) == (golden.epochs, golden.withFix, golden.without))
        let reference = ReferenceEpochCount(bytes)
        #expect((reference.withFix, reference.without) == (withFix + row.beyond, fixes.count - withFix))
        let times = fixes.compactMap(\.time)
        #expect(Set(times).count == times.count, "a moment has two fixes")
        expectLosses(try #require(replay.report).counts, of: row)
    }

    private func expectLosses(_ counts: InputCounts, of row: Row) {
        #expect((counts.checksumErrors, counts.missingChecksums, counts.truncated, counts.malformed) == row.lost)
        #expect(counts.overlong == 0)
    }
}
