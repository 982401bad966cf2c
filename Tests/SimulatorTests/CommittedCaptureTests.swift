import Chronology
import Simulator
import Testing

@testable import Simulator

@Suite struct CommittedCaptureTests {
    static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/captures/"
    static let names = [
        "ublox-6", "ublox-m8", "mtk", "sirf", "casic", "garmin", "quectel", "cold-start", "cold-start-clock", "tunnel",
        "midnight",
        "rollover", "multi-constellation-10hz", "corrupt-lines", "no-date", "parked",
    ]

    @Test(arguments: names)
    func `each capture is small and intact and has a header`(name: String) throws {
        let bytes = try readFile(Self.folder + name + ".nmea")
        #expect(bytes.count < 100_000)
        let text = lines(bytes)
        for key in ["Name", "Chipset", "Date", "Location", "Note"] {
            #expect(text.contains { $0.hasPrefix("# \(key): ") })
        }
        let sentences = text.filter { !$0.hasPrefix("#") }
        let damaged = sentences.filter { !isValid($0) }.count
        #expect(name == "corrupt-lines" ? damaged > 20 : damaged == 0)
    }

    @Test func `the simulator reproduces the MTK capture`() throws {
        var options = SimulatorOptions()
        options.receiver = .mtk
        options.seed = 33
        options.startTime = UTCTime(rfc3339: "2026-04-02T17:05:00Z")
        options.duration = .seconds(180)
        let committed = lines(try readFile(Self.folder + "mtk.nmea")).filter { !$0.hasPrefix("#") }
        #expect(lines(try SimulatedCapture.bytes(options)) == committed)
    }
}
