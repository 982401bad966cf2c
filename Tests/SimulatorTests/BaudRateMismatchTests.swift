import Testing

@testable import Simulator

@Suite struct BaudRateMismatchTests {
    static let speeds = [4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]

    @Test func `the correct baud rate reads identical bytes`() {
        let sent = Array("$GPGGA,120000.00,,,,,0,00,99.99,,,,,,*64\r\n".utf8)
        #expect(BaudRateMismatch.read(sent, sender: 9600, listener: 9600) == sent)
        // A UART tolerates a deviation of two percent.
        #expect(BaudRateMismatch.read(sent, sender: 9600, listener: 9800) == sent)
    }

    @Test(arguments: speeds)
    func `every other baud rate reads garbled bytes`(sender: Int) throws {
        let sent = Array(try simulate(seconds: 5).joined(separator: "\r\n").utf8)
        for listener in BaudRateMismatchTests.speeds where listener != sender {
            let read = BaudRateMismatch.read(sent, sender: sender, listener: listener)
            #expect(read != sent && read.count <= sent.count * 4)
            #expect(!read.isEmpty)
            #expect(!lines(read).contains(where: isValid))
            #expect(read.contains { $0 >= 0x80 || $0 == 0 })
        }
    }
}
