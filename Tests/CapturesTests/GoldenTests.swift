import Delivery
import GeoJSON
import Testing

/// Every capture of this repository against its golden result in `captures/golden`.
///
/// A change that is meant: `make goldens`, look at the difference, commit both.
@Suite struct GoldenTests {
    static let folder = Files.package + "/captures"
    static let captures = Files.names(in: folder, ending: ".nmea").map(Files.stem)
    static let updates = Files.names(in: folder + "/golden", ending: ".updates").map(Files.stem)

    static let events = Files.names(in: folder + "/golden", ending: ".events").map(Files.stem)

    @Test func thereAreCapturesAndAGoldenForEach() {
        #expect(Self.captures.count >= 8)
        #expect(Files.names(in: Self.folder + "/golden", ending: ".fixes").map(Files.stem) == Self.captures)
        #expect(!Self.updates.isEmpty && !Self.events.isEmpty)
    }

    @Test(arguments: captures)
    func fixes(name: String) throws {
        let printed = try Playback.lines(try Files.read("\(Self.folder)/\(name).nmea"), receiver: name)
        try compare(printed, "\(name).fixes")
    }

    /// The name of the file says for which configuration: `tunnel.default.updates`.
    @Test(arguments: updates)
    func updatesOfASubscriber(golden: String) throws {
        let name = Files.stem(golden)
        let configuration = try #require(LiveConfiguration(rawValue: String(golden.dropFirst(name.count + 1))))
        let printed = try Playback.lines(try Files.read("\(Self.folder)/\(name).nmea"), receiver: name, updates: configuration)
        try compare(printed, "\(golden).updates")
    }

    /// The name of the file says whose conditions: `tunnel.park.events`.
    @Test(arguments: events)
    func eventsOfFences(golden: String) throws {
        let parts = golden.split(separator: ".").map(String.init)
        let fences = try FeatureCollection(parsing: try Files.read("\(Self.folder)/\(parts[1]).geojson")).features
        let printed = try Playback.events(try Files.read("\(Self.folder)/\(parts[0]).nmea"), receiver: parts[0], fences: fences)
        try compare(printed, "\(golden).events")
    }

    @Test func visitsOfAParkedCar() throws {
        let printed = try Playback.visits(try Files.read("\(Self.folder)/parked.nmea"))
        try compare(printed, "parked.visits")
    }

    /// Names the first line that differs: the rest mostly follows from it.
    private func compare(_ printed: [String], _ golden: String) throws {
        let text = String(decoding: try Files.read("\(Self.folder)/golden/\(golden)"), as: UTF8.self)
        let wanted = text.split(separator: "\n").map(String.init)
        let mend = "`make goldens` makes captures/golden again, if this is meant"
        if let at = zip(printed, wanted).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            Issue.record("\(golden) line \(at + 1) differs.\n  now     \(printed[at])\n  golden  \(wanted[at])\n\(mend)")
        } else if printed.count != wanted.count {
            Issue.record("\(golden) has \(wanted.count) lines, now there are \(printed.count).\n\(mend)")
        }
    }
}
