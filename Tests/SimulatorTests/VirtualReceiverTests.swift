import Chronology
import Geodesy
import Testing

@testable import Simulator

@Suite struct VirtualReceiverTests {
    private func receiver(_ change: (inout SimulatorOptions) -> Void = { _ in }) throws -> VirtualReceiver {
        var options = SimulatorOptions()
        change(&options)
        return try options.build(origin: .zero, utc: SimulatedCapture.defaultStart).receiver
    }

    @Test func `equal seeds give equal bytes for any call interval`() throws {
        var once = try receiver()
        var often = try receiver()
        let whole = once.bytes(until: .zero + .seconds(30))
        let pieces = (1...3000).flatMap { often.bytes(until: .zero + .milliseconds($0 * 10)) }
        #expect(whole == pieces)
        var other = try receiver { $0.seed = 2 }
        #expect(other.bytes(until: .zero + .seconds(30)) != whole)
    }

    /// Fixes the exact bytes: a change here also requires new captures.
    @Test func `the first fix has known bytes`() throws {
        let sent = try simulate(seconds: 1)
        #expect(sent[6] == "$GNRMC,120000.00,A,5128.95686,N,00000.45428,W,21.412,73.30,010626,,,A*64")
    }

    @Test(arguments: [4800, 9600, 115_200])
    func `bytes are no faster than the baud rate`(baud: Int) throws {
        var receiver = try receiver { ($0.baud, $0.receiver) = (baud, .mtk) }
        let chunks = receiver.bytes(until: .zero + .seconds(20))
        for (a, b) in zip(chunks, chunks.dropFirst()) {
            let needed = Double(b.bytes.count) * 10 / Double(baud)
            #expect((b.instant - a.instant).seconds >= needed - 1e-6)
        }
    }

    @Test func `an overloaded line drops whole epochs`() throws {
        var receiver = try receiver { ($0.baud, $0.receiver, $0.rate) = (4800, .ubloxM9, 10) }
        let chunks = receiver.bytes(until: .zero + .seconds(20))
        #expect(receiver.droppedBursts > 100)
        let sent = lines(Array(chunks.map(\.bytes).joined())).dropLast()
        #expect(sent.allSatisfy(isValid))
        #expect(try #require(chunks.last).instant <= .zero + .seconds(20))
    }

    @Test func `the deadline is the time of the next output`() throws {
        var receiver = try receiver()
        var now = Instant.zero
        for _ in 0..<500 {
            let due = try #require(receiver.deadline)
            #expect(receiver.bytes(until: due - Instant.Span(nanoseconds: 1)).isEmpty)
            #expect(due >= now)
            now = due
            _ = receiver.bytes(until: now)
        }
    }

    @Test func `position errors have the requested size`() throws {
        let place = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
        let options: (inout SimulatorOptions) -> Void = {
            $0.source = .stationary(place, altitude: 500)
            $0.receiver = .quectel
            $0.noise = 4
            $0.rate = 0.1
            $0.sentences = try? SentencePlan("GGA")
        }
        let offsets = try simulate(seconds: 20_000, options).filter { kind($0) == "GGA" }.map { line in
            let f = fields(line)
            let coordinate = try #require(
                Coordinate(latitude: try degrees(f[2], width: 2), longitude: try degrees(f[4], width: 3)))
            return LocalPlane(origin: place).offset(of: coordinate)
        }
        let rms = (offsets.reduce(0) { $0 + $1.length * $1.length } / Double(offsets.count)).squareRoot()
        #expect(abs(rms - 4 * 2.0.squareRoot()) < 1)
        // The errors are correlated: they change little in ten seconds, where independent errors
        // would differ by 7 m.
        let step = zip(offsets, offsets.dropFirst()).map { hypotenuse($0.east - $1.east, $0.north - $1.north) }.reduce(
            0, +)
        #expect(step / Double(offsets.count) < 3)
    }

    private func hypotenuse(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }

    private func degrees(_ field: String, width: Int) throws -> Double {
        try #require(Double(field.prefix(width))) + (try #require(Double(field.dropFirst(width)))) / 60
    }

    @Test func `a cold start reports time and date before the fix`() throws {
        let sent = try simulate(seconds: 40) { ($0.receiver, $0.coldStart) = (.ubloxM9, true) }
        let rmc = sent.filter { kind($0) == "RMC" }.map(fields)
        #expect(rmc[0][1].isEmpty && rmc[0][2] == "V" && rmc[0][9].isEmpty)
        #expect(rmc[12][1] == "120012.00" && rmc[12][9].isEmpty)
        #expect(rmc[20][2] == "V" && rmc[20][9] == "010626")
        #expect(try #require(rmc.firstIndex { $0[2] == "A" }) == 24)
        let mtk = try simulate(seconds: 5) { ($0.receiver, $0.coldStart) = (.mtk, true) }
        #expect(mtk.contains { $0.hasPrefix("$GPRMC,000003.000,V,,,,,0.00,0.00,060180") })
    }

    @Test func `the date advances at midnight and shows a missed week rollover`() throws {
        let sent = try simulate(seconds: 4) {
            $0.startTime = UTCTime(rfc3339: "2026-12-31T23:59:58Z")
            $0.missedRollovers = 1
        }
        let dates = sent.filter { kind($0) == "RMC" }.map { [fields($0)[1], fields($0)[9]] }
        #expect(
            dates == [
                ["235958.00", "170507"], ["235959.00", "170507"], ["000000.00", "180507"], ["000001.00", "180507"],
            ])
    }

    @Test func `ten hertz epochs fall on multiples of 100 ms`() throws {
        let sent = try simulate(seconds: 1) { ($0.receiver, $0.rate, $0.baud) = (.ubloxM9, 10, 460_800) }
        #expect(sent.filter { kind($0) == "RMC" }.map { fields($0)[1] } == (0..<10).map { "120000.\($0)0" })
    }
}
