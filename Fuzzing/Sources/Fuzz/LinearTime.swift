import Glibc
import Varlink

/// Whether sixty-four of a thing take sixty-four times as long to read as one, and not four thousand times.
enum LinearTime {
    private static let copies = 64
    /// Shorter inputs say nothing that a clock could tell.
    private static let shortest = 800
    /// Nanoseconds that may be lost to anything.
    private static let allowance: UInt64 = 2_000_000
    /// How much more than its share a larger input may take: caches, growing arrays.
    private static let slack: UInt64 = 2

    /// Tries one input in a hundred and twenty-eight of those that are long enough: each try costs as much as a thousand others.
    static func expect(of bytes: [UInt8], _ value: JSONValue) {
        guard bytes.count >= shortest else { return }
        var digest = Digest()
        digest.put(bytes.span.bytes)
        guard digest.value % 128 == 0 else { return }
        var list: [UInt8] = [UInt8(ascii: "[")]
        for copy in 0..<copies {
            if copy > 0 { list.append(UInt8(ascii: ",")) }
            list += bytes
        }
        list.append(UInt8(ascii: "]"))
        compare("to read JSON", { _ = try? JSONValue(parsing: bytes) }, { _ = try? JSONValue(parsing: list) })

        let one = parameters(value, 1)
        let many = parameters(value, copies)
        compare("to check parameters", { _ = ServerCheck.route(one) }, { _ = ServerCheck.route(many) })
        compare("to read parameters", { decode(one) }, { decode(many) })
    }

    /// The value's text as a name, and its elements in a list of that name, both so many times as long: names and lists must not multiply.
    private static func parameters(_ value: JSONValue, _ times: Int) -> [String: JSONValue] {
        let text = String(decoding: value.bytes, as: UTF8.self)
        let name = String(repeating: text, count: times)
        let list = JSONValue.array(Array(repeating: 1, count: text.utf8.count * times / 2))
        return ["m": .object([name: list]), "l": list, "s": .string(name)]
    }

    private static func decode(_ parameters: [String: JSONValue]) {
        _ = try? Call(method: "a.b.B", parameters: parameters).decode(Read.self)
    }

    private struct Read: Codable {
        var m: [String: [Int]]
        var l: [Double]
        var s: String
    }

    private static func compare(_ what: String, _ one: () -> Void, _ many: () -> Void) {
        var quickest: (one: UInt64, many: UInt64) = (.max, .max)
        // Only what is slow every time is slow.
        for _ in 0..<5 {
            quickest.one = min(quickest.one, time(one))
            quickest.many = min(quickest.many, time(many))
            if quickest.many <= quickest.one * UInt64(copies) * slack + allowance { return }
        }
        broken("time grows with the length \(what): \(quickest.one) ns for one, \(quickest.many) ns for \(copies)")
    }

    /// Nanoseconds of processor time, which a busy machine does not stretch by much.
    private static func time(_ work: () -> Void) -> UInt64 {
        let start = now()
        work()
        return now() - start
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
