import Chronology
import NMEA
import Receivers
import Testing

@testable import Simulator

/// Tests of simulated receivers that receive commands.
@Suite struct CommandableReceiverTests {
    /// A receiver on the test bench and its current time.
    private struct Bench {
        var receiver: VirtualReceiver
        var now = Instant.zero

        init(_ kind: ReceiverKind, cold: Bool = false, change: (inout SimulatorOptions) -> Void = { _ in }) throws {
            var options = SimulatorOptions()
            options.receiver = kind
            options.baud = 115_200
            options.coldStart = cold
            change(&options)
            receiver = try options.receiver(origin: .zero)
        }

        /// Returns the output of the next `seconds`.
        mutating func receive(for seconds: Double) -> [UInt8] {
            now = now + .seconds(seconds)
            return receiver.bytes(until: now).flatMap(\.bytes)
        }

        /// Returns the output of the next `seconds` as lines.
        mutating func lines(for seconds: Double) -> [String] {
            String(decoding: receive(for: seconds), as: UTF8.self).split(separator: "\r\n").map(String.init)
        }

        mutating func send(_ bytes: [UInt8]) { receiver.process(bytes, at: now) }

        mutating func send(_ body: String) {
            send(SentenceEncoder.bytes(ofSentence: body))
        }

        /// Returns the seconds until GGA reports a fix.
        mutating func timeToFix(limit: Int = 100) -> Int {
            (1...limit).first { _ in lines(for: 1).contains { $0.contains("GGA,") && $0.contains(",1,") } } ?? .max
        }

        var power: ReceiverPowerState? { receiver.meter?.state }
    }

    @Test func `without commands the output equals that of a receiver that ignores them`() throws {
        for kind in ReceiverKind.allCases {
            var executing = try Bench(kind)
            var ignoring = try Bench(kind) { $0.commandBehavior = .ignore }
            ignoring.send("PMTK161,0")
            #expect(executing.receive(for: 20) == ignoring.receive(for: 20))
        }
    }

    @Test(arguments: [
        (ReceiverKind.mtk, "PMTK999,1", "$PMTK001,999,1*"), (.airoha, "PAIR999", "$PAIR001,999,2*"),
        (.mtk, "PMTK220,5", "$PMTK001,220,2*"),
        (.mtk, "PMTK000", "$PMTK001,0,3*30"), (.mtk, "PMTK605", "$PMTK705,"),
        (.quectel, "PQTMVERNO", "$PQTMVERNO,LC29H"),
        (.casic, "PCAS06,0", "$GPTXT,01,01,02,SW="), (.teseo, "PSTMGETSWVER,6", "$PSTMVER,"),
        (.airoha, "PAIR650,5", "$PAIR001,650,2*"),
    ])
    func `each chip sends its own replies`(kind: ReceiverKind, command: String, reply: String) throws {
        var bench = try Bench(kind)
        _ = bench.receive(for: 5)
        // The first command wakes an Airoha.
        if kind == .airoha || kind == .quectel { bench.send(command) }
        bench.send(command)
        let received = bench.lines(for: 1)
        #expect(received.contains { $0.hasPrefix(reply) })
    }

    @Test(arguments: [
        (ReceiverKind.casic, "PCAS99,1"), (.sirf, "PSRF103,0,0,1,1"), (.generic, "PMTK605"), (.ublox8, "PMTK605"),
        (.airoha, "PQTMVERNO"),
    ])
    func `an unsupported command gets no reply`(kind: ReceiverKind, command: String) throws {
        var commanded = try Bench(kind)
        var undisturbed = try Bench(kind)
        #expect(commanded.receive(for: 5) == undisturbed.receive(for: 5))
        commanded.send(command)
        commanded.send(command)
        #expect(commanded.receive(for: 5) == undisturbed.receive(for: 5))
    }

