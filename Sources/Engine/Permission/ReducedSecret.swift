// Wrapping arithmetic: SipHash is defined modulo 2^64.

/// The secret of a device, from which its ``ReducedGrid`` follows: a key of 128 random bits.
///
/// Create it once per device and keep it in a file that only the daemon can read. A second secret
/// makes a second grid, and the answers of both reveal the intersection of two areas.
public struct ReducedSecret: Sendable, Hashable {
    private let low: UInt64
    private let high: UInt64

    /// The length of a secret in bytes.
    public static let byteCount = 16

    /// Creates a secret from its bytes; nil if there are not exactly ``byteCount``.
    public init?(bytes: [UInt8]) {
        guard bytes.count == ReducedSecret.byteCount else { return nil }
        low = ReducedSecret.word(bytes[..<8])
        high = ReducedSecret.word(bytes[8...])
    }

    /// Creates a new secret from random bits of the operating system.
    public init() {
        low = .random(in: 0 ... .max)
        high = .random(in: 0 ... .max)
    }

    /// The bytes of the secret, for ``init(bytes:)``.
    public var bytes: [UInt8] {
        [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    /// Returns 64 bits that are unpredictable for anyone without the secret, and always the same
    /// for the same message.
    ///
    /// This is SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF",
    /// 2012). It is a keyed function, so that the answers do not reveal the secret. A mixing
    /// function such as SplitMix64 can be inverted.
    func hash(_ message: [UInt8]) -> UInt64 {
        var state = State(low: low, high: high)
        var rest = message[...]
        while rest.count >= 8 {
            state.absorb(ReducedSecret.word(rest.prefix(8)))
            rest = rest.dropFirst(8)
        }
        state.absorb(UInt64(message.count & 0xff) << 56 | ReducedSecret.word(rest))
        return state.finish()
    }

    /// Returns a number in 0 ..< 1, with 53 random bits that depend on the secret, the purpose of
    /// the number, and an index.
    func fraction(for purpose: Purpose, index: Int64 = 0) -> Double {
        var message = [purpose.rawValue]
        for shift in stride(from: 0, to: 64, by: 8) {
            message.append(UInt8(truncatingIfNeeded: index >> Int64(shift)))
        }
        return Double(hash(message) >> 11) * 0x1p-53
    }

    /// What a number is for; numbers of different purposes are independent.
    enum Purpose: UInt8 {
        case rowPhase = 1
        case columnPhase
        case columnCount
        case direction
        case driftPhase
        case poleMeridian
    }

    /// Returns up to eight bytes as a number, the least significant byte first.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ReducedSecret {
    /// The four words of SipHash.
    private struct State {
        var v0: UInt64
        var v1: UInt64
        var v2: UInt64
        var v3: UInt64

        init(low: UInt64, high: UInt64) {
            v0 = low ^ 0x736f_6d65_7073_6575
            v1 = high ^ 0x646f_7261_6e64_6f6d
            v2 = low ^ 0x6c79_6765_6e65_7261
            v3 = high ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xff
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = v0 ^ (v1 << 13 | v1 >> 51)
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = v2 ^ (v3 << 16 | v3 >> 48)
            v0 &+= v3
            v3 = v0 ^ (v3 << 21 | v3 >> 43)
            v2 &+= v1
            v1 = v2 ^ (v1 << 17 | v1 >> 47)
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
