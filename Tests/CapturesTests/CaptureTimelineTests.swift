import Chronology
import Testing

@testable import Captures

@Suite struct CaptureTimelineTests {
    /// Seconds at which each line arrives.
    private func arrivals(_ lines: [String]) -> [Double] {
        var timeline = CaptureTimeline()
        return lines.map { timeline.arrival(of: Array($0.utf8).span.bytes).nanoseconds }.map { Double($0) / 1e9 }
    }

    @Test func linesOfOneEpochArriveTogether() {
        #expect(arrivals([gga("120000.00"), line("GPGSV,1,1,00"), rmc("120000.00", "140326"), gga("120001.00")]) == [0, 0, 0, 1])
    }

    @Test func stepsAreTheReceivers() {
        #expect(arrivals([gga("120000.00"), gga("120000.10"), gga("120000.14"), gga("120100.14")]) == [0, 0.1, 0.14, 60.14])
    }

    @Test func midnightIsAStepLikeAnother() {
        #expect(arrivals([gga("235959.00"), gga("000000.00"), gga("000002.00")]) == [0, 1, 3])
    }

    /// A restart, and a gap that nobody wants to wait through.
    @Test func backwardsAndOverAnHourAreASecond() {
        #expect(arrivals([gga("120000.00"), gga("115959.00"), gga("130000.00"), gga("130001.00")]) == [0, 1, 2, 3])
    }

    @Test func untimedEpochsAreASecondApart() {
        let lines = [line("GPGGA,,,,,,0,00,99.99,,,,,,"), line("GPRMC,,V,,,,,,,,,,N")]
        #expect(arrivals(lines + lines + lines) == [0, 0, 1, 1, 2, 2])
    }
}
