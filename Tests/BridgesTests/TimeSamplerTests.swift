import Bridges
import SextantAPI
import Testing

@Suite struct TimeSamplerTests {
    /// 2026-11-21T06:07:00Z
    private static let minute: Int64 = 1_795_241_220

    private static func sample(
        _ sampler: inout TimeSampler, second: Int, host: Int64? = nil, location: String? = nil,
        burstAge: Double? = nil
    ) throws -> TimeSample? {
        let message = try #require(try Samples.update(location ?? Samples.location(second: second)).location)
        return sampler.sample(
            message, age: 0.25, burstAge: burstAge, seconds: host ?? minute + Int64(second), nanoseconds: 500_250_000)
    }

    @Test func `the offset is the time of the epoch minus the host's time at the end of its burst`() throws {
        var sampler = TimeSampler()
        for second in 1...3 { #expect(try TimeSamplerTests.sample(&sampler, second: second) == nil) }
        let sample = try #require(try TimeSamplerTests.sample(&sampler, second: 4))
        #expect(abs(sample.offset - -0.25025) < 1e-9)
        #expect(sample.seconds == TimeSamplerTests.minute + 4 && sample.nanoseconds == 500_250_000)
    }

    @Test func `the first byte of the burst is used where it is known`() throws {
        var sampler = TimeSampler()
        for second in 1...3 {
            let sample = try TimeSamplerTests.sample(&sampler, second: second, burstAge: 0.45)
            #expect(sample == nil && sampler.needsAnother)
        }
        let first = try TimeSamplerTests.sample(&sampler, second: 4, burstAge: 0.45)
        let sample = try #require(first)
        #expect(abs(sample.offset - -0.05025) < 1e-9 && sample.moment == .firstByte && !sampler.needsAnother)
        // The end of the sentences is 0.2 s later. One of them would be a jump of the clock.
        for second in 5...7 {
            let sample = try TimeSamplerTests.sample(&sampler, second: second)
            #expect(sample == nil && sampler.needsAnother)
        }
        let end = try TimeSamplerTests.sample(&sampler, second: 8)
        let later = try #require(end)
        #expect(later.moment == .endOfSentences && abs(later.offset - -0.25025) < 1e-9)
        let again = try TimeSamplerTests.sample(&sampler, second: 9, burstAge: 0.45)
        #expect(again?.moment == .firstByte)
    }

    @Test func `a date that changes must be confirmed again`() throws {
        var sampler = TimeSampler()
        for second in 1...4 { _ = try TimeSamplerTests.sample(&sampler, second: second) }
        for second in 5...7 {
            #expect(
                try TimeSamplerTests.sample(
                    &sampler, second: second, host: TimeSamplerTests.minute - 86_400 + Int64(second))
                    == nil)
        }
        #expect(
            try TimeSamplerTests.sample(&sampler, second: 8, host: TimeSamplerTests.minute - 86_400 + 8)?.offset ?? 0
                > 86_000)
    }

    @Test(arguments: [
        ("\"pubx\"", "\"reduced\""), ("\"hdop\":0.9", "\"hdop\":0.9,\"simulated\":true"),
        ("\"autonomous\"", "\"estimated\""), ("\"timestamp\":\"2026-11-21T06:07:07.000Z\",", ""),
    ])
    func `locations without a time of a satellite are not used`(_ text: String, _ replacement: String) throws {
        var sampler = TimeSampler()
        let location = Samples.location().replacing(text, with: replacement)
        #expect(location != Samples.location())
        for _ in 0..<6 { #expect(try TimeSamplerTests.sample(&sampler, second: 7, location: location) == nil) }
    }

    @Test func `a sample is 40 bytes with the magic number of chrony at its end`() throws {
        var sampler = TimeSampler()
        for second in 1...3 { _ = try TimeSamplerTests.sample(&sampler, second: second) }
        let bytes = try #require(try TimeSamplerTests.sample(&sampler, second: 4)).datagram
        #expect(bytes.count == (Int.bitWidth == 64 ? 40 : 32))
        let little = 1.littleEndian == 1
        #expect(Array(bytes.suffix(4)) == (little ? [0x4b, 0x43, 0x4f, 0x53] : [0x53, 0x4f, 0x43, 0x4b]))
    }
}
