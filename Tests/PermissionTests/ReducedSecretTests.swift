import Testing

@testable import Permission

@Suite struct ReducedSecretTests {
    /// The test vectors of the reference implementation (vectors_sip64): the key 00 01 ... 0f, and
    /// the message 00 01 ... of each length. Length 15 is the example of the paper's appendix A.
    @Test(
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (2, 0x0d6c_8009_d9a9_4f5a),
            (3, 0x8567_6696_d7fb_7e2d), (7, 0xab02_00f5_8b01_d137), (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] as [(Int, UInt64)])
    func `the hash is SipHash-2-4`(length: Int, expected: UInt64) throws {
        let secret = try #require(ReducedSecret(bytes: Array(0..<16)))
        #expect(secret.hash((0..<length).map { UInt8($0) }) == expected)
    }

    @Test func `a secret has 16 bytes, and each bit counts`() throws {
        #expect(ReducedSecret(bytes: []) == nil)
        #expect(ReducedSecret(bytes: Array(0..<15)) == nil)
        #expect(ReducedSecret(bytes: Array(0..<17)) == nil)
        let zeros = [UInt8](repeating: 0, count: 16)
        let reference = try #require(ReducedSecret(bytes: zeros))
        for bit in 0..<128 {
            var bytes = zeros
            bytes[bit / 8] = 1 << UInt8(bit % 8)
            let other = try #require(ReducedSecret(bytes: bytes))
            #expect(other.fraction(for: .rowPhase) != reference.fraction(for: .rowPhase))
        }
    }

    @Test func `fractions are uniform and differ by purpose and index`() throws {
        let secret = try #require(ReducedSecret(bytes: Array(1...16)))
        let values = (-5000..<5000).map { secret.fraction(for: .columnPhase, index: $0) }
        #expect(values.allSatisfy { (0..<1).contains($0) })
        #expect(Set(values).count == values.count)
        for decile in 0..<10 {
            let count = values.count { Int($0 * 10) == decile }
            #expect(abs(count - 1000) < 150)  // five standard deviations
        }
        #expect(secret.fraction(for: .columnCount, index: 3) != secret.fraction(for: .columnPhase, index: 3))
    }
}
