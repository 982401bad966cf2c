import Simulator
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Damage {
        /// Invalid data that a receiver, or a device mistaken for one, may send.
        enum Flood: String, CaseIterable {
            case randomBytes, letters, dollars, zeros, lineEnds, longSentences

            func bytes(_ count: Int) -> [UInt8] {
                switch self {
                case .randomBytes:
                    var random = RandomSource(seed: 7, purpose: 1)
                    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 33) }
                case .letters: return [UInt8](repeating: UInt8(ascii: "A"), count: count)
                case .dollars: return [UInt8](repeating: UInt8(ascii: "$"), count: count)
                case .zeros: return [UInt8](repeating: 0, count: count)
                case .lineEnds: return [UInt8](repeating: 10, count: count)
                case .longSentences:
                    let line =
                        Array("$GPGGA,".utf8) + [UInt8](repeating: UInt8(ascii: "1"), count: 2000)
                        + Array("*00\r\n".utf8)
                    return (0...count / line.count).flatMap { _ in line }
                }
            }
        }

        @Test(arguments: [true, false])
        func `a megabyte of invalid bytes is counted and not kept in memory`(atAKnownSpeed: Bool) throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let speed = atAKnownSpeed ? "baud = 9600\n" : ""
            let configuration = "[receivers]\ndiscover = false\n[[receiver]]\ndevice = \"\(port.link)\"\n\(speed)"
            try TestDaemon.run(configuration: configuration, scratch: scratch) { daemon in
                try daemon.waitForReceiver("detectingBaudRate", "silent")
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.untilLocation()
                let before = ProcessFigures(of: daemon.process)
                var sent = try count("bytes", daemon)
                for flood in Flood.allCases {
                    let bytes = flood.bytes(flood == .zeros || flood == .lineEnds ? 100_000 : 1_000_000)
                    try port.send(bytes) { while try stream.present() != nil {} }
                    sent += bytes.count
                }
                try fixAgain(&drive, port, stream)
                let after = ProcessFigures(of: daemon.process)
                #expect(after.anonymous <= before.anonymous + 1024)
                if atAKnownSpeed { #expect(try count("bytes", daemon) >= sent) }
                for kind in ["overlong", "strayBytes", "truncated"] { #expect(try count(kind, daemon) > 0, "\(kind)") }
                #expect(daemon.log.utf8.count < 10_000, "not a log line each")
            }
        }

        @Test func `sentences with invalid fields do not stop the daemon`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                var nonsense = Nonsense(seed: 42)
                for _ in 0..<100 {
                    try port.send((0..<60).flatMap { _ in nonsense.next() }) { while try stream.present() != nil {} }
                    // Every reply is validated against its interface.
                    _ = try daemon.receivers()
                }
                var drive = Drive()
                try fixAgain(&drive, port, stream)
                let texts = try daemon.receivers().first?["says"]?.array ?? []
                #expect(!texts.isEmpty && texts.count <= 12)
            }
        }

        private func count(_ kind: String, _ daemon: TestDaemon) throws -> Int {
            Int(try daemon.receivers().first?["counts"]?[kind]?.int ?? -1)
        }

        /// Checks that good data yields a location of the drive again.
        private func fixAgain(_ drive: inout Drive, _ port: VirtualPort, _ stream: Subscription) throws {
            let deadline = Deadline(timeout)
            let first = drive.count
            while !deadline.isPast {
                try port.send(drive.next(2))
                let tick = Deadline(.milliseconds(50))
                while waitReadable(stream.descriptor, within: .milliseconds(Int64(tick.millisecondsLeft))), !tick.isPast
                {
                    while let update = try stream.present() {
                        if let stamp = update.timestamp,
                            (first..<drive.count).contains(where: { drive.timestamp($0) == stamp })
                        {
                            return
                        }
                    }
                }
            }
            throw TestFailure(
                "no position after the damage; the last update was \(stream.last.map { "\($0.parameters)" } ?? "none")")
        }
    }
}

/// Generates sentences with correct checksums and invalid fields.
private struct Nonsense {
    private static let patterns = [
        "GPGGA,120000.00,5128.95563,N,00000.45703,W,1,12,0.85,8.1,M,45.9,M,,",
        "GPRMC,120000.00,A,5128.95563,N,00000.45703,W,21.4,73.1,140326,,,A",
        "GNGNS,120000.00,5128.9,N,00000.4,W,AN,12,0.85,8.1,45.9,,",
        "GNGSA,A,3,06,07,10,12,14,20,24,25,27,28,,,1.48,0.85,1.21,1",
        "GPGSV,3,1,10,06,19,306,38,07,43,030,45,10,18,070,39,12,24,038,39", "GNGST,120000.00,6.0,2,2,2,1.50,1.50,2.25",
        "GPVTG,73.06,T,,M,21.4,N,39.7,K,A",
        "GPZDA,120000.00,14,03,2026,00,00", "GPGBS,120000.00,1.5,1.5,2.5,,,,", "GPGLL,5128.9,N,00000.4,W,120000.00,A,A",
        "GPTXT,01,01,02,ANTSTATUS=OK",
        "GPHDT,12.3,T", "GPTHS,12.3,A", "GPDTM,W84,,0.0,N,0.0,E,0.0,W84",
        "PUBX,00,120000.00,5128.9,N,00000.4,W,54.0,G3,2.1,2.3,39.7,73.06,0.000,,0.85,1.21,0.92,18,0,0",
    ]
    private static let fields = [
        "", "-", "0", "-0.0", "1e308", "NaN", "inf", "99999999999999999999999999", "0.00000000000000000000000001",
        "240000.00", "235960.99",
        "9999.99999",
        "18000.0001", "310226", "000000", "\u{1}\u{7f}", "\"}\\", "\u{e9}\u{20ac}", "-9223372036854775808", "65536",
        "A", "M", "W", "N",
        ".", "+", "3",
    ]
    private var random: RandomSource

    init(seed: UInt64) { random = RandomSource(seed: seed, purpose: 3) }

    mutating func next() -> [UInt8] {
        var fields = pick(Nonsense.patterns).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for _ in 0...Int(random.next() % 3) {
            fields[1 + Int(random.next() % UInt64(fields.count - 1))] = pick(Nonsense.fields)
        }
        if random.next() % 8 == 0 { fields.removeLast() }
        return Array(sentence(fields.joined(separator: ",")).utf8)
    }

    private mutating func pick(_ list: [String]) -> String { list[Int(random.next() % UInt64(list.count))] }
}
