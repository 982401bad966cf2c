import NMEA
import TestSupport
import Testing

/// No input traps, among a hundred thousand generated inputs that resemble sentences.
@Suite struct HostileInputTests {
    private static let kinds = [
        "GPGGA,", "GNRMC,", "GPGLL,", "GNGNS,", "GPGSA,", "GPGSV,", "PQGSV,", "GPGST,", "GPGBS,", "GPVTG,", "GPZDA,",
        "GPDTM,", "GPHDT,",
        "GPTHS,",
        "GPTXT,", "PUBX,00,", "PUBX,", "PUBX,03,", "PUBX,03,99,", "PUBX,04,", "PGRME,", "PGRMF,", "PGRMM,", "PGRMZ,",
        "PMTK001,",
        "PMTK010,",
        "PMTK011,", "PMTK705,", "PAIR001,", "PAIR002,", "PAIR010,", "PAIR021,", "PQTMEPE,2,", "PQTMVEL,", "PQTMPVT,1,",
        "PQTMGPS,",
        "PQTMVERNO,",
        "PSRFEPE,", "PSRF150,", "PSTI,030,", "PSTI,032,", "PSTMKFCOV,", "PSTMVER,", "PSTMANTENNASTATUS,", "PASHR,POS,",
        "PTNL,GGK,",
        "PDTINFO,", "",
    ]
    private static let pieces = [
        ",", ",", ",", ",", "0", "1", "9", "99999", "999999999", "99999999999999999999", "-", "+", ".", ".999999999999",
        "N", "S", "E", "W",
        "A", "V",
        "T", "M", "K", "NF", "G3", "4717.11399", "00833.91590", "092725.00", "240000", "235960", "310299", "-1", "$",
        "*", "é", " ",
        "\u{0}",
    ]

    @Test(arguments: 0..<10)
    func `sentences of random fields do not trap`(seed: Int) {
        var stream = SentenceStream()
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<8000 {
            var body = Self.kinds.randomElement(using: &generator) ?? ""
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                body += Self.pieces.randomElement(using: &generator) ?? ""
            }
            touch(decode(body))
            stream.push(Array(line(body).utf8).span.bytes) { _, sentence in touch(sentence) }
        }
    }

    @Test(arguments: 0..<2)
    func `random bytes do not trap`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(100 + seed))
        for _ in 0..<10_000 {
            let head = Array((Self.kinds.randomElement(using: &generator) ?? "").utf8)
            let bytes = head + generator.bytes(Int.random(in: 0...40, using: &generator))
            touch(Sentence.decode(bytes.span.bytes).sentence)
        }
    }

    @Test func `a sentence after a megabyte of noise is framed`() {
        var generator = SeededGenerator(seed: 7)
        var stream = SentenceStream()
        stream.push(generator.bytes(1 << 20).span.bytes) { _, _ in }
        var received = 0
        stream.push(Array(("\r\n" + line("GPHDT,218.83,T")).utf8).span.bytes) { _, _ in received += 1 }
        #expect(received == 1)
    }

    /// Reads the lazily computed values.
    private func touch(_ sentence: Sentence) {
        if let rmc = sentence.rmc { _ = rmc.date?.civilDate }
        if let txt = sentence.txt { _ = (txt.antenna, txt.text.string) }
        if let own = sentence.proprietary { _ = (own.time, own.date, own.typeNumber) }
    }
}
