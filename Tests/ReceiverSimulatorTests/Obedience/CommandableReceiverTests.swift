import Chronology
import NMEA
import ReceiverEnergy
import Receivers
import Testing

@testable import ReceiverSimulator

/// Tests of simulated receivers that receive commands.
@Suite struct CommandableReceiverTests {
    /// A receiver and its current time.
    private struct Bench {
        var receiver: VirtualReceiver
        var now = Instant.zero

        init(_ kind: ReceiverKind, cold: Bool = false, _ change: (inout SimulatorOptions) -> Void = { _ in }) throws {
            var options = SimulatorOptions()
            options.receiver = kind
            options.baud = 115_200
            options.coldStart = cold
            change(&options)
            receiver = try options.receiver(origin: .zero)
        }

        /// Returns the output of the next `seconds`.
        mutating func hear(_ seconds: Double) -> [UInt8] {
            now = now + .seconds(seconds)
            return receiver.bytes(until: now).flatMap(\.bytes)
        }

        /// Returns the output of the next `seconds` as lines.
        mutating func lines(_ seconds: Double) -> [String] {
            String(decoding: hear(seconds), as: UTF8.self).split(separator: "\r\n").map(String.init)
        }

        mutating func say(_ bytes: [UInt8]) { receiver.process(bytes, at: now) }

        mutating func say(_ body: String) {
            var encoder = SentenceEncoder(layout: .init(version: .v4_0, talker: "GP"))
            encoder.sentence(body)
            say(encoder.takeBytes())
        }

        /// Returns the seconds until GGA reports a fix.
        mutating func timeToFix(limit: Int = 100) -> Int {
            (1...limit).first { _ in lines(1).contains { $0.contains("GGA,") && $0.contains(",1,") } } ?? .max
        }

        var power: PowerState? { receiver.meter?.state }
    }

    @Test func `without commands the output equals that of a receiver that ignores them`() throws {
        for kind in ReceiverKind.allCases {
            var obedient = try Bench(kind)
            var ignorant = try Bench(kind) { $0.commandBehavior = .ignore }
            ignorant.say("PMTK161,0")
            #expect(obedient.hear(20) == ignorant.hear(20))
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
    func `each chip sends its own replies`(kind: ReceiverKind, command: String, answer: String) throws {
        var bench = try Bench(kind)
        _ = bench.hear(5)
        // The first command wakes an Airoha.
        if kind == .airoha || kind == .quectel { bench.say(command) }
        bench.say(command)
        let said = bench.lines(1)
        #expect(said.contains { $0.hasPrefix(answer) })
    }

    @Test(arguments: [
        (ReceiverKind.casic, "PCAS99,1"), (.sirf, "PSRF103,0,0,1,1"), (.generic, "PMTK605"), (.ublox8, "PMTK605"),
        (.airoha, "PQTMVERNO"),
    ])
    func `an unsupported command gets no reply`(kind: ReceiverKind, command: String) throws {
        var spoken = try Bench(kind)
        var left = try Bench(kind)
        #expect(spoken.hear(5) == left.hear(5))
        spoken.say(command)
        spoken.say(command)
        #expect(spoken.hear(5) == left.hear(5))
    }

    @Test func `u-blox acknowledges supported frames and rejects others`() throws {
        func answer(_ kind: ReceiverKind, _ frame: UBXFrame) throws -> UBXFrame? {
            var bench = try Bench(kind)
            _ = bench.hear(5.5)
            bench.say(frame.bytes)
            var framer = UBXFramer()
            return bench.hear(1).compactMap { framer.push($0) }.first
        }
        let rate = UBXFrame(0x06, 0x08, [0xF4, 1, 1, 0, 1, 0])
        #expect(try answer(.ublox8, rate) == UBXFrame(0x05, 0x01, [0x06, 0x08]))
        #expect(try answer(.ubloxM10, rate) == UBXFrame(0x05, 0x00, [0x06, 0x08]))
        let keys = UBXFrame(0x06, 0x8A, [0, 1, 0, 0, 1, 0, 0x21, 0x30, 0xF4, 1])
        #expect(try answer(.ubloxM10, keys) == UBXFrame(0x05, 0x01, [0x06, 0x8A]))
        #expect(try answer(.ublox8, keys) == UBXFrame(0x05, 0x00, [0x06, 0x8A]))
        #expect(
            try answer(.ubloxM9, UBXFrame(0x06, 0x8A, [0, 1, 0, 0, 1, 2, 3, 0x10, 0]))
                == UBXFrame(0x05, 0x00, [0x06, 0x8A]))
        #expect(
            try answer(.ublox6, UBXFrame(0x06, 0x86, [UInt8](repeating: 0, count: 8)))
                == UBXFrame(0x05, 0x00, [0x06, 0x86]))
        #expect(try answer(.ublox8, UBXFrame(0x0A, 0x04))?.payload.count == 130)
    }

    /// The waking byte and all bytes within the next half second are lost.
    @Test func `a sleeping receiver needs time to wake`() throws {
        var bench = try Bench(.mtk)
        _ = bench.hear(5.5)
        bench.say("PMTK161,0")
        _ = bench.hear(2)
        #expect(bench.power == .standby)
        #expect(bench.hear(600).isEmpty)
        bench.say("PMTK220,200")
        _ = bench.hear(0.4)
        bench.say("PMTK220,200")
        let first = bench.lines(3)
        #expect(first.contains("$PMTK010,001*2E"))
        #expect(!first.contains { $0.hasPrefix("$PMTK001,220") })
        #expect(bench.lines(5).count { $0.contains("GGA,") } == 5)
    }

