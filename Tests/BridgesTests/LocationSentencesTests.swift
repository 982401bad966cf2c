import Bridges
import SextantAPI
import Testing

@Suite struct LocationSentencesTests {
    private static func text(_ writer: inout LocationSentences, accuracy: Double) throws -> String {
        let location = try Samples.update(Samples.location(accuracy: accuracy)).location
        return String(decoding: writer.bytes(location, receiver: nil), as: UTF8.self)
    }

    @Test func `a location becomes sentences of the same second`() throws {
        var writer = LocationSentences([.rmc, .gga])
        #expect(
            try LocationSentencesTests.text(&writer, accuracy: 2)
                == "$GPRMC,060707.00,A,5130.000000,N,00007.500000,W,2.916,90.00,211126,,,A*4D\r\n"
                + "$GPGGA,060707.00,5130.000000,N,00007.500000,W,1,09,0.90,8.5,M,46.0,M,,*42\r\n")
    }

    @Test func `a fixed place has no time, which is that of the host's clock`() throws {
        var writer = LocationSentences([.rmc, .gga])
        let fixed = Samples.location().replacing("autonomous", with: "manual")
        let location = try #require(try Samples.update(fixed).location)
        let receiver = try Samples.receivers().receivers.first
        let text = String(decoding: writer.bytes(location, receiver: receiver), as: UTF8.self)
        #expect(text.hasPrefix("$GPRMC,,A,5130.000000,N,00007.500000,W,2.916,90.00,,,,M*"))
        #expect(text.contains("$GPGGA,,5130.000000,N,00007.500000,W,7,"))
        #expect(TPV(location).time == nil && TPV(location).lat == 51.5)
    }

    @Test func `an epoch without a position is reported as such`() throws {
        var writer = LocationSentences([.rmc, .gga])
        let receiver = try Samples.receivers(state: "sendingWithoutFix").receivers.first
        let text = String(decoding: writer.bytes(nil, receiver: receiver), as: UTF8.self)
        #expect(text.hasPrefix("$GPRMC,060707.00,V,,,,,,,211126,,,N*"))
        #expect(text.contains("$GPGGA,060707.00,,,,,0,00,"))
    }

    /// The accuracy that GeoClue 2.6 computes from HDOP.
    private static func geoclueAccuracy(_ dilution: Double) -> Double {
        switch dilution {
        case ...1: 0
        case ...2: 1
        case ...5: 3
        case ...10: 50
        case ...20: 100
        default: 300
        }
    }

    @Test func `GeoClue never computes a better accuracy than the location's`() throws {
        var writer = LocationSentences([.gga], dilution: .geoclue)
        for accuracy in [1, 2.9, 3.1, 49, 51, 99, 101, 250, 60, 10, 2, 2.9, 3.1, 2.9] {
            let fields = try LocationSentencesTests.text(&writer, accuracy: accuracy).split(
                separator: ",", omittingEmptySubsequences: false)
            let dilution = try #require(Double(fields[8]))
            #expect(LocationSentencesTests.geoclueAccuracy(dilution) >= accuracy, "\(accuracy): \(dilution)")
        }
    }

    @Test func `the accuracy for GeoClue does not alternate around a limit`() throws {
        var writer = LocationSentences([.gga], dilution: .geoclue)
        var changes: [Substring] = []
        for accuracy in [2.5, 3.1, 2.9, 3.1, 2.9, 3.1, 2.3] {
            let fields = try LocationSentencesTests.text(&writer, accuracy: accuracy).split(
                separator: ",", omittingEmptySubsequences: false)
            if changes.last != fields[8] { changes.append(fields[8]) }
        }
        #expect(changes == ["5.00", "10.00", "5.00"])
    }
}

@Suite struct SentenceServerTests {
    @Test func `GeoClue gets both sentences as one piece, and none without a position`() throws {
        var server = SentenceServer([.gga, .rmc], talker: "GN", isForGeoClue: true)
        let text = String(decoding: server.receive(try Samples.update(Samples.location())), as: UTF8.self)
        #expect(text.hasPrefix("$GNGGA,") && text.contains("\r\n$GNRMC,") && text.hasSuffix("\r\n"))
        #expect(server.receive(try Samples.decode(Samples.unavailable) as SubscribeReply).isEmpty)
        #expect(server.receive(try Samples.receivers(state: "sendingWithoutFix")).isEmpty)
    }

    @Test func `GeoClue gets no position whose accuracy it cannot express`() throws {
        var server = SentenceServer([.gga, .rmc], talker: "GN", isForGeoClue: true)
        #expect(server.receive(try Samples.update(Samples.location(accuracy: 301))).isEmpty)
        #expect(server.receive(try Samples.update(Samples.location(accuracy: 5000, source: "reduced"))).isEmpty)
        #expect(!server.receive(try Samples.update(Samples.location(accuracy: 299))).isEmpty)
    }

    @Test func `other clients learn each second that there is no position`() throws {
        var server = SentenceServer([.rmc], talker: "GP", isForGeoClue: false)
        let isSilent = server.receive(try Samples.receivers(state: "sendingWithoutFix")).isEmpty
        #expect(isSilent, "not before the first update")
        _ = server.receive(try Samples.decode(Samples.unavailable) as SubscribeReply)
        let text = String(decoding: server.receive(try Samples.receivers(state: "sendingWithoutFix")), as: UTF8.self)
        #expect(text.hasPrefix("$GPRMC,060707.00,V,"))
    }

    @Test func `datagrams have whole sentences and fit into a packet`() {
        let line = [UInt8](repeating: 65, count: 68) + [13, 10]
        let sentences = Array([[UInt8]](repeating: line, count: 50).joined())
        let datagrams = Datagrams.split(sentences)
        #expect(datagrams.count == 3)
        #expect(datagrams.allSatisfy { $0.count <= 1400 && $0.count % 70 == 0 })
        #expect(Array(datagrams.joined()) == sentences)
        #expect(Datagrams.split([]).isEmpty)
    }
}
