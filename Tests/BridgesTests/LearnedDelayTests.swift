import Bridges
import Chronology
import SextantAPI
import TestSupport
import Testing

/// The delay of receivers, as it is learned from measurements.
@Suite struct LearnedDelayTests {
    /// A simulated family: its first bytes after the second, by the time in seconds. Sources as in
    /// ``TimedReceiver``.
    struct Family: Sendable, CustomTestStringConvertible {
        let name: String
        /// The delay around which the receiver varies, in seconds.
        let truth: Double
        /// The standard deviation in seconds.
        let noise: Double
        /// The amplitude of a slow wander in seconds, 170 ms from end to end for a SiRF.
        var wander = 0.0
        /// The share of measurements that are 200 ms late.
        var late = 0.0
        var testDescription: String { name }

        func delay(at time: Double, _ random: inout SeededGenerator) -> Double {
            let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
            let phase = (time / 400).truncatingRemainder(dividingBy: 1)
            let jump = Double.random(in: 0..<1, using: &random) < late ? 0.2 : 0
            return truth + normal * noise + wander * (2 * phase - 1) + jump
        }
    }

    private static let families = [
        Family(name: "u-blox M8T, serial", truth: 0.150, noise: 0.003),
        Family(name: "u-blox on a Raspberry Pi", truth: 0.271, noise: 0.052),
        Family(name: "MediaTek MT3333", truth: 0.475, noise: 0.010),
        Family(name: "SiRF III, 4800 baud", truth: 0.704, noise: 0.010, wander: 0.085),
        Family(name: "USB, which jumps by 200 ms", truth: 0.067, noise: 0.010, late: 0.1),
    ]
    private static let receiver = TimedReceiver(receiver())

    private static func receiver(chip: String? = "ublox8", baud: Int? = 9600, usb: String? = "1546:01a8") -> Receiver {
        var found = Receiver(
            name: "tty1", port: "/dev/tty1", usb: usb, says: [], baud: baud, state: .hasFix, isPrimary: true,
            counts: counts, satellites: [])
        found.driver = chip.map { DriverState(activity: .running, chip: $0, isUnresponsive: false) }
        return found
    }

    private static var counts: ReceiverCounts {
        ReceiverCounts(
            bytes: 0, sentences: 0, unknown: 0, epochs: 0, fixes: 0, checksumErrors: 0, missingChecksums: 0,
            overlong: 0, truncated: 0, malformed: 0, strayBytes: 0)
    }

    private static func sample(_ delay: Double, _ moment: TimeSample.Moment = .firstByte) -> TimeSample {
        TimeSample(moment: moment, seconds: 0, nanoseconds: 0, offset: -delay)
    }

    /// Learns for an hour from one measurement in 64 s, with the errors of a clock that NTP
    /// disciplines.
    private static func learned(_ family: Family, seed: UInt64, hours: Int = 1) throws -> ByteDelay {
        var random = SeededGenerator(seed: seed)
        var delays = LearnedDelays()
        for index in 0..<(hours * 56) {
            let time = Double(index * 64)
            let error = Double.random(in: -0.004...0.004, using: &random)
            _ = delays.learn(
                sample(family.delay(at: time, &random) + error), of: receiver, clockError: .milliseconds(15),
                at: .zero + .seconds(time))
        }
        return delays.delay(of: receiver, for: .firstByte)
    }

    /// The figure of the issue: `make test FILTER=LearnedDelayTests` prints it.
    @Test(arguments: families)
    func `after an hour the learned delay is within 20 ms of the true one`(_ family: Family) throws {
        let found = try (1...20).map { try LearnedDelayTests.learned(family, seed: $0) }
        let errors = found.map { abs($0.seconds - family.truth) }.sorted()
        let uncertainties = found.map(\.uncertainty).sorted()
        print(
            "\(family.name): true \(family.truth) s, learned \(found[0].seconds) ± \(found[0].uncertainty) s; "
                + "of 20 hours the median error is \(errors[10]) s, the largest \(errors[19]) s")
        #expect(found.allSatisfy { $0.source == .learned })
        #expect(errors[19] <= 0.02)
        // It says so if the receiver wanders or jumps.
        #expect(uncertainties[0] >= (family.wander > 0 ? 0.07 : family.noise))
        #expect(family.late == 0 || uncertainties[10] >= 0.18)
    }