    @Test func `a sleep without a wake source never ends`() throws {
        for (kind, command) in [(ReceiverKind.mtk, "PMTK225,4"), (.sirf, "PSRF117,16"), (.airoha, "PAIR650,0")] {
            var bench = try Bench(kind)
            _ = bench.hear(5.5)
            for _ in 0..<2 { bench.say(command) }
            _ = bench.hear(2)
            for _ in 0..<10 {
                bench.say([0xFF, 13, 10])
                #expect(bench.hear(60).isEmpty)
            }
        }
    }

    @Test func `a timer ends a sleep`() throws {
        var bench = try Bench(.airoha)
        _ = bench.hear(5.5)
        for _ in 0..<2 { bench.say("PAIR650,60") }
        _ = bench.hear(2)
        #expect(bench.hear(57).isEmpty)
        #expect(bench.lines(5).contains { $0.contains("GGA,") })
    }

    /// On its native USB port a u-blox ignores RXM-PMREQ without the force flag.
    @Test func `a u-blox on native USB does not sleep without the force flag`() throws {
        let rest = UBXFrame(0x02, 0x41, [0, 0, 0, 0, 2, 0, 0, 0]).bytes
        var stick = try Bench(.ublox8) { $0.isNativeUSB = true }
        var serial = try Bench(.ublox8)
        for _ in 0..<2 { (_, _) = (stick.hear(5), serial.hear(5)) }
        stick.say(rest)
        serial.say(rest)
        _ = (stick.hear(3), serial.hear(3))
        #expect(!stick.hear(3).isEmpty && serial.hear(3).isEmpty)
    }

    /// A start is hot within two hours, warm within two weeks, cold after that (docs/receiver-commands.md
    /// section 0).
    @Test(arguments: [
        (600.0, 1...3), (7000.0, 1...3), (9000.0, 15...45), (86_400.0, 15...45), (20 * 86_400.0, 20...60),
    ])
    func `a longer sleep leads to a longer time to fix`(sleep: Double, expected: ClosedRange<Int>) throws {
        for seed in 1...5 {
            var bench = try Bench(.mtk) { $0.seed = UInt64(seed) }
            _ = bench.hear(60.5)
            bench.say("PMTK161,0")
            _ = bench.hear(sleep)
            bench.say([13, 10])
            _ = bench.hear(0.5)
            let time = bench.timeToFix()
            #expect(expected.contains(time), "\(time) s")
        }
    }

    /// Less than half a minute of tracking yields no new ephemerides, so they age with shorter
    /// fixes.
    @Test func `short fixes do not refresh the ephemerides`() throws {
        for (look, expected) in [(10.0, 15...45), (50.0, 1...3)] {
            var bench = try Bench(.mtk)
            _ = bench.hear(60.5)
            for _ in 0..<5 {
                bench.say("PMTK161,0")
                _ = bench.hear(1700)
                bench.say([13, 10])
                _ = bench.hear(look)
            }
            let time = bench.timeToFix()
            if look > 20 { #expect(expected.contains(time)) } else { #expect(time > 3, "\(time) s") }
        }
    }

    @Test func `a cold start discards all satellite data`() throws {
        var bench = try Bench(.ublox8)
        _ = bench.hear(60)
        bench.say(UBXFrame(0x06, 0x04, [0xFF, 0xFF, 2, 0]).bytes)
        let time = bench.timeToFix()
        #expect((18...45).contains(time))
        bench.say(UBXFrame(0x06, 0x04, [0, 0, 2, 0]).bytes)
        let hot = bench.timeToFix()
        #expect(hot <= 4)
    }

    /// One hour in each state, by the data sheet.
    @Test func `energy is metered by power state`() throws {
        var bench = try Bench(.mtk)
        _ = bench.hear(3600)
        let tracking = try #require(bench.receiver.meter?.charge(at: bench.now))
        #expect(abs(tracking - 20) < 0.01)
        bench.say("PMTK161,0")
        _ = bench.hear(3600)
        let both = try #require(bench.receiver.meter?.charge(at: bench.now))
        #expect(abs(both - tracking - 1) < 0.05)
        let joules = try #require(bench.receiver.meter?.energy(at: bench.now, supply: 5))
        #expect(abs(joules - both * 18) < 0.01)
    }

    @Test func `equal seeds give equal output`() throws {
        func life(_ seed: UInt64, step: Double) throws -> [UInt8] {
            var bench = try Bench(.ubloxM9) { $0.seed = seed }
            var heard: [UInt8] = []
            for turn in 0..<40 {
                for _ in 0..<Int(10 / step) { heard += bench.hear(step) }
                if turn % 8 == 3 { bench.say(UBXFrame(0x02, 0x41, [0, 0, 0, 0, 2, 0, 0, 0]).bytes) }
                if turn % 8 == 6 { bench.say([0xFF]) }
            }
            return heard
        }
        #expect(try life(1, step: 10) == life(1, step: 0.5))
        #expect(try life(1, step: 10) != life(2, step: 10))
    }

    @Test func `random bytes are not taken as commands`() throws {
        var random = RandomSource(seed: 5, purpose: 9)
        for kind in ReceiverKind.allCases {
            var bench = try Bench(kind)
            for _ in 0..<50 {
                _ = bench.hear(0.1)
                bench.say((0..<64).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) })
                bench.say(
                    [0xB5, 0x62, 0x06, 0x8A, UInt8(random.next() % 30), 0]
                        + (0..<40).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) })
            }
            #expect(bench.lines(5).contains { $0.contains("GGA,") })
        }
    }
}
