import Chronology
import NMEA
import Testing

@Suite struct SentenceEncoderTests {
    private func solution(_ latitude: Double, _ longitude: Double) -> NavigationSolution {
        var s = NavigationSolution()
        (s.time, s.date) = (33_201_000, CivilDate(year: 2002, month: 12, day: 9))
        s.fix = .autonomous
        s.latitude = latitude
        s.longitude = longitude
        s.altitude = 499.6
        s.geoidSeparation = 48.0
        s.satellitesUsed = 8
        s.pdop = 1.94
        s.hdop = 1.01
        s.vdop = 1.54
        return s
    }

    private func encode(_ write: (inout SentenceEncoder) -> Void) -> String {
        var encoder = SentenceEncoder(layout: .init(version: .v2_3, talker: "GP"))
        write(&encoder)
        return String(decoding: encoder.takeBytes(), as: UTF8.self)
    }

    /// The GGA example of the u-blox 6 receiver description.
    @Test func `GGA matches the example of the u-blox manual`() {
        let s = solution(47 + 17.11399 / 60, 8 + 33.91590 / 60)
        var laterSolution = s
        laterSolution.time = 34_045_000
        #expect(
            encode { $0.gga(laterSolution) }
                == "$GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,*5B\r\n")
    }

    @Test func `minutes never reach 60`() {
        let s = solution(-59.999_999_999_9, 179.999_999_999_9)
        #expect(encode { $0.gll(s) }.hasPrefix("$GPGLL,6000.00000,S,18000.00000,E,091321.00,A,A*"))
    }

    @Test func `unknown values are empty fields`() {
        let emptySolution = NavigationSolution()
        #expect(encode { $0.rmc(emptySolution) } == "$GPRMC,,V,,,,,,,,,,N*53\r\n")
        #expect(encode { $0.zda(emptySolution) } == "$GPZDA,,,,,00,00*48\r\n")
        #expect(encode { $0.gsv(satellites: [], systems: [.gps]) } == "$GPGSV,1,1,00*79\r\n")
    }

    @Test func `out-of-range values cannot make a sentence invalid`() {
        var s = solution(0, 0)
        s.altitude = .infinity
        s.speed = .nan
        s.course = 1e300
        s.hdop = -0.001
        s.satellitesUsed = .max
        s.time = -5
        s.latitude = 1e300
        let sent = encode {
            $0.gga(s)
            $0.rmc(s)
            $0.vtg(s)
            $0.pubx00(s)
            $0.txt("a\r\n$b*c,d€")
        }
        #expect(lines(Array(sent.utf8)).allSatisfy(isValid))
        #expect(lines(Array(sent.utf8)).last.map { fields($0).last } == "abcd")
    }

    @Test func `thirteen used satellites take two GSA sentences`() {
        let satellites = (1...13).map { number in
            var satellite = SentenceEncoder.Satellite(system: .gps, number: number)
            satellite.isUsed = true
            return satellite
        }
        let sent = lines(Array(encode { $0.gsa(solution(0, 0), satellites: satellites, systems: [.gps]) }.utf8))
        #expect(sent.map { fields($0)[3] } == ["01", "13"])
        #expect(sent.allSatisfy { fields($0).count == 18 })
    }
}