    @Test func `the memory is long, and a receiver that has changed is learned again`() throws {
        var delay = LearnedDelay()
        for index in 0..<2000 { _ = delay.add(index < 1800 ? 0.15 : 0.35, clockError: 0.01) }
        let both = try #require(delay.delay)
        #expect(abs(both.seconds - 0.15) < 0.006 && both.uncertainty > 0.19)
        for _ in 0..<4000 { _ = delay.add(0.35, clockError: 0.01) }
        #expect(delay.count < 2048)
        #expect(abs(try #require(delay.delay).seconds - 0.35) < 0.006)
    }

    @Test(arguments: [
        nil, Instant.Span.milliseconds(191), .milliseconds(-1), .seconds(16),
    ])
    func `a clock that nothing disciplines teaches nothing`(_ error: Instant.Span?) {
        var delays = LearnedDelays()
        for index in 0..<100 {
            let isUsed = delays.learn(
                LearnedDelayTests.sample(0.2), of: LearnedDelayTests.receiver, clockError: error,
                at: .zero + .seconds(Double(index) * 64))
            #expect(!isUsed)
        }
        #expect(delays.delay(of: LearnedDelayTests.receiver, for: .firstByte).source == .family)
    }

    /// 1970, a day ahead, a week behind and a second wrong, although the kernel says synchronised.
    @Test(arguments: [-1_795_241_220, 86_400, -604_800, 1.0, -1.0], [0.05, 0.2, 0.7])
    func `a wrong clock teaches nothing`(_ error: Double, _ delay: Double) {
        var delays = LearnedDelays()
        for index in 0..<100 {
            let isUsed = delays.learn(
                LearnedDelayTests.sample(delay + error), of: LearnedDelayTests.receiver, clockError: .zero,
                at: .zero + .seconds(Double(index) * 64))
            #expect(!isUsed)
        }
        #expect(delays == LearnedDelays())
    }

    /// A server that is asked every 1,024 s: the kernel raises the maximum error by 0.5 ms/s until
    /// then.
    @Test func `the delay is known after an hour of a slowly polled server, with its error`() throws {
        var delays = LearnedDelays()
        for time in stride(from: 0.0, to: 3600, by: 64) {
            let error = Instant.Span.seconds(0.02 + 0.0005 * time.truncatingRemainder(dividingBy: 1024))
            _ = delays.learn(
                LearnedDelayTests.sample(0.2), of: LearnedDelayTests.receiver, clockError: error,
                at: .zero + .seconds(time))
        }
        let delay = delays.delay(of: LearnedDelayTests.receiver, for: .firstByte)
        #expect(delay.source == .learned && delay.uncertainty > 0.08 && delay.uncertainty < 0.12)
        // Nine of ten errors of a uniform distribution are within 0.9 of its bound.
        var steady = LearnedDelay()
        for _ in 0..<20 { _ = steady.add(0.2, clockError: 0.1) }
        #expect(abs(try #require(steady.delay).uncertainty - 0.0901) < 0.001)
    }

    @Test func `a receiver keeps its delay before it tells its model, and another model does not get it`() throws {
        func receiver(_ module: String?) -> TimedReceiver {
            var found = LearnedDelayTests.receiver(chip: nil)
            found.identity = module.map { ReportedIdentity(module: $0) }
            return TimedReceiver(found)
        }
        var delays = LearnedDelays()
        for index in 0..<20 {
            _ = delays.learn(
                LearnedDelayTests.sample(0.2), of: receiver(index < 10 ? "NEO-M8N" : nil), clockError: .zero,
                at: .zero + .seconds(Double(index) * 64))
        }
        delays = try #require(LearnedDelays(text: Array(delays.text.utf8)))
        for module in [nil, "NEO-M8N"] {
            #expect(delays.delay(of: receiver(module), for: .firstByte).source == .learned)
        }
        #expect(delays.delay(of: receiver("NEO-M9N"), for: .firstByte).source == .family)
    }

    @Test func `ntpd gets no measurement while one may still be learned from, and then each`() {
        let family = ByteDelay(0.26, uncertainty: 0.2, .family)
        var withheld = WithheldMeasurements(at: .zero)
        // Before a server is synchronised, an outlier, and too early: none ends it.
        let steps = [(1, false), (800, false), (850, true), (851, false), (1700, false), (1751, false)]
        let found = steps.map { withheld.withholds($1, family, at: .zero + .seconds(Double($0))) }
        #expect(found == [true, true, true, true, true, false])
        var known = WithheldMeasurements(at: .zero)
        let isKnownWithheld = known.withholds(true, ByteDelay(0.2, uncertainty: 0.01, .learned), at: .zero)
        #expect(!isKnownWithheld)
    }

