import Chronology
import NMEA
import Testing

@Suite struct SiRFAndSkyTraqTests {
    @Test func `PSRFEPE errors are parsed`() throws {
        let errors = try #require(decode("PSRFEPE,074155.799,A,1.3,10.59,52.97,0.6,180.0").proprietary?.psrfepe)
        #expect(errors.time == TimeOfDay(hour: 7, minute: 41, second: 55, milliseconds: 799))
        #expect(errors.isValid == true)
        #expect(
            [errors.horizontalError, errors.verticalError, errors.speedError, errors.courseError] == [
                10.59, 52.97, 0.6, 180,
            ])
    }

    @Test func `PSRF150 reports waking and sleeping`() throws {
        #expect(try #require(decode("PSRF150,1").proprietary?.psrf150).isReady)
        #expect(try !#require(decode("PSRF150,0").proprietary?.psrf150).isReady)
    }

    /// A line of the capture `skytraq-dgps`.
    @Test func `PSTI 030 is parsed`() throws {
        let body = "PSTI,030,213123.000,A,4404.1296473,N,12118.8685846,W,1102.317,0.02,-0.04,0.12,070416,D,0.0,0.0"
        let fix = try #require(decode(body).proprietary?.psti030)
        #expect(fix.time == TimeOfDay(hour: 21, minute: 31, second: 23))
        #expect(fix.date?.civilDate == UTCTime(rfc3339: "2016-04-07")?.date)
        #expect(fix.isValid == true)
        #expect(same(fix.position?.latitude, 44 + 4.1296473 / 60))
        #expect(same(fix.position?.longitude, -(121 + 18.8685846 / 60)))
        #expect(
            [fix.altitude, fix.eastwardSpeed, fix.northwardSpeed, fix.upwardSpeed] == [1102.317, 0.02, -0.04, 0.12])
        #expect(fix.mode == .differential)
    }

    /// A line of the capture `skytraq-PX1172RH_DS`.
    @Test func `an undocumented mode letter has no value`() throws {
        let body = "PSTI,030,003832.000,A,4404.1271062,N,12118.8438377,W,1127.630,-0.00,-0.01,0.02,290322,O,1.000,1.100"
        #expect(try #require(decode(body).proprietary?.psti030).mode == nil)
    }

    @Test func `the PSTI 032 baseline is parsed`() throws {
        let body = "PSTI,032,003832.000,290322,A,O,-503.349,-2270.309,60.062,2326.213,192.50,,,,,"
        let baseline = try #require(decode(body).proprietary?.psti032)
        #expect(baseline.time == TimeOfDay(hour: 0, minute: 38, second: 32))
        #expect(baseline.isValid == true)
        #expect(
            [baseline.east, baseline.north, baseline.up, baseline.length, baseline.course] == [
                -503.349, -2270.309, 60.062, 2326.213, 192.5,
            ])
    }

    @Test(arguments: [
        "PSRFEPE", "PSRFEPE,074155.799,A,1.3", "PSRF150", "PSRF150,2", "PSTI,030",
        "PSTI,030,213123.000,A,4404.1,N,12118.8,W,1102,0,0,0",
        "PSTI,032,003832.000,290322,A,R,1,2,3",
    ])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }

    @Test(arguments: [
        "PSTI,033,003832.000,290322,2,R,0,G,0,0", "PSTI", "PSTI,", "PSTI,x", "PSRF103,0,0,1,1", "PSRFTXT,Version",
    ])
    func `unsupported sentences are unknown`(body: String) {
        #expect(decode(body).isUnknown)
    }
}
