import Chronology
import Locator
import Testing

/// Captures that are received in parts.
@Suite struct ReplayInPartsTests {
    private func effects(_ bytes: [UInt8], partSize: Int) -> [String] {
        var replay = Replay(options: Replay.Options(receiver: "test"))
        var effects: [String] = []
        for start in stride(from: 0, to: bytes.count, by: partSize) {
            replay.receive(bytes[start..<min(start + partSize, bytes.count)]) { effects.append("\($0)") }
        }
        replay.finish { effects.append("\($0)") }
        return effects
    }

    /// Dates before and after the first fix, a header, and a burst that starts without a time.
    private static let captures: [[UInt8]] = {
        let header = "# Date: 2026-11-21\n"
        let epochs = (10..<40).map { gga("1200\($0).00") + rmc("1200\($0).00", date: "211126") }.joined()
        let undated = (10..<40).map { gga("1200\($0).00") }.joined()
        return [header + epochs, epochs, header + undated, undated, header + undated + epochs, "$GPV\r" + epochs].map {
            Array($0.utf8)
        }
    }()

    @Test(arguments: ReplayInPartsTests.captures.indices, [1, 7, 100, 9000])
    func `the size of the parts changes nothing`(capture: Int, partSize: Int) {
        let bytes = Self.captures[capture]
        var whole: [String] = []
        var replay = Replay(bytes, options: Replay.Options(receiver: "test"))
        replay.run { whole.append("\($0)") }
        #expect(whole.count > 30)
        #expect(effects(bytes, partSize: partSize) == whole)
    }

    @Test func `data without lines is not kept in memory`() {
        var replay = Replay(options: Replay.Options(receiver: "test"))
        let part = [UInt8](repeating: 0, count: 1 << 18)
        for _ in 0..<64 {
            replay.receive(part[...]) { _ in }
            #expect(replay.size - replay.position < 80 << 10)
        }
        replay.finish { _ in }
        #expect(replay.size == 64 << 18 && replay.position == replay.size)
    }

    /// The header has no date: a date is expected within the first megabytes.
    @Test func `a capture without a date is not kept in memory`() {
        var replay = Replay(options: Replay.Options(receiver: "test", start: .init(rfc3339: "2026-11-21")))
        let part = [UInt8](repeating: 0, count: 1 << 18)
        var greatest = 0
        for _ in 0..<64 {
            replay.receive(part[...]) { _ in }
            greatest = max(greatest, replay.size - replay.position)
        }
        #expect(greatest <= 4 << 20)
    }
}