    @Test func `one measurement in 30 s is enough, and moments and baud rates are kept apart`() throws {
        var delays = LearnedDelays()
        let slow = TimedReceiver(LearnedDelayTests.receiver(baud: 4800))
        for index in 0..<320 {
            let now = Instant.zero + .seconds(Double(index) * 2)
            let isUsed = delays.learn(
                LearnedDelayTests.sample(0.2), of: LearnedDelayTests.receiver, clockError: .zero, at: now)
            #expect(isUsed == (index % 15 == 0))
        }
        #expect(delays.count(of: LearnedDelayTests.receiver, for: .firstByte) == 22)
        #expect(delays.count(of: LearnedDelayTests.receiver, for: .endOfSentences) == 0)
        #expect(delays.delay(of: slow, for: .firstByte).source == .family)
        // What is kept is the same, and the sixteen receivers that were used last are.
        #expect(try #require(LearnedDelays(text: Array(delays.text.utf8))) == delays)
        for index in 0..<16 {
            let other = TimedReceiver(LearnedDelayTests.receiver(usb: "1546:\(index)"))
            let isUsed = delays.learn(
                LearnedDelayTests.sample(0.2, .endOfSentences), of: other, clockError: .zero,
                at: .zero + .seconds(Double(1000 + index * 60)))
            #expect(isUsed)
        }
        #expect(delays.count(of: LearnedDelayTests.receiver, for: .firstByte) == 0)
        #expect(delays.text.utf8.count < 32_768)
    }

    @Test(arguments: [
        "", "{", "{}", "{\"receivers\":[{}]}", "{\"receivers\":[{\"receiver\":\"a\",\"delays\":{\"counts\":{}}}]}",
        "{\"receivers\":[{\"receiver\":\"a\",\"delays\":{\"counts\":{\"260\":1},\"clockError\":0}}]}",
        "{\"receivers\":[{\"receiver\":\"a\",\"delays\":{\"counts\":{\"1\":-1},\"clockError\":0}}]}",
        "{\"receivers\":[{\"receiver\":\"a\",\"delays\":{\"counts\":{\"1\":9000},\"clockError\":0}}]}",
        "{\"receivers\":[{\"receiver\":\"a\",\"delays\":{\"counts\":{},\"clockError\":7}}]}",
    ])
    func `damaged delays are not used`(_ text: String) { #expect(LearnedDelays(text: Array(text.utf8)) == nil) }

    @Test(
        arguments: [
            ("ublox8", 9600, 0.067...0.452), ("mediatek", 9600, 0.325...0.512), ("sirf", 4800, 0.704...0.704),
            ("sirf", 19_200, 0.484...0.484), ("casic", 9600, 0.05...0.5), (nil, nil, 0.05...0.5),
        ] as [(String?, Int?, ClosedRange<Double>)])
    func `the range of a family has its receivers`(_ chip: String?, _ baud: Int?, _ known: ClosedRange<Double>) {
        let receiver = TimedReceiver(LearnedDelayTests.receiver(chip: chip, baud: baud, usb: nil))
        let delay = LearnedDelays().delay(of: receiver, for: .firstByte)
        #expect(delay.seconds - delay.uncertainty <= known.lowerBound)
        #expect(delay.seconds + delay.uncertainty >= known.upperBound)
    }

    @Test func `without a driver the vendor tells the family`() {
        var found = LearnedDelayTests.receiver(chip: nil)
        found.identity = ReportedIdentity(vendor: "MediaTek")
        #expect(LearnedDelays().delay(of: TimedReceiver(found), for: .firstByte).seconds == 0.42)
        found.identity = ReportedIdentity(vendor: "u-blox")
        #expect(LearnedDelays().delay(of: TimedReceiver(found), for: .firstByte).seconds == 0.26)
    }

    @Test func `a measurement is corrected by the delay, and its precision is a power of two`() {
        let delay = ByteDelay(0.26, uncertainty: 0.2, .family)
        #expect(abs(LearnedDelayTests.sample(0.3).corrected(by: delay).offset + 0.04) < 1e-12)
        #expect(delay.precision == -2 && ByteDelay(0, uncertainty: 0.25, .learned).precision == -2)
        #expect(ByteDelay(0, uncertainty: 0.02, .learned).precision == -5)
    }
}
