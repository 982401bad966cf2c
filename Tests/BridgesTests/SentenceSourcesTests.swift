import Bridges
import Chronology
import Testing

@Suite struct SentenceSourcesTests {
    private static let rmc = "$GPRMC,1*00"
    private static let gga = "$GPGGA,2*00"

    private var sources = SentenceSources<Int>(acceptsAll: false)
    private var now = Instant.zero

    private mutating func receive(_ text: String, from source: Int = 1, isPacket: Bool = true) -> String {
        String(
            decoding: sources.receive(Array(text.utf8)[...], from: source, isPacket: isPacket, at: now), as: UTF8.self)
    }

    @Test mutating func `line ends of every kind end a sentence once`() {
        for end in ["\n", "\r\n", "\r\r\n", "\r", ""] {
            #expect(receive(Self.rmc + end) == Self.rmc + "\r\n", "\(Array(end.utf8))")
        }
    }

    @Test mutating func `a sentence may be split at every byte`() {
        let text = Self.rmc + "\r\n"
        for cut in 1..<text.utf8.count {
            let first = receive(String(text.prefix(cut)), isPacket: false)
            let second = receive(String(text.dropFirst(cut)), isPacket: false)
            #expect(first + second == text, "at \(cut)")
        }
    }

    @Test mutating func `sentences of a datagram need no line ends between them`() {
        #expect(receive(Self.rmc + Self.gga) == Self.rmc + "\r\n" + Self.gga + "\r\n")
    }

    @Test mutating func `other lines and tag blocks are not passed on`() {
        #expect(receive("{\"class\":\"VERSION\",\"a\":\"$!\"}\r\n", isPacket: false) == "")
        #expect(receive("\\s:gps,c:1*12\\" + Self.rmc + "\r\n") == Self.rmc + "\r\n")
        #expect(receive("hello\r\n") == "")
    }

    @Test mutating func `parts of several sources are not mixed`() {
        sources = SentenceSources(acceptsAll: true)
        #expect(receive("$GPRMC,", from: 1) == "")
        #expect(receive("$GPGGA,", from: 2) == "")
        #expect(receive("1*00\r\n", from: 1) == Self.rmc + "\r\n")
        #expect(receive("2*00\r\n", from: 2) == Self.gga + "\r\n")
    }

    @Test mutating func `many other senders do not displace the one in use`() {
        #expect(!receive(Self.rmc, from: 1).isEmpty)
        for sender in 100..<200 { #expect(receive(Self.rmc, from: sender).isEmpty) }
        #expect(!receive(Self.gga, from: 1).isEmpty)
        #expect(receive(Self.rmc, from: 99).isEmpty)
    }

    @Test mutating func `another source is used when the first one is silent or gone`() {
        #expect(!receive(Self.rmc, from: 1).isEmpty)
        #expect(receive(Self.rmc, from: 2).isEmpty)
        now = now + .seconds(9)
        #expect(receive(Self.rmc, from: 2).isEmpty)
        #expect(!receive(Self.rmc, from: 1).isEmpty)
        now = now + .seconds(11)
        #expect(!receive(Self.rmc, from: 2).isEmpty)
        sources.remove(2)
        #expect(!receive(Self.rmc, from: 1).isEmpty)
    }

    @Test mutating func `a line without an end uses bounded memory and loses only itself`() {
        for _ in 0..<100 { #expect(receive(String(repeating: "$A", count: 4096), isPacket: false) == "") }
        #expect(receive("\n" + Self.rmc + "\n") == Self.rmc + "\r\n")
    }

    @Test mutating func `any number of addresses uses bounded memory`() {
        sources = SentenceSources(acceptsAll: true)
        for source in 0..<1000 { _ = receive("$GPRMC,", from: source) }
        #expect(receive("1*00\n", from: 999) == Self.rmc + "\r\n")
        #expect(receive("1*00\n", from: 1) == "")
    }
}
