import Chronology
import Geofencing
import Locator
import Positioning
import SextantAPI
import Testing
import Varlink

@Suite("What is printed")
struct TextTests {
    @Test
    func `JSON has sorted keys, plain slashes and limited digits`() throws {
        let location = try #require(Samples.location(Samples.fullFix))
        let text = String(decoding: JSONFormat.line(location), as: UTF8.self)
        #expect(
            text == """
                {"accessory":true,"accuracySource":"gst","altitude":4.5,"course":254.25,"courseAccuracy":1.5,\
                "datum":"TOY","ellipsoidalAltitude":27,\
                "hdop":0.52,\
                "horizontalAccuracy":0.021,"latitude":-33.8567844,"longitude":151.2152967,"mode":"3d",\
                "quality":"rtkFixed",\
                "receiver":"ttyACM0","satellitesUsed":19,"simulated":true,"speed":12.5,"speedAccuracy":0.1,\
                "timestamp":"2026-11-18T11:06:40.250Z",\
                "verticalAccuracy":0.04}
                """)
    }

    @Test
    func `an epoch without position has a line`() throws {
        let text = String(decoding: try JSONFormat.line(EpochLine(Fix(), receiver: "a/b")), as: UTF8.self)
        #expect(text == #"{"mode":"none","quality":"none","receiver":"a/b"}"#)
    }

    @Test
    func `a fence event is written with all and with minimal fields`() throws {
        var event = ConditionEvent(
            ConditionID(1), kind: .entered, state: .satisfied, date: UTCTime(milliseconds: 1_795_000_000_000))
        event.location = Samples.minimalFix
        event.margin = 12.34567
        let place =
            #"{"accuracySource":"assumed","horizontalAccuracy":10,"latitude":0.5,"longitude":0,"mode":"2d","#
            + #""quality":"autonomous","receiver":"a"}"#
        let full = String(
            decoding: try JSONFormat.line(EventLine(event, identifier: "home", receiver: "a")), as: UTF8.self)
        #expect(
            full
                == #"{"date":"2026-11-18T11:06:40.000Z","identifier":"home","kind":"entered","location":\#(place),"#
                + #""margin":12.346,"state":"satisfied"}"#)
        let least = EventLine(
            ConditionEvent(ConditionID(1), kind: .expired, state: .unmonitored), identifier: "home", receiver: "a")
        #expect(
            String(decoding: try JSONFormat.line(least), as: UTF8.self)
                == #"{"identifier":"home","kind":"expired","state":"unmonitored"}"#)
    }
}
