import NMEA
import Testing

@Suite struct FramerTests {
    private static let a = "GPGLL,5251.0093,N,00518.8170,E,094736,A,A"
    private static let b = "GPHDT,218.83,T"
    private static let good = line(a)

    @Test(arguments: ["\r\n", "\n", "\r", "\r\r\n", "\n\r\n", "\r\n\r\n", ""])
    func `any line ending is accepted`(end: String) {
        let framed = frame(line(Self.a, end: end) + line(Self.b, end: end))
        #expect(framed.bodies == [Self.a, Self.b])
        #expect(framed.counts.strayBytes == 0)
        #expect(framed.counts.sentences == 2)
    }

    @Test func `checksums in either case are accepted`() {
        #expect(
            frame("$GPGGA,110124,5505.330990,N,03858.587325,E,2,09,0.9,2177.0,M,14.0,M,,*7D\r\n").counts.sentences == 1)
        let lower = "$\(Self.a)*\(checksum(Self.a).lowercased())\r\n"
        #expect(frame(lower).bodies == [Self.a])
    }

    @Test(arguments: ["*00", "*0", "*", "*G0", "*4", "*4G", "*\u{24}"])
    func `a sentence with a wrong checksum is dropped and counted`(tail: String) {
        let framed = frame("$\(Self.a)\(tail)\r\n" + Self.good)
        #expect(framed.bodies == [Self.a])
        #expect(framed.counts.checksumErrors == 1)
    }

    /// The same bit of two bytes is damaged, so the checksum is right. The bytes are 0x80 and
    /// above, and 0x7F, wherever they are in the words that the framer reads.
    @Test(arguments: ["", "1", "12", "123", "1234", "12345", "123456", "1234567"])
    func `a sentence with bytes above the tilde is damaged although its checksum is right`(shift: String) {
        let body = "GPGGA,120003.00,3800.00000,N,09500.00000,W,1,09,0.9,45.0,M,47.0,M,\(shift),"
        for byte in [0xAC, 0x7F, 0xFF] as [UInt8] {
            for (first, second) in [(45, 49), (6, 20), (17, 18)] {
                var bytes = Array(body.utf8)
                (bytes[first], bytes[second]) = (byte, byte)
                let sum = bytes.reduce(0, ^)
                let digits = Array("0123456789ABCDEF".utf8)
                let whole = [0x24] + bytes + [0x2A, digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10]
                for chunks in [[whole], whole.map { [$0] }] {
                    let framed = frame(chunks + [Array(Self.good.utf8)])
                    #expect(framed.bodies == [Self.a])
                    #expect(framed.counts.checksumErrors == 1)
                }
            }
        }
    }

    @Test(arguments: ["GPTXT,01,01,02,Käse", "IIWPL,4800.0,N,01100.0,E,Söderhamn", "GPTXT,01,01,02,\u{7F}"])
    func `texts and names of places may have any letters`(body: String) {
        #expect(frame(line(body)).bodies == [body])
    }

    @Test func `a line without a checksum and with a byte above the tilde is damaged`() {
        let bare = "$GPGGA,120003.00,3800.00000,N,09500.00000,W,1,09,0.9,45.0,M,47.0,M,"
        let framed = frame(String(repeating: bare + "\r\n", count: 4) + String(repeating: bare + "ä\r\n", count: 4))
        #expect(framed.counts.sentences == 1)
        #expect(framed.counts.missingChecksums == 7)
    }

    /// Lost bytes truncated the first sentence.
    @Test func `a truncated sentence before a complete one is dropped`() {
        let framed = frame("$GPGGA,110124,5505.33" + Self.good)
        #expect(framed.bodies == [Self.a])
        #expect(framed.counts.truncated == 1)
    }

    @Test func `two sentences on one line are both framed`() {
        #expect(frame(line(Self.a, end: "") + line(Self.b)).bodies == [Self.a, Self.b])
    }

    @Test func `a start within a sentence counts stray bytes`() {
        let framed = frame("330990,N,03858.587325,E*2D\r\n" + Self.good)
        #expect(framed.bodies == [Self.a])
        #expect(framed.counts.strayBytes == 26)
    }

    /// A logger's time stamps, an NMEA 4.0 TAG block, Android's stamps after the checksum.
    @Test(arguments: [
        ("2014-08-01T00:00:00.814000Z ", ""), ("\\s:GP0001,c:1699400577*5D\\", ""), ("", ",1699400577561"),
        ("[12:00:01.003] ", "  "),
    ])
    func `additions of loggers are stray bytes`(before: String, after: String) {
        let framed = frame(before + line(Self.a, end: "") + after + "\r\n")
        #expect(framed.bodies == [Self.a])
        #expect(framed.counts.strayBytes == before.utf8.count + after.utf8.count)
        #expect(framed.counts.checksumErrors == 0)
    }

    @Test func `encapsulated sentences are framed`() {
        #expect(
            frame(
                "!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,"
                    + "0*\(checksum("AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0"))\r\n"
            ).counts
                .sentences == 1)
    }

    @Test func `no loss is counted twice`() {
        let framed = frame("junk$GPGGA,1\u{0}\u{0}$GPGGA,2$GPGGA,3*00\r\n$GPGGA,4\r\n" + Self.good)
        #expect(framed.counts.bytes == 45 + Self.good.utf8.count)
        #expect(framed.counts.strayBytes == 5)
        #expect(framed.counts.truncated == 2)
        #expect(framed.counts.checksumErrors == 1)
        #expect(framed.counts.missingChecksums == 1)
        #expect(framed.counts.sentences == 1)
    }

    @Test func `a sentence after many dollar signs is framed`() {
        let framed = frame(String(repeating: "$", count: 5000) + Self.good)
        #expect(framed.bodies == [Self.a])
        #expect(framed.counts.truncated == 5000)
    }

    @Test func `NUL bytes are stray bytes`() {
        let framed = frame([[UInt8](repeating: 0, count: 5000), Array(Self.good.utf8)])
        #expect(framed.bodies == [Self.a])
        #expect(framed.counts.strayBytes == 5000)
    }

    @Test(arguments: [82, 92, 255, 512, Framer.maxLine])
    func `long sentences are framed`(length: Int) {
        let body = "PQTMLONG," + String(repeating: "x", count: length - 9)
        #expect(frame(line(body)).bodies == [body])
    }

    /// The sentences after it are not lost.
    @Test(arguments: ["\r\n", "\n", "", "*00", "\u{0}"])
    func `an overlong line is one loss`(end: String) {
        let framed = frame("$GP" + String(repeating: "x", count: 3000) + end + Self.good + line(Self.b))
        #expect(framed.bodies == [Self.a, Self.b])
        #expect(framed.counts.overlong == 1)
        #expect(framed.counts.checksumErrors == 0)
        #expect(framed.counts.truncated == 0)
    }

    @Test func `a megabyte without a line ending is one loss`() {
        let framed = frame(
            [Array(repeating: UInt8(ascii: "$"), count: 1)]
                + Array(repeating: Array(repeating: UInt8(ascii: "x"), count: 4096), count: 256)
        )
        #expect(framed.counts.overlong == 1)
        #expect(framed.counts.bytes == 1 << 20 + 1)
    }
}