    @Test func `u-blox acknowledges supported frames and rejects others`() throws {
        func reply(of kind: ReceiverKind, to frame: UBXFrame) throws -> UBXFrame? {
            var bench = try Bench(kind)
            _ = bench.receive(for: 5.5)
            bench.send(frame.bytes)
            var framer = UBXFramer()
            return bench.receive(for: 1).compactMap { framer.push($0) }.first
        }
        let rate = UBXFrame(0x06, 0x08, [0xF4, 1, 1, 0, 1, 0])
        #expect(try reply(of: .ublox8, to: rate) == UBXFrame(0x05, 0x01, [0x06, 0x08]))
        #expect(try reply(of: .ubloxM10, to: rate) == UBXFrame(0x05, 0x00, [0x06, 0x08]))
        let keys = UBXFrame(0x06, 0x8A, [0, 1, 0, 0, 1, 0, 0x21, 0x30, 0xF4, 1])
        #expect(try reply(of: .ubloxM10, to: keys) == UBXFrame(0x05, 0x01, [0x06, 0x8A]))
        #expect(try reply(of: .ublox8, to: keys) == UBXFrame(0x05, 0x00, [0x06, 0x8A]))
        #expect(
            try reply(of: .ubloxM9, to: UBXFrame(0x06, 0x8A, [0, 1, 0, 0, 1, 2, 3, 0x10, 0]))
                == UBXFrame(0x05, 0x00, [0x06, 0x8A]))
        #expect(
            try reply(of: .ublox6, to: UBXFrame(0x06, 0x86, [UInt8](repeating: 0, count: 8)))
                == UBXFrame(0x05, 0x00, [0x06, 0x86]))
        #expect(try reply(of: .ublox8, to: UBXFrame(0x0A, 0x04))?.payload.count == 130)
    }

    /// The waking byte and all bytes within the next half second are lost.
    @Test func `a sleeping receiver needs time to wake`() throws {
        var bench = try Bench(.mtk)
        _ = bench.receive(for: 5.5)
        bench.send("PMTK161,0")
        _ = bench.receive(for: 2)
        #expect(bench.power == .standby)
        #expect(bench.receive(for: 600).isEmpty)
        bench.send("PMTK220,200")
        _ = bench.receive(for: 0.4)
        bench.send("PMTK220,200")
        let first = bench.lines(for: 3)
        #expect(first.contains("$PMTK010,001*2E"))
        #expect(!first.contains { $0.hasPrefix("$PMTK001,220") })
        #expect(bench.lines(for: 5).count { $0.contains("GGA,") } == 5)
    }

    @Test func `a sleep without a wake source never ends`() throws {
        for (kind, command) in [(ReceiverKind.mtk, "PMTK225,4"), (.sirf, "PSRF117,16"), (.airoha, "PAIR650,0")] {
            var bench = try Bench(kind)
            _ = bench.receive(for: 5.5)
            for _ in 0..<2 { bench.send(command) }
            _ = bench.receive(for: 2)
            for _ in 0..<10 {
                bench.send([0xFF, 13, 10])
                #expect(bench.receive(for: 60).isEmpty)
            }
        }
    }

    @Test func `a timer ends a sleep`() throws {
        var bench = try Bench(.airoha)
        _ = bench.receive(for: 5.5)
        for _ in 0..<2 { bench.send("PAIR650,60") }
        _ = bench.receive(for: 2)
        #expect(bench.receive(for: 57).isEmpty)
        #expect(bench.lines(for: 5).contains { $0.contains("GGA,") })
    }

    /// On its native USB port a u-blox ignores RXM-PMREQ without the force flag.
    @Test func `a u-blox on native USB does not sleep without the force flag`() throws {
        let sleepRequest = UBXFrame(0x02, 0x41, [0, 0, 0, 0, 2, 0, 0, 0]).bytes
        var usb = try Bench(.ublox8) { $0.isNativeUSB = true }
        var serial = try Bench(.ublox8)
        for _ in 0..<2 { (_, _) = (usb.receive(for: 5), serial.receive(for: 5)) }
        usb.send(sleepRequest)
        serial.send(sleepRequest)
        _ = (usb.receive(for: 3), serial.receive(for: 3))
        #expect(!usb.receive(for: 3).isEmpty && serial.receive(for: 3).isEmpty)
    }

    /// A start is hot within two hours, warm within two weeks, cold after that
    /// (docs/receiver-commands.md).
    @Test(arguments: [
        (600.0, 1...3), (7000.0, 1...3), (9000.0, 15...45), (86_400.0, 15...45), (20 * 86_400.0, 20...60),
    ])
    func `a longer sleep leads to a longer time to fix`(sleep: Double, expected: ClosedRange<Int>) throws {
        for seed in 1...5 {
            var bench = try Bench(.mtk) { $0.seed = UInt64(seed) }
            _ = bench.receive(for: 60.5)
            bench.send("PMTK161,0")
            _ = bench.receive(for: sleep)
            bench.send([13, 10])
            _ = bench.receive(for: 0.5)
            let time = bench.timeToFix()
            #expect(expected.contains(time), "\(time) s")
        }
    }

    /// Less than half a minute of tracking yields no new ephemerides, so they age with shorter
    /// fixes.
    @Test func `short fixes do not refresh the ephemerides`() throws {
        for (duration, expected) in [(10.0, 15...45), (50.0, 1...3)] {
            var bench = try Bench(.mtk)
            _ = bench.receive(for: 60.5)
            for _ in 0..<5 {
                bench.send("PMTK161,0")
                _ = bench.receive(for: 1700)
                bench.send([13, 10])
                _ = bench.receive(for: duration)
            }
            let time = bench.timeToFix()
            if duration > 20 { #expect(expected.contains(time)) } else { #expect(time > 3, "\(time) s") }
        }
    }

    @Test func `a cold start discards all satellite data`() throws {
        var bench = try Bench(.ublox8)
        _ = bench.receive(for: 60)
        bench.send(UBXFrame(0x06, 0x04, [0xFF, 0xFF, 2, 0]).bytes)
        let time = bench.timeToFix()
        #expect((18...45).contains(time))
        bench.send(UBXFrame(0x06, 0x04, [0, 0, 2, 0]).bytes)
        let hot = bench.timeToFix()
        #expect(hot <= 4)
    }

    /// One hour in each state, by the data sheet.
    @Test func `energy is metered by power state`() throws {
        var bench = try Bench(.mtk)
        _ = bench.receive(for: 3600)
        let tracking = try #require(bench.receiver.meter?.charge(at: bench.now))
        #expect(abs(tracking - 20) < 0.01)
        bench.send("PMTK161,0")
        _ = bench.receive(for: 3600)
        let both = try #require(bench.receiver.meter?.charge(at: bench.now))
        #expect(abs(both - tracking - 1) < 0.05)
        let joules = try #require(bench.receiver.meter?.energy(at: bench.now, supply: 5))
        #expect(abs(joules - both * 18) < 0.01)
    }

    @Test func `equal seeds give equal output`() throws {
        func output(seed: UInt64, step: Double) throws -> [UInt8] {
            var bench = try Bench(.ubloxM9) { $0.seed = seed }
            var received: [UInt8] = []
            for turn in 0..<40 {
                for _ in 0..<Int(10 / step) { received += bench.receive(for: step) }
                if turn % 8 == 3 { bench.send(UBXFrame(0x02, 0x41, [0, 0, 0, 0, 2, 0, 0, 0]).bytes) }
                if turn % 8 == 6 { bench.send([0xFF]) }
            }
            return received
        }
        #expect(try output(seed: 1, step: 10) == output(seed: 1, step: 0.5))
        #expect(try output(seed: 1, step: 10) != output(seed: 2, step: 10))
    }

    @Test func `random bytes are not taken as commands`() throws {
        var random = RandomSource(seed: 5, purpose: 9)
        for kind in ReceiverKind.allCases {
            var bench = try Bench(kind)
            for _ in 0..<50 {
                _ = bench.receive(for: 0.1)
                bench.send((0..<64).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) })
                bench.send(
                    [0xB5, 0x62, 0x06, 0x8A, UInt8(random.next() % 30), 0]
                        + (0..<40).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) })
            }
            #expect(bench.lines(for: 5).contains { $0.contains("GGA,") })
        }
    }
}
