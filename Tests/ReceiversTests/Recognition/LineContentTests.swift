import Chronology
import Testing

@testable import Receivers

@Suite struct LineContentTests {
    private static func content(_ text: String) -> LineContent? {
        var recognizer = LineRecognizer(baudRate: 9600)
        for byte in text.utf8 { recognizer.push([byte].span.bytes, at: .zero) }
        return recognizer.finding?.content
    }

    @Test(arguments: [
        ("\r\n+CREG: 2,1\r\n\r\nOK\r\n", LineContent.modem), ("RDY\r\n+CFUN: 1\r\n+CPIN: READY\r\n", .modem),
        ("^RSSI:18\r\n^HCSQ:\"LTE\",45\r\n", .modem),
        ("\r\nDebian GNU/Linux 12 gateway ttyAMA0\r\n\r\ngateway login: ", .console),
        ("[    0.000000] Booting Linux on physical CPU 0x0\r\n[    1.250112] usb 1-1: new device\r\n", .console),
        ("U-Boot 2023.01\r\n", .console), ("gateway login: pi\r\nPassword: ", .console),
        ("!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0*24\r\n", .shipMessages),
        ("$HEHDT,123.4,T*2B\r\n!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0*24\r\n", .otherSentences),
        (
            String(
                repeating: "$GPGGA,120000.00,4540.7341,N,00007.4074,W,1,08,1.0,98.7,M,,M,,*00\r\n", count: 3),
            .damagedSentences
        ),
        ("temperature 21.5\r\nhumidity 40\r\ntemperature 21.6\r\n", .text),
        (String(repeating: "\u{1}\u{0}\u{7}x", count: 20), .noise),
    ])
    func `what a line sends is named`(text: String, content: LineContent) {
        #expect(Self.content(text) == content)
    }

    @Test(arguments: ["", "hello\r\n", "\u{1}\u{0}\u{7}", "OK", "$GPGGA,1*00\r\n"])
    func `a few bytes show nothing`(text: String) { #expect(Self.content(text) == nil) }

    @Test func `the best explanation of all baud rates stays`() {
        var recognizer = LineRecognizer(baudRate: 9600)
        recognizer.push(Array("\r\nOK\r\n+CSQ: 20,99\r\n".utf8).span.bytes, at: .zero)
        recognizer = recognizer.restarted(baudRate: 38_400)
        recognizer.push([UInt8](repeating: 0x80, count: 100).span.bytes, at: .zero)
        #expect(recognizer.finding == LineFinding(.modem, at: 9600))
    }
}
