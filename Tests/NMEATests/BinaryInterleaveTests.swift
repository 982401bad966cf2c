import Testing

/// Binary protocols on the same line as NMEA. They are not parsed, and they cost no sentence except
/// one that they interrupt.
@Suite struct BinaryInterleaveTests {
    private static let body = "GPGLL,5251.0093,N,00518.8170,E,094736,A,A"

    static let frames: [(name: String, bytes: [UInt8])] = [
        (
            "UBX NAV-STATUS",
            [
                0xB5, 0x62, 0x01, 0x03, 0x10, 0x00, 0x24, 0x24, 0x2A, 0x00, 0x03, 0xDD, 0, 0, 0x21, 0, 0x0D, 0x0A, 0x24,
                0x47, 0x50, 0x4C,
                0xF1, 0x92,
            ]
        ),
        (
            "RTCM 1005",
            [
                0xD3, 0x00, 0x13, 0x3E, 0xD7, 0xD3, 0x02, 0x02, 0x98, 0x0E, 0xDE, 0xEF, 0x34, 0xB4, 0xBD, 0x62, 0xAC,
                0x24, 0x2A, 0x34, 0x34,
            ]
        ),
        (
            "CASIC with dollars",
            [0xBA, 0xCE, 0x08, 0x00, 0x01, 0x03, 0x24, 0x24, 0x24, 0x2A, 0x41, 0x42, 0x24, 0x2C, 0x10, 0x00]
        ),
        ("SiRF", [0xA0, 0xA2, 0x00, 0x05, 0x29, 0x24, 0x47, 0x21, 0x00, 0x00, 0xB0, 0xB3]),
        ("SkyTraq", [0xA0, 0xA1, 0x00, 0x03, 0x83, 0x08, 0x24, 0xAF, 0x0D, 0x0A]),
        ("Allystar", [0xF1, 0xD9, 0x05, 0x01, 0x02, 0x00, 0x24, 0x06, 0x33, 0x21]),
    ]

    @Test(arguments: frames.map(\.name))
    func `binary data between sentences costs no sentence`(name: String) throws {
        let binary = try #require(Self.frames.first { $0.name == name }).bytes
        let text = Array(line(Self.body).utf8)
        let framed = frame([text + binary + text + binary + binary + text])
        #expect(framed.bodies == [Self.body, Self.body, Self.body])
    }

    /// The interrupted sentence is lost, the next is not.
    @Test(arguments: frames.map(\.name))
    func `binary data within a sentence costs only that sentence`(name: String) throws {
        let binary = try #require(Self.frames.first { $0.name == name }).bytes
        let text = Array(line(Self.body).utf8)
        let framed = frame([text.prefix(20) + binary + text.suffix(from: 20) + text])
        #expect(framed.bodies.last == Self.body)
        #expect(framed.bodies.count <= 2)
    }
}
