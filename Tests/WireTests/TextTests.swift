import Positioning
import Testing
import Wire

@Suite("What is printed")
struct TextTests {
    @Test("Keys come in order, slashes plain, and digits stop where knowledge does")
    func line() throws {
        let location = try #require(Samples.location(Samples.fullFix))
        let text = String(decoding: try JSONText.line(location), as: UTF8.self)
        #expect(
            text == """
                {"accuracySource":"gst","altitude":4.5,"course":254.25,"courseAccuracy":1.5,"ellipsoidalAltitude":27,"hdop":0.52,\
                "horizontalAccuracy":0.021,"latitude":-33.8567844,"longitude":151.2152967,"mode":"3d","quality":"rtkFixed",\
                "receiver":"ttyACM0","satellitesUsed":19,"speed":12.5,"speedAccuracy":0.1,"timestamp":"2026-11-18T11:06:40.250Z",\
                "verticalAccuracy":0.04}
                """)
    }

    @Test("An epoch without position has a line of its own")
    func emptyEpoch() throws {
        let text = String(decoding: try JSONText.line(EpochLine(Fix(), receiver: "a/b")), as: UTF8.self)
        #expect(text == #"{"mode":"none","quality":"none","receiver":"a/b"}"#)
    }

    @Test("gpsd's report of the same epoch")
    func tpv() throws {
        let text = String(decoding: try JSONText.line(TPV(Samples.leastFix)), as: UTF8.self)
        #expect(text == #"{"class":"TPV","lat":0.5,"lon":0,"mode":2}"#)
    }
}
