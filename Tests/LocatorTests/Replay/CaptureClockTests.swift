import Chronology
import Testing

@testable import Locator

@Suite struct CaptureClockTests {
    /// Returns the seconds at which each line arrives.
    private func arrivals(_ lines: [String]) -> [Double] {
        var clock = CaptureClock()
        let all = lines.map { Array($0.utf8) }
        var instants: [Double] = []
        for (index, line) in all.enumerated() {
            let rest = Array(all[(index + 1)...].joined())
            instants.append(Double(clock.arrival(of: line.span.bytes, followedBy: rest[...]).nanoseconds) / 1e9)
        }
        return instants
    }

    @Test func `lines of one epoch arrive together`() {
        #expect(
            arrivals([gga("120000.00"), line("GPGSV,1,1,00"), rmc("120000.00", date: "140326"), gga("120001.00")]) == [
                0, 0, 0, 1,
            ])
    }

    @Test func `steps follow the times that the receiver states`() {
        #expect(
            arrivals([gga("120000.00"), gga("120000.10"), gga("120000.14"), gga("120100.14")]) == [0, 0.1, 0.14, 60.14])
    }

    @Test func `midnight is an ordinary step`() {
        #expect(arrivals([gga("235959.00"), gga("000000.00"), gga("000002.00")]) == [0, 1, 3])
    }

    /// A restart, and a gap that a replay skips.
    @Test func `steps backwards or over an hour count as one second`() {
        #expect(arrivals([gga("120000.00"), gga("115959.00"), gga("130000.00"), gga("130001.00")]) == [0, 1, 2, 3])
    }

    /// A network or a multiplexer can delay a line of the previous burst. It arrives with the burst
    /// in which it stands.
    @Test func `a late sentence of the previous epoch takes no time`() {
        #expect(
            arrivals([
                gga("120000.00"), gga("120001.00"), rmc("120000.00", date: "140326"), rmc("120001.00", date: "140326"),
            ]) == [
                0, 1, 1, 1,
            ])
        #expect(
            arrivals([gga("235959.00"), gga("000000.00"), rmc("235959.00", date: "140326"), gga("000001.00")]) == [
                0, 1, 1, 2,
            ])
        // A repeated earlier time means that the clock was set back.
        #expect(arrivals([gga("120000.00"), gga("120001.00"), gga("120000.00"), gga("120001.00")]) == [0, 1, 2, 3])
    }

    /// A damaged time, and a burst that a multiplexer repeats.
    @Test(arguments: ["120007.00", "115954.00", "043000.00", "235959.00"])
    func `a time that stands alone takes no time`(wrong: String) {
        let date = "140326"
        let start = [gga("120000.00"), rmc("120000.00", date: date), gga("120001.00")]
        let end = [gga("120002.00"), rmc("120002.00", date: date)]
        #expect(arrivals(start + [rmc(wrong, date: date)] + end) == [0, 0, 1, 1, 2, 2])
        #expect(
            arrivals(start + [rmc("120001.00", date: date), gga(wrong), rmc(wrong, date: date)] + end) == [
                0, 0, 1, 1, 1, 1, 2, 2,
            ])
    }

    /// Trimble's sentences of one burst state times up to 50 ms apart, in any order.
    @Test func `a burst may state several times`() {
        let bursts = ["12000", "12001"].flatMap {
            [gga("\($0)0.05"), rmc("\($0)0.00", date: "140326"), gga("\($0)1.05")]
        }
        #expect(arrivals(Array(bursts.prefix(4))) == [0, 0, 1, 10])
    }

    @Test func `epochs without a time are one second apart`() {
        let lines = [line("GPGGA,,,,,,0,00,99.99,,,,,,"), line("GPRMC,,V,,,,,,,,,,N")]
        #expect(arrivals(lines + lines + lines) == [0, 0, 1, 1, 2, 2])
    }

    private static let vtg = line("GPVTG,77.5,T,,M,10.0,N,18.5,K,A")
    private static let gsa = line("GPGSA,A,3,02,05,,,,,,,,,,,2.0,1.0,1.7")

    /// The sentence that opens the capture opens every burst: it arrives after the silence, with
    /// the time that follows it.
    @Test(arguments: [vtg, gsa, line("GPGSV,2,1,05") + line("GPGSV,2,2,05")])
    func `sentences before the first timed one belong to the burst that follows`(head: String) {
        let bursts = ["120000", "120001", "120003"].flatMap {
            [head, gga("\($0).00"), rmc("\($0).00", date: "140326")]
        }
        #expect(arrivals(bursts) == [0, 0, 0, 1, 1, 1, 3, 3, 3])
    }

    /// The capture opens with a core sentence, with half a line, or with a sentence from the middle
    /// of a burst.
    @Test(arguments: [[gga("115959.00")], ["PVTG,77.5,T,,M,10.0,N,18.5,K,A*00\r\n"], [vtg, gsa]])
    func `a partial first burst is not taken as the start of every burst`(opening: [String]) {
        let bursts = ["120000", "120001"].flatMap {
            [gga("\($0).00"), Self.vtg, rmc("\($0).00", date: "140326"), Self.gsa]
        }
        let first = opening.first?.hasPrefix("$GPGGA") == true ? 1.0 : 0
        #expect(
            Array(arrivals(opening + bursts).dropFirst(opening.count)) == [0, 0, 0, 0, 1, 1, 1, 1].map { $0 + first })
    }

    /// The end of the capture, and a leading sentence without a time after it.
    @Test func `leading sentences without a burst after them take no time`() {
        #expect(arrivals([Self.vtg, gga("120000.00"), Self.vtg]) == [0, 0, 0])
        #expect(
            arrivals([Self.vtg, line("GPRMC,,V,,,,,,,,,,N"), Self.vtg, line("GPRMC,,V,,,,,,,,,,N")]) == [0, 0, 0, 1])
    }
}
