import Testing

@testable import ReceiverSimulator

@Suite struct MismatchedLineTests {
    static let speeds = [4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]

    @Test func theRightSpeedReadsTheSame() {
        let sent = Array("$GPGGA,120000.00,,,,,0,00,99.99,,,,,,*64\r\n".utf8)
        #expect(MismatchedLine.read(sent, sender: 9600, listener: 9600) == sent)
        // A UART forgives two per cent.
        #expect(MismatchedLine.read(sent, sender: 9600, listener: 9800) == sent)
    }

    @Test(arguments: speeds)
    func everyOtherSpeedReadsGarbage(sender: Int) throws {
        let sent = Array(try simulate(seconds: 5).joined(separator: "\r\n").utf8)
        for listener in MismatchedLineTests.speeds where listener != sender {
            let read = MismatchedLine.read(sent, sender: sender, listener: listener)
            #expect(read != sent && read.count <= sent.count * 4)
            #expect(!read.isEmpty)
            #expect(!lines(read).contains(where: isValid))
            #expect(read.contains { $0 >= 0x80 || $0 == 0 })
        }
    }
}
