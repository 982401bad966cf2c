import Geofencing
import Locator
import Positioning
import TestSupport
import Testing

/// Compares every capture of this repository with its golden result in `captures/golden`.
///
/// After an intended change: run `make goldens`, review the difference, commit both.
@Suite struct GoldenTests {
    static let folder = PackageFiles.package + "/captures"
    static let captures = PackageFiles.names(in: folder, ending: ".nmea").map(PackageFiles.stem)
    static let updates = PackageFiles.names(in: folder + "/golden", ending: ".updates").map(PackageFiles.stem)

    static let events = PackageFiles.names(in: folder + "/golden", ending: ".events").map(PackageFiles.stem)

    @Test func `every capture has a golden file`() {
        #expect(Self.captures.count >= 8)
        #expect(
            PackageFiles.names(in: Self.folder + "/golden", ending: ".fixes").map(PackageFiles.stem) == Self.captures)
        #expect(!Self.updates.isEmpty && !Self.events.isEmpty)
    }

    @Test(arguments: captures)
    func `fixes match the golden file`(name: String) throws {
        let printed = try Playback.lines(try PackageFiles.read("\(Self.folder)/\(name).nmea"), receiver: name)
        try compare(printed, with: "\(name).fixes")
    }

    /// The file name gives the configuration: `tunnel.default.updates`.
    @Test(arguments: updates)
    func `updates of a stream match the golden file`(golden: String) throws {
        let name = PackageFiles.stem(golden)
        let configuration = try #require(Configuration(rawValue: String(golden.dropFirst(name.count + 1))))
        let printed = try Playback.lines(
            try PackageFiles.read("\(Self.folder)/\(name).nmea"), receiver: name, updates: configuration)
        try compare(printed, with: "\(golden).updates")
    }

    /// The file name gives the set of fences: `tunnel.park.events`.
    @Test(arguments: events)
    func `fence events match the golden file`(golden: String) throws {
        let parts = golden.split(separator: ".").map(String.init)
        let fences = try FeatureCollection(parsing: try PackageFiles.read("\(Self.folder)/\(parts[1]).geojson"))
            .features
        let printed = try Playback.events(
            try PackageFiles.read("\(Self.folder)/\(parts[0]).nmea"), receiver: parts[0], fences: fences)
        try compare(printed, with: "\(golden).events")
    }

    @Test func `visits of a parked car match the golden file`() throws {
        let printed = try Playback.visits(try PackageFiles.read("\(Self.folder)/parked.nmea"))
        try compare(printed, with: "parked.visits")
    }

    @Test(arguments: ["compass", "tunnel"])
    func `headings match the golden file`(name: String) throws {
        let printed = try Playback.headings(try PackageFiles.read("\(Self.folder)/\(name).nmea"), receiver: name)
        try compare(printed, with: "\(name).headings")
    }

    /// Reports only the first line that differs, because the others mostly follow from it.
    private func compare(_ printed: [String], with golden: String) throws {
        let text = String(decoding: try PackageFiles.read("\(Self.folder)/golden/\(golden)"), as: UTF8.self)
        let wanted = text.split(separator: "\n").map(String.init)
        let remedy = "`make goldens` makes captures/golden again, if this is meant"
        if let index = zip(printed, wanted).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            let lines = "now     \(printed[index])\n  golden  \(wanted[index])"
            Issue.record("\(golden) line \(index + 1) differs.\n  \(lines)\n\(remedy)")
        } else if printed.count != wanted.count {
            Issue.record("\(golden) has \(wanted.count) lines, now there are \(printed.count).\n\(remedy)")
        }
    }
}
