import Testing

@testable import Receivers

@Suite struct BaudRateCacheTests {
    @Test func `the oldest baud rate is discarded at capacity`() {
        var memory = BaudRateCache()
        for number in 0..<70 { memory.store(9600, for: "usb:1546:01a8:\(number)") }
        #expect(memory.count == BaudRateCache.capacity)
        #expect(memory["usb:1546:01a8:5"] == nil)
        #expect(memory["usb:1546:01a8:6"] == 9600)
    }

    @Test func `only a changed baud rate needs saving`() {
        var memory = BaudRateCache()
        let changed = [9600, 9600, 4800].map { memory.store($0, for: "a") }
        #expect(changed == [true, false, true])
        #expect(memory.count == 1)
    }

    @Test(arguments: [
        ("", 9600), ("a\nb", 9600), ("a\u{7F}", 9600), (String(repeating: "a", count: 201), 9600), ("a", 0),
        ("a", -9600),
    ])
    func `an invalid baud rate or identity is not stored`(identity: String, baudRate: Int) {
        var memory = BaudRateCache()
        let changed = memory.store(baudRate, for: identity)
        #expect(!changed)
        #expect(memory.count == 0)
    }

    @Test func `the text form is parsed back`() throws {
        var memory = BaudRateCache()
        memory.store(9600, for: "usb:067b:2303@1-1.4")
        memory.store(115_200, for: "/dev/tty with blanks")
        #expect(memory.text == "sextant line speeds 1\n9600 usb:067b:2303@1-1.4\n115200 /dev/tty with blanks\n")
        #expect(try BaudRateCache(text: memory.text) == memory)
        #expect(try BaudRateCache(text: BaudRateCache().text) == BaudRateCache())
    }

    @Test(
        arguments: [
            ("", .heading), ("\0\0\0", .heading), ("sextant line speeds 2\n", .heading),
            ("sextant line speeds 1\nx y\n", .line(2)),
            ("sextant line speeds 1\n9600 a\n9600\n", .line(3)), ("sextant line speeds 1\n9600 \n", .line(2)),
            ("sextant line speeds 1\n99999999999999999999 a\n", .line(2)), ("sextant line speeds 1\n-1 a\n", .line(2)),
            ("sextant line speeds 1\n" + String(repeating: "9600 a\n", count: 70), .tooLong),
        ] as [(String, BaudRateCache.Damage)])
    func `each kind of damage has its own error`(text: String, damage: BaudRateCache.Damage) {
        #expect(throws: damage) { _ = try BaudRateCache(text: text) }
    }
}
