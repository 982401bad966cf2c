import TestSupport
import Testing

@testable import Geofencing

@Suite struct BeaconFormatTests {
    static let text = "F7826DA6-4FA4-4E98-8024-BC5B71E0893E"
    private static let id: [UInt8] = [
        0xF7, 0x82, 0x6D, 0xA6, 0x4F, 0xA4, 0x4E, 0x98, 0x80, 0x24, 0xBC, 0x5B, 0x71, 0xE0, 0x89, 0x3E,
    ]
    private static let numbers: [UInt8] = [0x01, 0x02, 0xFF, 0xFE]

    @Test func `an iBeacon, an AltBeacon and a UID frame of Eddystone are decoded`() throws {
        let uuid = try #require(BeaconUUID(Self.text))
        let identity = BeaconIdentity(uuid: uuid, major: 0x0102, minor: 0xFFFE)
        let iBeacon = BeaconAdvertisement(company: 0x004C, data: [0x02, 0x15] + Self.id + Self.numbers + [0xC5])
        #expect(iBeacon == BeaconAdvertisement(identity, power: -59))
        let altBeacon = BeaconAdvertisement(
            company: 0x0118, data: [0xBE, 0xAC] + Self.id + Self.numbers + [0xC5, 0x00])
        #expect(altBeacon == iBeacon)
        // -18 dBm at 0 m.
        for reserved in [[], [0, 0]] as [[UInt8]] {
            let eddystone = BeaconAdvertisement(eddystone: [0x00, 0xEE] + Self.id + reserved)
            #expect(eddystone == BeaconAdvertisement(BeaconIdentity(uuid: uuid), power: -59))
        }
        #expect(iBeacon?.iBeaconData == [0x02, 0x15] + Self.id + Self.numbers + [0xC5])
    }

    @Test func `a power that nobody has calibrated is left out`() {
        for power in [0, 127, 0x80] as [UInt8] {
            let beacon = BeaconAdvertisement(company: 0x004C, data: [0x02, 0x15] + Self.id + Self.numbers + [power])
            #expect(beacon != nil && beacon?.power == nil)
        }
    }

    @Test func `other data are none of a beacon, whatever their length`() {
        var generator = SeededGenerator(35)
        let starts: [[UInt8]] = [[0x02, 0x15], [0xBE, 0xAC], [0x00], [0x10], [0x20], []]
        for length in 0...64 {
            for start in starts {
                let data = start + (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let isIBeacon = data.count == 23 && data.starts(with: [0x02, 0x15])
                let isAltBeacon = data.count == 24 && data.starts(with: [0xBE, 0xAC])
                #expect((BeaconAdvertisement(company: 0x004C, data: data) != nil) == (isIBeacon || isAltBeacon))
                #expect((BeaconAdvertisement(company: 0x0118, data: data) != nil) == isAltBeacon)
                let isUID = (data.count == 18 || data.count == 20) && data[0] == 0
                #expect((BeaconAdvertisement(eddystone: data) != nil) == isUID)
            }
        }
    }

    @Test func `the text of an identity is read and written`() throws {
        for text in [Self.text, "\(Self.text)/0", "\(Self.text)/65535/1"] {
            #expect(BeaconIdentity(text)?.description == text)
            #expect(BeaconIdentity(text.lowercased())?.description == text)
        }
        for text in [
            "", "F7826DA6", "\(Self.text)/", "\(Self.text)/65536", "\(Self.text)/-1", "\(Self.text)/1/2/3",
            "\(Self.text)/1/", "\(Self.text)/+1", "G" + Self.text.dropFirst(), Self.text + "0",
        ] {
            #expect(BeaconIdentity(text) == nil, "\(text)")
        }
    }

    @Test func `each of the three granularities contains its beacons`() throws {
        let beacon = try #require(BeaconIdentity("\(Self.text)/1/2"))
        for (text, contains) in [("", true), ("/1", true), ("/1/2", true), ("/2", false), ("/1/3", false)] {
            #expect(try #require(BeaconIdentity(Self.text + text)).contains(beacon) == contains, "\(text)")
        }
        #expect(!beacon.contains(BeaconIdentity(uuid: beacon.uuid)))
    }
}
