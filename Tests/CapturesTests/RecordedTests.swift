import Captures
import Chronology
import Locator
import NMEA
import Positioning
import Testing

/// Every file of `../shared/captures/recorded`, hours of drives, ships and phones: no crash, no silent stop, one fix for each moment.
@Suite(.enabled(if: SharedCaptures.folder != nil, SharedCaptures.whereToFindThem))
struct RecordedTests {
    /// What is in a file. Positions are as many as there are distinct times of good sentences that tell of a fix.
    private struct Row {
        var file: String
        var epochs: Int
        var positions: Int
        /// What was thrown away: wrong checksum, none, cut short, senseless.
        var lost = (0, 0, 0, 0)
        var remark: String
    }

    private static let rows = [
        Row(file: "aerorust_nmea1.log", epochs: 1307, positions: 993, remark: "314 epochs without time or fix"),
        Row(file: "dotmorten_sample.nmea", epochs: 4469, positions: 4469, remark: "crosses midnight"),
        Row(
            file: "dotmorten_trimbleR2.nmea", epochs: 34, positions: 34,
            remark: "GNS for each constellation, times 50 ms apart in one burst"),
        Row(file: "gnsslib_pixel6.nmea", epochs: 48, positions: 48, remark: "a fix every 12 s, a phone's stamps around each line"),
        Row(file: "google_F9K_drive.nmea", epochs: 1654, positions: 1654, lost: (13, 0, 0, 0), remark: "some damaged lines"),
        Row(
            file: "google_SPAN_reference.gga", epochs: 1748, positions: 1748, lost: (1748, 0, 0, 0),
            remark: "every GGA was edited and its checksum left: the fixes are RMC's alone"),
        Row(file: "nmeaplotter.log", epochs: 103, positions: 98, remark: "everything once to four times; five epochs without a time"),
        Row(file: "openrvdas_PCOD.log", epochs: 1000, positions: 1000, remark: "a logger's stamp before each line, dates 1,024 weeks low"),
        Row(
            file: "openrvdas_gp02.log", epochs: 1666, positions: 1666, lost: (0, 3, 0, 0),
            remark: "no checksums, which three lines must show first; GLL without a time, ZDA as the clock"),
        Row(file: "openrvdas_seap.log", epochs: 715, positions: 715, remark: "ZDA as the only date"),
        Row(
            file: "semu_com3.ubx", epochs: 90, positions: 0, lost: (0, 0, 88, 0), remark: "indoors, never a fix, UBX in between and within"),
        Row(
            file: "signalk_gofree.log", epochs: 142, positions: 142, lost: (142, 0, 994, 0),
            remark: "GPBWC with a wrong checksum and a VLW with seven dollars in it, once a second each"),
        Row(file: "signalk_gps.log", epochs: 1202, positions: 1202, remark: "a still receiver"),
        Row(
            file: "signalk_plaka.log", epochs: 7250, positions: 7250, lost: (0, 0, 0, 7250),
            remark: "four hours of GLL every 2 s; an empty GSV each time, and ZDA without a date"),
        Row(file: "zxcwhale.nmea", epochs: 36, positions: 36, remark: "BeiDou under BD"),
    ]

    @Test func everyFileIsListed() {
        let names = Files.names(in: SharedCaptures.recorded, ending: ".log", ".nmea", ".gga", ".ubx")
        #expect(names == Self.rows.map(\.file).sorted())
    }

    /// `--start` dates the files that hold no date, so that each has times to tell moments apart by.
    @Test(arguments: rows.map(\.file))
    func isPlayedToTheEnd(file: String) throws {
        let row = try #require(Self.rows.first { $0.file == file })
        let bytes = try Files.read("\(SharedCaptures.recorded)/\(file)")
        var fixes: [Fix] = []
        var replay = Replay(bytes, Replay.Options(receiver: file, start: UTCTime(rfc3339: "2026-01-01")))
        replay.run { effect in if case .epoch(_, let fix) = effect { fixes.append(fix) } }
        #expect(replay.position == bytes.count)
        #expect(fixes.count == row.epochs)
        #expect(fixes.count { $0.coordinate != nil } == row.positions)
        let times = fixes.compactMap(\.time)
        #expect(Set(times).count == times.count, "a moment has two fixes")
        expectLosses(try #require(replay.report).counts, row)
    }

    private func expectLosses(_ counts: InputCounts, _ row: Row) {
        #expect((counts.checksumErrors, counts.missingChecksums, counts.truncated, counts.malformed) == row.lost)
        #expect(counts.overlong == 0)
    }
}
