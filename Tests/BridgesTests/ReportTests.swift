import Bridges
import Chronology
import Geodesy
import Positioning
import SextantAPI
import Testing
import Varlink

@Suite struct ReportTests {
    @Test func `errors have the confidence of gpsd`() throws {
        let location = try #require(try Samples.update(Samples.location(accuracy: 2)).location)
        let tpv = TPV(location)
        #expect(tpv.eph == 2 * 1.62)
        #expect(tpv.epx == 2 * 1.30 && tpv.epy == tpv.epx)
        #expect(tpv.epv == 3 * 1.97)
        #expect(tpv.eps == 0.5 * 1.97)
        #expect(tpv.epd == 2 * 1.97)
    }

    @Test func `a fix is written as a TPV report of gpsd`() {
        var fix = Fix(mode: .twoD, quality: .differential)
        fix.coordinate = Coordinate(latitude: 0.5, longitude: 0)
        (fix.horizontalAccuracy, fix.accuracySource) = (10, .assumed)
        let text = String(decoding: TPV(fix).report.bytes, as: UTF8.self)
        #expect(
            text == #"{"class":"TPV","status":2,"mode":2,"lat":0.500000000,"lon":0.000000000,"#
                + #""epx":13.000,"epy":13.000,"eph":16.200}"#)
    }

    @Test func `an altitude has its former name too`() throws {
        let text = Samples.location().replacing("\"altitude\":8.5,", with: "")
        let tpv = TPV(try #require(try Samples.update(text).location))
        #expect(tpv.altMSL == nil && tpv.altHAE == 54.5 && tpv.alt == 54.5)
    }

    @Test func `GST is sent only where the receiver sends it`() throws {
        let stage = try GPSDStage.watching()
        for (source, count) in [("gst", 1), ("pubx", 0)] {
            stage.received = [:]
            stage.server.receive(try Samples.update(Samples.location(source: source)), at: stage.now)
            stage.collect()
            #expect(stage.classes().count { $0 == "GST" } == count)
        }
    }

    @Test(arguments: [
        ("gps", 7, 7, 0), ("sbas", 123, 36, 1), ("galileo", 11, 311, 2), ("beidou", 21, 421, 3), ("qzss", 2, 194, 5),
        ("glonass", 9, 73, 6), ("navic", 3, 503, 7),
    ])
    func `satellites have the numbers of gpsd`(system: String, number: Int, prn: Int, gnssid: Int) throws {
        let satellite = { (strength: Int) in
            #"{"system":"\#(system)","number":\#(number),"elevation":40,"azimuth":120,"carrierToNoise":\#(strength),"#
                + #""used":true}"#
        }
        let stage = try GPSDStage.watching()
        let both = satellite(30) + "," + satellite(35)
        stage.server.receive(
            try Samples.receivers(satellites: both), time: UTCTime(milliseconds: 0), at: stage.now)
        try stage.update()
        let text = stage.lines().joined()
        #expect(
            text.contains(
                #""nSat":1,"uSat":1,"satellites":[{"PRN":\#(prn),"el":40.0,"az":120.0,"ss":35.0,"used":true,"#
                    + #""gnssid":\#(gnssid),"svid":\#(number)}]}"#), "\(text)")
    }
}
