import TestSupport
import Varlink

typealias JSONSample = JSONValue

/// Random input of the tests.
struct Seeded: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(_ seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 { generator.next() }

    mutating func chunks(of bytes: [UInt8], upTo greatest: Int) -> [[UInt8]] {
        var rest = bytes[...]
        var chunks: [[UInt8]] = []
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...greatest, using: &self))
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return chunks
    }

    mutating func json(depth: Int) -> JSONSample {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .int(Int64.random(in: .min ... .max, using: &self))
        case 3: return .double(Double(Int.random(in: -1_000_000...1_000_000, using: &self)) / 1024 + 0.0001)
        case 4: return .string(text())
        case 5: return .array((0..<Int.random(in: 0..<4, using: &self)).map { _ in json(depth: depth - 1) })
        default:
            return .object(
                Dictionary((0..<Int.random(in: 0..<4, using: &self)).map { _ in (text(), json(depth: depth - 1)) }) {
                    $1
                })
        }
    }

    mutating func text() -> String {
        let alphabet: [Character] = [
            "a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "😀", "/", "\u{7F}", "\r\n", "\u{2028}",
        ]
        return String(
            (0..<Int.random(in: 0..<8, using: &self)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &self)]
            })
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
