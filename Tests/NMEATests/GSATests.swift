import NMEA
import Testing

@Suite struct GSATests {
    @Test func `sentences before NMEA 4.10 have no system id`() throws {
        let gsa = try #require(decode("GPGSA,A,3,10,28,09,13,,,,,,,,,03.4,01.7,03.0").gsa)
        #expect(gsa.fixMode == 3)
        #expect(gsa.list == [10, 28, 9, 13])
        #expect(gsa.pdop == 3.4)
        #expect(gsa.hdop == 1.7)
        #expect(gsa.vdop == 3)
        #expect(gsa.systemID == nil)
    }

    @Test func `sentences since NMEA 4.10 have a system id`() throws {
        let gsa = try #require(decode("GNGSA,A,3,68,69,70,78,84,85,,,,,,,1.5,1.3,1.0,2").gsa)
        #expect(gsa.list == [68, 69, 70, 78, 84, 85])
        #expect(gsa.systemID == 2)
    }

    /// Field 18 is one hexadecimal digit; SiRF Atlas VI puts a TDOP there, Trimble a 0.
    @Test(arguments: [("1", 1), ("6", 6), ("0", nil), ("7", nil), ("A", nil), ("1.8", nil), ("", nil), ("10", nil)])
    func `system ids are one hexadecimal digit`(field: String, id: UInt8?) throws {
        #expect(try #require(decode("GPGSA,A,3,02,05,,,,,,,,,,,1.5,1.3,1.0,\(field)").gsa).systemID == id)
    }

    /// Navior-24 sends 24 satellite fields.
    @Test func `24 satellite fields are parsed`() throws {
        let numbers = (1...24).map(String.init).joined(separator: ",")
        let gsa = try #require(decode("GPGSA,A,3,\(numbers),1.9,1.1,1.6").gsa)
        #expect(gsa.list == Array(1...24))
        #expect([gsa.pdop, gsa.hdop, gsa.vdop] == [1.9, 1.1, 1.6])
    }

    /// The form of an i.Trek M3 without a fix.
    @Test func `a short form without a fix is parsed`() throws {
        let gsa = try #require(decode("GPGSA,A,1,,,,").gsa)
        #expect(gsa.fixMode == 1)
        #expect(gsa.list.isEmpty)
        #expect(gsa.hdop == nil)
    }

    @Test func `a two-dimensional fix has no VDOP`() throws {
        let gsa = try #require(decode("GPGSA,A,2,02,10,28,,,,,,,,,,02.2,02.2,").gsa)
        #expect(gsa.fixMode == 2)
        #expect(gsa.hdop == 2.2)
        #expect(gsa.vdop == nil)
    }

    /// Antaris sends E during dead reckoning.
    @Test func `a letter instead of the fix mode is no mode`() throws {
        #expect(try #require(decode("GPGSA,A,E,02,10,28,,,,,,,,,,2.2,2.2,1.0").gsa).fixMode == nil)
    }

    @Test(arguments: ["GPGSA,A,3,0,,-4,x,7,99999,,,,,,,1,1,1", "GPGSA,A,3,7,70000,0,0,0,0,0,0,0,0,0,0,1,1,1"])
    func `invalid satellite numbers are skipped`(body: String) throws {
        #expect(try #require(decode(body).gsa).list == [7])
    }
}
